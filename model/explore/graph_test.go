package explore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawing is a graph as a list of additions, so that it can be shuffled and bent.
type drawing struct {
	states []drawnState
	edges  []drawnEdge
}

type drawnState struct {
	text    string
	initial bool
}

type drawnEdge struct {
	from, to string
	label    string
}

func (d drawing) graph() *Graph {
	g := NewGraph()
	for _, e := range d.edges {
		g.AddEdge(stateID([]byte(e.from)), stateID([]byte(e.to)), e.label)
	}
	for _, s := range d.states {
		g.AddState([]byte(s.text), s.initial)
	}
	return g
}

func drawDrawing(t *rapid.T) drawing {
	var d drawing
	n := rapid.IntRange(1, 6).Draw(t, "states")
	for i := range n {
		initial := i == 0 || rapid.Bool().Draw(t, "initial")
		d.states = append(d.states, drawnState{fmt.Sprint("s", i), initial})
	}
	text := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprint("s", rapid.IntRange(0, n-1).Draw(t, "state"))
	})
	edges := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) drawnEdge {
		return drawnEdge{
			text.Draw(t, "from"), text.Draw(t, "to"),
			rapid.SampledFrom([]string{"A(0)", "A(1)", "B"}).Draw(t, "label"),
		}
	}), 1, 9, rapid.ID)
	d.edges = edges.Draw(t, "edges")
	return d
}

func TestTheDigestDoesNotDependOnOrderAndDuplicates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := drawDrawing(t)
		shuffled := drawing{
			states: rapid.Permutation(append(slices.Clone(d.states), d.states[0])).Draw(t, "states"),
			edges:  rapid.Permutation(append(slices.Clone(d.edges), d.edges[0])).Draw(t, "edges"),
		}
		a, b := d.graph(), shuffled.graph()
		require.Equal(t, a.Digest(), b.Digest())
		require.Nil(t, Compare(a, b))
		states, edges, perAction := b.Counts()
		require.Equal(t, []int{len(d.states), len(d.edges)}, []int{states, edges})
		require.Equal(t, edges, perAction["A"]+perAction["B"])
		require.NoError(t, a.Validate())
	})
}

// Negative control: whatever is bent, the digest and Compare see it.
func TestAnyChangeChangesTheDigest(t *testing.T) {
	t.Parallel()
	bends := map[string]func(d *drawing, i int){
		"a state dropped": func(d *drawing, i int) {
			i %= len(d.states)
			d.states = slices.Delete(d.states, i, i+1)
		},
		"a state added": func(d *drawing, _ int) {
			d.states = append(d.states, drawnState{text: "extra"})
		},
		"a state replaced": func(d *drawing, i int) { d.states[i%len(d.states)].text = "other" },
		"initial or not": func(d *drawing, i int) {
			i %= len(d.states)
			d.states[i].initial = !d.states[i].initial
		},
		"an edge dropped": func(d *drawing, i int) {
			i %= len(d.edges)
			d.edges = slices.Delete(d.edges, i, i+1)
		},
		"an edge added": func(d *drawing, _ int) {
			d.edges = append(d.edges, drawnEdge{d.states[0].text, d.states[0].text, "C"})
		},
		"another label": func(d *drawing, i int) { d.edges[i%len(d.edges)].label = "A(7)" },
		"an edge leads elsewhere": func(d *drawing, i int) {
			d.states = append(d.states, drawnState{text: "extra"})
			d.edges[i%len(d.edges)].to = "extra"
		},
	}
	names := []string{}
	for name := range bends {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		d := drawDrawing(t)
		bent := drawing{slices.Clone(d.states), slices.Clone(d.edges)}
		bends[rapid.SampledFrom(names).Draw(t, "bend")](&bent, rapid.IntRange(0, 99).Draw(t, "where"))
		a, b := d.graph(), bent.graph()
		require.NotEqual(t, a.Digest(), b.Digest())
		require.NotNil(t, Compare(a, b))
	})
}

// The digest goes into golden files, so its bytes must not change.
func TestTheDigestHasTheDocumentedBytes(t *testing.T) {
	t.Parallel()
	g := NewGraph()
	a, b := g.AddState([]byte("a"), true), g.AddState([]byte("b"), false)
	g.AddEdge(a, b, "Go(1)")
	sumA, sumB := sha256.Sum256([]byte("a")), sha256.Sum256([]byte("b"))
	states := []string{string(sumA[:16]) + "\x01", string(sumB[:16]) + "\x00"}
	slices.Sort(states)
	edge := sha256.Sum256([]byte(string(sumA[:16]) + string(sumB[:16]) + "Go(1)"))
	text := "states\x02\x00\x00\x00\x00\x00\x00\x00" + strings.Join(states, "") +
		"edges\x01\x00\x00\x00\x00\x00\x00\x00" + string(edge[:])
	want := sha256.Sum256([]byte(text))
	assert.Equal(t, hex.EncodeToString(want[:]), g.Digest())
	assert.Equal(t, hex.EncodeToString(sumA[:16]), a.String())
}

func TestGraphOfAgreesWithTheMaze(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		z := drawMaze(t, 10, 30)
		g, err := GraphOf(context.Background(), z.model(false), 0)
		require.NoError(t, err)
		require.NoError(t, g.Validate())
		want := NewGraph()
		text := func(s int) []byte { return fmt.Appendf(nil, `["s":%d]`, s) }
		for s, depth := range z.depths() {
			if depth == 0 {
				continue
			}
			from := want.AddState(text(s), slices.Contains(z.initial, s))
			for _, a := range z.out[s] {
				want.AddEdge(from, stateID(text(a.to)), a.action.String())
			}
		}
		require.Nil(t, Compare(want, g))
		require.Equal(t, want.Digest(), g.Digest())
	})
}

func TestGraphOfKnownSystems(t *testing.T) {
	t.Parallel()
	g, err := GraphOf(t.Context(), jugs(), 16)
	require.NoError(t, err)
	states, edges, perAction := g.Counts()
	assert.Equal(t, 16, states)
	assert.Equal(t, 96, edges)
	assert.Equal(t, 16, perAction["BigToSmall"])
	assert.Equal(t, "cca7194b3b81aec4be83d702683505d14c0b28e61e1841da0d9392a4907af966", g.Digest())

	_, err = GraphOf(t.Context(), jugs(), 15)
	require.ErrorIs(t, err, ErrTooLarge)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = GraphOf(canceled, jugs(), 0)
	require.ErrorIs(t, err, context.Canceled)
	m := jugs()
	m.Canonical = func(dst []byte, s jugsState) []byte { return fmt.Append(dst, s.small) }
	_, err = GraphOf(t.Context(), m, 0)
	require.ErrorContains(t, err, "different keys and the same canonical text")
	m.Canonical = nil
	_, err = GraphOf(t.Context(), m, 0)
	require.ErrorContains(t, err, "Canonical is nil")
}

func TestValidateFindsWhatWasForgotten(t *testing.T) {
	t.Parallel()
	g := NewGraph()
	a := g.AddState([]byte("a"), false)
	require.ErrorContains(t, g.Validate(), "no initial state")
	g.AddState([]byte("a"), true)
	require.NoError(t, g.Validate())
	g.AddEdge(a, stateID([]byte("b")), "Go(1)")
	require.ErrorContains(t, g.Validate(), "edge Go(1)")
}

// A mutant of the model against the model: where does it show first, and in which
// actions?
func TestCompareShowsTheNearestDifference(t *testing.T) {
	t.Parallel()
	build := func(hasty bool) *Graph {
		g := NewGraph()
		g.KeepText()
		require.NoError(t, AddModel(t.Context(), g, twoPhase(3, hasty), 0))
		return g
	}
	clean, hasty := build(false), build(true)
	require.Nil(t, Compare(clean, build(false)))
	d := Compare(clean, hasty)
	require.NotNil(t, d)
	assert.Zero(t, d.A.States)
	assert.Empty(t, d.A.Edges)
	assert.Nil(t, d.A.State)
	assert.Positive(t, d.B.States)
	assert.Positive(t, d.B.Edges["ManagerCommit"])
	// Two prepare, both are heard, and the manager commits without the third.
	require.NotNil(t, d.B.State)
	assert.Len(t, d.B.State.Path, 5)
	assert.Contains(t, d.B.State.Text, "[1 1 0]")
	require.NotNil(t, d.B.Edge)
	assert.Equal(t, "ManagerCommit", d.B.Edge.Label)
	assert.Len(t, d.B.Edge.Path, 4)
	assert.NotEmpty(t, d.B.Edge.FromText)
	assert.Contains(t, d.String(), "only in A: 0 states, 0 initial marks, 0 edges\n")
	assert.Contains(t, d.String(), "edge ManagerCommit from ")
}

func TestCompareOfGraphsBuiltByHand(t *testing.T) {
	t.Parallel()
	build := func(bInitial bool) *Graph {
		g := NewGraph()
		g.KeepText()
		g.AddState([]byte("a"), true)
		g.AddState([]byte("b"), bInitial)
		return g
	}
	t.Run("a state that is initial in one of them only", func(t *testing.T) {
		t.Parallel()
		d := Compare(build(false), build(true))
		require.NotNil(t, d)
		assert.Equal(t, Only{Edges: map[string]int{}}, d.A)
		assert.Equal(t, Only{Initial: 1, Edges: map[string]int{}}, d.B)
	})
	t.Run("once initial, always initial", func(t *testing.T) {
		t.Parallel()
		twice := build(true)
		twice.AddState([]byte("b"), false)
		assert.Nil(t, Compare(build(true), twice))
	})
	t.Run("states without a path come after those with one", func(t *testing.T) {
		t.Parallel()
		more := build(false)
		a := more.AddState([]byte("a"), true)
		for i := range 8 { // Whatever the order of the ids, c is the nearest.
			more.AddState([]byte{'z', byte('0' + i)}, false)
		}
		more.AddEdge(a, more.AddState([]byte("c"), false), "Go(1)")
		d := Compare(more, build(false))
		require.NotNil(t, d)
		assert.Equal(t, 9, d.A.States)
		assert.Equal(t, &StateExample{ID: stateID([]byte("c")), Path: []string{"Go(1)"}, Text: "c"},
			d.A.State)
		assert.Equal(t, map[string]int{"Go": 1}, d.A.Edges)
		assert.Equal(t, &EdgeExample{
			Label: "Go(1)", From: a, To: stateID([]byte("c")),
			Path: []string{}, FromText: "a", ToText: "c",
		}, d.A.Edge)
		assert.Equal(t, fmt.Sprintf("only in A: 9 states, 0 initial marks, 1 edges (Go 1)\n"+
			"  state %s after Go(1)\n    state: c\n"+
			"  edge Go(1) from %s to %s after no step\n    from: a\n    to: c\n"+
			"only in B: 0 states, 0 initial marks, 0 edges\n", d.A.State.ID, a, d.A.State.ID), d.String())
	})
}
