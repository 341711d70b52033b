package explore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"
)

// maze is an arbitrary small graph whose states are numbers: the model for
// comparisons with a reference that is too simple to be wrong.
type maze struct {
	initial []int
	out     [][]arrow
	bad     [][]bool // By property, by state: the property fails there.
}

type arrow struct {
	action label
	to     int
}

// drawMaze draws a maze of at most states states and edges edges.
func drawMaze(t *rapid.T, states, edges int) maze {
	n := rapid.IntRange(1, states).Draw(t, "states")
	state := rapid.IntRange(0, n-1)
	z := maze{out: make([][]arrow, n), bad: [][]bool{make([]bool, n), make([]bool, n)}}
	z.initial = rapid.SliceOfN(state, 1, 3).Draw(t, "initial")
	for range rapid.IntRange(0, edges).Draw(t, "edges") {
		from := state.Draw(t, "from")
		z.out[from] = append(z.out[from], arrow{
			label{
				name: rapid.SampledFrom([]string{"Push", "Pull"}).Draw(t, "name"), args: 1,
				a: rapid.IntRange(0, 1).Draw(t, "a"),
			}, state.Draw(t, "to"),
		})
	}
	for _, bad := range z.bad {
		for range rapid.IntRange(0, 2).Draw(t, "bad states") {
			bad[state.Draw(t, "bad")] = true
		}
	}
	return z
}

// seeded is a source of random numbers that gives the same ones each time.
func seeded(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 1)) //nolint:forbidigo // The one constructor, seeded.
}

// largeMaze is a maze with levels of several chunks, made from a seed.
func largeMaze(seed uint64, n, edges int) maze {
	random := seeded(seed)
	z := maze{
		initial: []int{0, 1}, out: make([][]arrow, n),
		bad: [][]bool{make([]bool, n), make([]bool, n)},
	}
	for range edges {
		from := random.IntN(n)
		z.out[from] = append(z.out[from], arrow{
			label{name: "Go", args: 1, a: random.IntN(3)},
			random.IntN(n),
		})
	}
	for _, bad := range z.bad {
		for range 1 + n/20 { // Enough that one level has several.
			bad[random.IntN(n)] = true
		}
	}
	return z
}

func mazeKey(dst []byte, s int) []byte { return binary.BigEndian.AppendUint16(dst, uint16(s)) }

func mazeFingerprint(s int) uint64 { return xxh3.Hash(mazeKey(nil, s)) }

// model turns the maze into a model, with its properties if it is asked to.
func (z maze) model(properties bool) Model[int, label] {
	m := Model[int, label]{
		Name: "maze",
		Init: func() []int { return z.initial },
		Next: func(s int, yield func(label, int)) {
			for _, a := range z.out[s] {
				yield(a.action, a.to)
			}
		},
		Key:       mazeKey,
		Canonical: func(dst []byte, s int) []byte { return fmt.Appendf(dst, `["s":%d]`, s) },
		Format:    func(s int) []string { return []string{fmt.Sprintf("s = %d", s)} },
	}
	if properties {
		for i, bad := range z.bad {
			m.Always = append(m.Always, Property[int]{
				Name: fmt.Sprintf("P%d", i),
				Check: func(s int) error {
					if bad[s] {
						return errors.New("bad")
					}
					return nil
				},
			})
		}
	}
	return m
}

// depths is the reference: the depth of each state, 0 for those that cannot be
// reached, by relaxing every edge until nothing changes.
func (z maze) depths() []int {
	depth := make([]int, len(z.out))
	for _, s := range z.initial {
		depth[s] = 1
	}
	for changed := true; changed; {
		changed = false
		for s, out := range z.out {
			for _, a := range out {
				if depth[s] > 0 && (depth[a.to] == 0 || depth[a.to] > depth[s]+1) {
					depth[a.to], changed = depth[s]+1, true
				}
			}
		}
	}
	return depth
}

// counts is the reference for a search that knows the states down to depth last
// and has expanded those above it; last 0: everything.
func (z maze) counts(last int) (distinct, transitions, deepest int) {
	for s, d := range z.depths() {
		if d == 0 || last > 0 && d > last {
			continue
		}
		distinct++
		deepest = max(deepest, d)
		if last == 0 || d < last {
			transitions += len(z.out[s])
		}
	}
	return distinct, transitions, deepest
}

// firstViolation is the reference for the choice among violations: the smallest
// depth, then property, then key. ok is false if no property can be broken.
func (z maze) firstViolation() (property, state, depth int, ok bool) {
	for s, d := range z.depths() {
		for p, bad := range z.bad {
			if d > 0 && bad[s] &&
				(!ok || slices.Compare([]int{d, p, s}, []int{depth, property, state}) < 0) {
				property, state, depth, ok = p, s, d, true
			}
		}
	}
	return property, state, depth, ok
}

// chosenPath is the reference for the choice among shortest paths: backwards, the
// predecessor of smallest fingerprint, and of its steps the first.
func (z maze) chosenPath(state int) []Step[int, label] {
	depth := z.depths()
	path := []Step[int, label]{}
	for depth[state] > 1 {
		best, action := -1, label{}
		for s, out := range z.out {
			i := slices.IndexFunc(out, func(a arrow) bool { return a.to == state })
			if depth[s] == depth[state]-1 && i >= 0 &&
				(best < 0 || mazeFingerprint(s) < mazeFingerprint(best)) {
				best, action = s, out[i].action
			}
		}
		path = append(path, Step[int, label]{Action: action, State: state})
		state = best
	}
	path = append(path, Step[int, label]{State: state})
	slices.Reverse(path)
	return path
}

// isPath tells whether path starts in an initial state and follows the edges.
func (z maze) isPath(path []Step[int, label]) bool {
	if len(path) == 0 || !slices.Contains(z.initial, path[0].State) || path[0].Action != (label{}) {
		return false
	}
	for i, step := range path[1:] {
		if !slices.Contains(z.out[path[i].State], arrow{step.Action, step.State}) {
			return false
		}
	}
	return true
}
