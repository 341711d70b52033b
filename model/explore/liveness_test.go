package explore

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// pushIsFair owes steps named Push, a class for each argument, and no step named Pull.
func pushIsFair() Fairness[int, label] {
	return Fairness[int, label]{
		Classes: []string{"Push(0)", "Push(1)"},
		Class: func(_ int, a label) int {
			if a.name != "Push" {
				return -1
			}
			return a.a
		},
	}
}

// leadsTo is a property of mazes by the lists of states.
func leadsTo(from, to []bool) LeadsTo[int] {
	return LeadsTo[int]{
		Name: "L", From: func(s int) bool { return from[s] }, To: func(s int) bool { return to[s] },
	}
}

// liveByDefinition is the reference: some set of states without To, strongly connected
// by its own edges or a single state, is fair and can be reached from a state with From
// through states without To. It tries every set.
func liveByDefinition(z maze, fair Fairness[int, label], p LeadsTo[int]) bool {
	depth := z.depths()
	for set := 1; set < 1<<len(z.out); set++ {
		in := func(s int) bool { return set>>s&1 != 0 }
		if z.connected(in) && z.fairSet(in, fair) && !z.someIn(in, p.To) &&
			z.reachedOpen(in, p, depth) {
			return false
		}
	}
	return true
}

func (z maze) someIn(in, holds func(int) bool) bool {
	for s := range z.out {
		if in(s) && holds(s) {
			return true
		}
	}
	return false
}

// closure is what can be reached from states by edges into states that may be entered.
func (z maze) closure(start []int, may func(int) bool) []bool {
	seen := make([]bool, len(z.out))
	for _, s := range start {
		seen[s] = true
	}
	for changed := true; changed; {
		changed = false
		for s, out := range z.out {
			for _, a := range out {
				if seen[s] && may(a.to) && !seen[a.to] {
					seen[a.to], changed = true, true
				}
			}
		}
	}
	return seen
}

// connected tells whether each state of the set reaches each other one inside of it.
func (z maze) connected(in func(int) bool) bool {
	for s := range z.out {
		if !in(s) {
			continue
		}
		seen := z.closure([]int{s}, in)
		for t := range z.out {
			if in(t) && !seen[t] {
				return false
			}
		}
	}
	return true
}

// fairSet tells whether a behaviour may visit just this set for ever.
func (z maze) fairSet(in func(int) bool, fair Fairness[int, label]) bool {
	for class := range fair.Classes {
		satisfied := false
		for s, out := range z.out {
			if !in(s) {
				continue
			}
			possible := false
			for _, a := range out {
				if a.to != s && fair.Class(s, a.action) == class {
					possible = true
					satisfied = satisfied || in(a.to)
				}
			}
			satisfied = satisfied || !possible
		}
		if !satisfied {
			return false
		}
	}
	return true
}

// reachedOpen tells whether the set can be reached while something is owed.
func (z maze) reachedOpen(in func(int) bool, p LeadsTo[int], depth []int) bool {
	open := func(s int) bool { return !p.To(s) }
	for s := range z.out {
		if depth[s] == 0 || !p.From(s) || !open(s) {
			continue
		}
		if seen := z.closure([]int{s}, open); z.someIn(in, func(t int) bool { return seen[t] }) {
			return true
		}
	}
	return false
}

func TestLivenessAgreesWithTheDefinition(t *testing.T) {
	t.Parallel()
	broken := 0
	rapid.Check(t, func(t *rapid.T) {
		z := drawMaze(t, 7, 14)
		flags := func(name string) []bool {
			return rapid.SliceOfN(rapid.Bool(), len(z.out), len(z.out)).Draw(t, name)
		}
		p := leadsTo(flags("from"), flags("to"))
		fair := pushIsFair()
		found, err := CheckLiveness(context.Background(), z.model(false), fair, []LeadsTo[int]{p}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if live := liveByDefinition(z, fair, p); live != (found.Violation == nil) {
			t.Fatalf("by definition %v, found %+v", live, found.Violation)
		}
		if found.Violation != nil {
			broken++
			if reason := z.notFairLasso(found.Violation, fair, p); reason != "" {
				t.Fatalf("%s: %+v", reason, found.Violation)
			}
		}
	})
	assert.Positive(t, broken)
}

// notFairLasso says why a violation is none, "" if it is one.
func (z maze) notFairLasso(
	v *LivenessViolation[int, label], fair Fairness[int, label], p LeadsTo[int],
) string {
	end := v.Path[len(v.Path)-1]
	if !z.isPath(v.Path) {
		return "the path is none"
	}
	owed := false
	for _, step := range v.Path {
		owed = !p.To(step.State) && (owed || p.From(step.State))
	}
	if !owed {
		return "nothing is owed at the end of the path"
	}
	visited := []int{end.State}
	at := end.State
	for _, step := range v.Cycle {
		if !slices.Contains(z.out[at], arrow{step.Action, step.State}) {
			return "the cycle follows no edges"
		}
		at = step.State
		visited = append(visited, at)
	}
	if at != end.State {
		return "the cycle does not close"
	}
	in := func(s int) bool { return slices.Contains(visited, s) }
	if z.someIn(in, p.To) {
		return "To holds in the cycle"
	}
	if !z.fairCycle(v.Cycle, end.State, fair) {
		return "the cycle is not fair"
	}
	return ""
}

// fairCycle tells whether each class has a step in the cycle, or a state of it where it
// is not possible.
func (z maze) fairCycle(cycle []Step[int, label], start int, fair Fairness[int, label]) bool {
	for class := range fair.Classes {
		satisfied, at := false, start
		for i := range len(cycle) + 1 {
			possible := false
			for _, a := range z.out[at] {
				possible = possible || a.to != at && fair.Class(at, a.action) == class
			}
			satisfied = satisfied || !possible
			if i < len(cycle) {
				step := cycle[i]
				satisfied = satisfied || at != step.State && fair.Class(at, step.Action) == class
				at = step.State
			}
		}
		if !satisfied {
			return false
		}
	}
	return true
}

func TestFairCycleIsFoundIfAndOnlyIfThereIsOne(t *testing.T) {
	t.Parallel()
	cycles := 0
	rapid.Check(t, func(t *rapid.T) {
		z := drawMaze(t, 7, 14)
		fair := pushIsFair()
		cycle, err := FairCycle(context.Background(), z.model(false), fair, 0)
		if err != nil {
			t.Fatal(err)
		}
		pushes := maze{initial: z.initial, out: make([][]arrow, len(z.out))}
		for s, out := range z.out {
			for _, a := range out {
				if fair.Class(s, a.action) >= 0 && a.to != s {
					pushes.out[s] = append(pushes.out[s], a)
				}
			}
		}
		exists := false
		for s, d := range z.depths() {
			for _, a := range pushes.out[s] {
				back := pushes.closure([]int{a.to}, func(int) bool { return true })
				exists = exists || d > 0 && back[s]
			}
		}
		if exists != (cycle != nil) {
			t.Fatalf("there is one: %v, found %v", exists, cycle)
		}
		if cycle == nil {
			return
		}
		cycles++
		at := cycle[len(cycle)-1].State
		for _, step := range cycle {
			if !slices.Contains(pushes.out[at], arrow{step.Action, step.State}) {
				t.Fatalf("%v is no cycle", cycle)
			}
			at = step.State
		}
	})
	assert.Positive(t, cycles)
}

// Two switches that a lazy or a busy system never sets, and what fairness owes.
func TestLivenessUnderWeakFairness(t *testing.T) {
	t.Parallel()
	push := func(class, to int) arrow { return arrow{label{"Push", 1, class, 0}, to} }
	pull := func(to int) arrow { return arrow{label{"Pull", 1, 0, 0}, to} }
	goal := func(n, s int) []bool {
		flags := make([]bool, n)
		flags[s] = true
		return flags
	}
	for name, tc := range map[string]struct {
		out   [][]arrow
		path  int // States of the path of the violation; 0: none.
		cycle int // Steps of its cycle.
	}{
		"a step that stays possible is taken": {
			out: [][]arrow{{push(0, 1)}, {}}, path: 0,
		},
		"a step that nobody owes may never come": {
			out: [][]arrow{{pull(1)}, {}}, path: 1,
		},
		"a busy class does not excuse another": {
			out: [][]arrow{{push(0, 2), push(1, 1)}, {}, {push(0, 0), push(1, 1)}}, path: 0,
		},
		"a step that is possible now and then may never come": {
			out: [][]arrow{{push(0, 2), push(1, 1)}, {}, {push(0, 0)}}, path: 1, cycle: 2,
		},
		"a step that changes nothing is none": {
			out: [][]arrow{{push(0, 0), pull(1)}, {}}, path: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			z := maze{initial: []int{0}, out: tc.out}
			n := len(tc.out)
			found, err := CheckLiveness(context.Background(), z.model(false), pushIsFair(),
				[]LeadsTo[int]{leadsTo(goal(n, 0), goal(n, 1))}, 0)
			require.NoError(t, err)
			assert.Equal(t, n, found.Distinct)
			assert.Positive(t, found.Pending)
			if tc.path == 0 {
				assert.Nil(t, found.Violation)
				return
			}
			require.NotNil(t, found.Violation)
			assert.Len(t, found.Violation.Path, tc.path)
			assert.Len(t, found.Violation.Cycle, tc.cycle, fmt.Sprint(found.Violation.Cycle))
		})
	}
}

func TestLivenessRefusesAGraphThatIsTooLarge(t *testing.T) {
	t.Parallel()
	z := largeMaze(1, 100, 500)
	_, err := CheckLiveness(context.Background(), z.model(false), pushIsFair(), nil, 10)
	require.ErrorIs(t, err, ErrTooLarge)
	_, err = FairCycle(context.Background(), z.model(false), pushIsFair(), 10)
	require.ErrorIs(t, err, ErrTooLarge)
}
