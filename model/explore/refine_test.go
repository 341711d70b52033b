package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// lengthByDefinition is the reference: the states of a shortest behaviour of the concrete
// maze that is none of the abstract one, 0 if there is none.
func lengthByDefinition(concrete, abstract maze, image []int) int {
	shortest := 0
	note := func(length int) {
		if shortest == 0 || length < shortest {
			shortest = length
		}
	}
	for _, s := range concrete.initial {
		if !slices.Contains(abstract.initial, image[s]) {
			note(1)
		}
	}
	for s, depth := range concrete.depths() {
		for _, a := range concrete.out[s] {
			from, to := image[s], image[a.to]
			allowed := from == to || slices.ContainsFunc(abstract.out[from], func(b arrow) bool {
				return b.to == to
			})
			if depth > 0 && !allowed {
				note(depth + 1)
			}
		}
	}
	return shortest
}

func TestRefineAgreesWithTheDefinition(t *testing.T) {
	t.Parallel()
	refined, broken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		concrete, abstract := drawMaze(t, 6, 8), drawMaze(t, 4, 10)
		state := rapid.IntRange(0, len(abstract.out)-1)
		image := rapid.SliceOfN(state, len(concrete.out), len(concrete.out)).Draw(t, "image")
		found, err := Refine(context.Background(), concrete.model(true), abstract.model(true),
			func(s int) int { return image[s] }, Options{Workers: rapid.IntRange(1, 3).Draw(t, "w")})
		if err != nil {
			t.Fatal(err)
		}
		want := lengthByDefinition(concrete, abstract, image)
		v := found.Violation
		if v == nil {
			refined++
			if want != 0 {
				t.Fatalf("found nothing, by definition %d states", want)
			}
			return
		}
		broken++
		if want != len(v.Path) || !concrete.isPath(v.Path) {
			t.Fatalf("by definition %d states, found %v", want, v.Path)
		}
		if last := v.Path[len(v.Path)-1].State; v.To != image[last] {
			t.Fatalf("state %d is seen as %d, not as %d", last, image[last], v.To)
		}
		if n := len(v.Path); n > 1 && v.From != image[v.Path[n-2].State] {
			t.Fatalf("state %d is not seen as %d", v.Path[n-2].State, v.From)
		}
	})
	assert.Positive(t, refined)
	assert.Positive(t, broken)
}

// Writing and syncing are one step of the abstract model, which has no word for a write
// that is not durable.
func TestRefineCountsStepsAndImages(t *testing.T) {
	t.Parallel()
	step := func(name string, to int) arrow { return arrow{label{name: name}, to} }
	concrete := maze{initial: []int{0}, out: [][]arrow{
		{step("Write", 1)}, {step("Sync", 2)}, {step("Tell", 3)}, {},
	}}
	abstract := maze{initial: []int{0}, out: [][]arrow{{step("Store", 1)}, {step("Answer", 2)}, {}}}
	image := []int{0, 0, 1, 2}
	found, err := Refine(context.Background(), concrete.model(false), abstract.model(false),
		func(s int) int { return image[s] }, Options{})
	require.NoError(t, err)
	assert.Nil(t, found.Violation)
	assert.Equal(t, map[string]int{Stutter: 1, "Store": 1, "Answer": 1}, found.Steps)
	assert.Equal(t, 3, found.Images)
	assert.Equal(t, 4, found.Concrete.Distinct)

	// Telling before the sync is a step that skips one.
	concrete.out[1] = append(concrete.out[1], step("Tell", 3))
	found, err = Refine(context.Background(), concrete.model(false), abstract.model(false),
		func(s int) int { return image[s] }, Options{})
	require.NoError(t, err)
	require.NotNil(t, found.Violation)
	assert.Equal(t, []string{"Write", "Tell"}, Labels(found.Violation.Path))
	assert.Equal(t, "Tell is no step of maze and changes what it sees", found.Violation.Reason)

	var text strings.Builder
	require.NoError(t, PrintRefinement(&text, concrete.model(false), abstract.model(false),
		found.Violation))
	assert.Equal(t, "maze does not refine maze in state 3: "+
		"Tell is no step of maze and changes what it sees\n"+`   1  initial state
        s = 0
   2  Write
        s = 1  (was 0)
   3  Tell
        s = 3  (was 1)
      seen in maze:
        s = 0
      and then:
        s = 2  (was 0)
`, text.String())
}

func TestLivenessIsPrinted(t *testing.T) {
	t.Parallel()
	z := maze{initial: []int{0}, out: [][]arrow{
		{{label{"Push", 1, 0, 0}, 1}}, {{label{"Push", 1, 1, 0}, 0}}, {},
	}}
	found, err := CheckLiveness(context.Background(), z.model(false), pushIsFair(),
		[]LeadsTo[int]{leadsTo([]bool{false, true, false}, []bool{false, false, true})}, 0)
	require.NoError(t, err)
	require.NotNil(t, found.Violation)
	var text strings.Builder
	require.NoError(t, PrintLiveness(&text, z.model(false), found.Violation))
	assert.Equal(t, `maze: L is violated: what it promises never comes after state 2
   1  initial state
        s = 0
   2  Push(0)
        s = 1  (was 0)
      and from state 2 goes round for ever:
   1  initial state
        s = 1
   2  Push(1)
        s = 0  (was 1)
   3  Push(0)
        s = 1  (was 0)
`, text.String())
}
