package explore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The counts are those that TLC and other checkers report for the same systems.
func TestKnownSystemsHaveTheirKnownCounts(t *testing.T) {
	t.Parallel()
	t.Run("jugs", func(t *testing.T) {
		t.Parallel()
		r, err := Check(t.Context(), jugs(), Options{})
		require.NoError(t, err)
		assert.True(t, r.Complete)
		assert.Nil(t, r.Violation)
		assert.Equal(t, []int{16, 96, 8}, []int{r.Distinct, r.Transitions, r.Depth})
		for _, name := range []string{
			"FillSmall", "FillBig", "EmptySmall", "EmptyBig",
			"SmallToBig", "BigToSmall",
		} {
			assert.Equal(t, 16, r.Actions[name], name)
		}
		assert.Len(t, r.Actions, 6)
		assert.InDelta(t, 16*15/0x1p65, r.CollisionEstimate, 1e-24)
		assert.Positive(t, r.BytesPerState)
	})
	for n, want := range map[int][3]int{3: {288, 1145, 11}, 5: {8832, 58145, 17}} {
		t.Run(fmt.Sprintf("two-phase commit of %d", n), func(t *testing.T) {
			t.Parallel()
			r, err := Check(t.Context(), twoPhase(n, false), Options{})
			require.NoError(t, err)
			assert.Equal(t, want, [3]int{r.Distinct, r.Transitions, r.Depth})
			assert.True(t, r.Complete)
			assert.Nil(t, r.Violation)
			assert.Equal(t, map[string]bool{"all committed": true, "all aborted": true}, r.Goals)
			assert.Empty(t, r.Unreached())
		})
	}
}

func TestBrokenInvariantsAreFoundOnAShortestPath(t *testing.T) {
	t.Parallel()
	t.Run("four units of water take six steps", func(t *testing.T) {
		t.Parallel()
		m := jugs()
		m.Always = []Property[jugsState]{neverFour()}
		r, err := Check(t.Context(), m, Options{})
		require.NoError(t, err)
		require.NotNil(t, r.Violation)
		assert.False(t, r.Complete)
		assert.Equal(t, "NeverFour", r.Violation.Property)
		assert.Equal(t, "the big jug holds 4", r.Violation.Reason)
		assert.Equal(t, []string{
			"FillBig", "BigToSmall", "EmptySmall", "BigToSmall", "FillBig",
			"BigToSmall",
		}, Labels(r.Violation.Path))
		assert.Equal(t, 7, r.Depth, "the violating level is the last")
	})
	t.Run("a manager that does not wait for the last one", func(t *testing.T) {
		t.Parallel()
		r, err := Check(t.Context(), twoPhase(3, true), Options{})
		require.NoError(t, err)
		require.NotNil(t, r.Violation)
		// Two prepare and are heard, the manager commits, one hears it, the third gives up.
		assert.Len(t, r.Violation.Path, 8)
		assert.Contains(t, r.Violation.Reason, "committed")
	})
	for n := 2; n <= 5; n++ {
		t.Run(fmt.Sprintf("%d philosophers starve after %d steps", n, n), func(t *testing.T) {
			t.Parallel()
			r, err := Check(t.Context(), dining(n), Options{})
			require.NoError(t, err)
			require.NotNil(t, r.Violation)
			assert.Len(t, r.Violation.Path, n+1)
		})
	}
	t.Run("an initial state can be the violation", func(t *testing.T) {
		t.Parallel()
		m := jugs()
		m.Init = func() []jugsState { return []jugsState{{}, {0, 4}} }
		m.Always = []Property[jugsState]{neverFour()}
		r, err := Check(t.Context(), m, Options{})
		require.NoError(t, err)
		require.NotNil(t, r.Violation)
		assert.Equal(t, []Step[jugsState, label]{{State: jugsState{0, 4}}}, r.Violation.Path)
		assert.Equal(t, 1, r.Depth)
	})
}

func TestAGoalThatNoStateReachesIsReported(t *testing.T) {
	t.Parallel()
	m := jugs()
	m.Sometimes = []Goal[jugsState]{
		{Name: "full", Reached: func(s jugsState) bool { return s == jugsState{3, 5} }},
		{Name: "six", Reached: func(s jugsState) bool { return s.big == 6 }},
	}
	r, err := Check(t.Context(), m, Options{})
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"full": true, "six": false}, r.Goals)
	assert.Equal(t, []string{"six"}, r.Unreached())
}

func TestAnInvariantMayRelyOnThoseBeforeIt(t *testing.T) {
	t.Parallel()
	m := jugs()
	m.Always = []Property[jugsState]{neverFour(), {Name: "NeverFull", Check: func(s jugsState) error {
		if s.big == 4 {
			return errors.New("evaluated although NeverFour failed")
		}
		return nil
	}}}
	evaluated := map[jugsState]int{}
	check := m.Always[0].Check
	m.Always[0].Check = func(s jugsState) error {
		evaluated[s]++
		return check(s)
	}
	second := m.Always[1].Check
	m.Always[1].Check = func(s jugsState) error {
		require.NoError(t, check(s))
		return second(s)
	}
	r, err := Check(t.Context(), m, Options{Workers: 1})
	require.NoError(t, err)
	require.NotNil(t, r.Violation)
	// Once per state, and once more when the counterexample is confirmed.
	assert.Len(t, evaluated, r.Distinct)
	for s, times := range evaluated {
		assert.Equal(t, s == r.Violation.Path[6].State, times == 2, "%v: %d times", s, times)
	}
}

func TestKeepGoingFindsOneViolationPerProperty(t *testing.T) {
	t.Parallel()
	reached := func(name string, want jugsState) Property[jugsState] {
		return Property[jugsState]{Name: name, Check: func(s jugsState) error {
			if s == want {
				return errors.New("reached")
			}
			return nil
		}}
	}
	m := jugs()
	m.Always = []Property[jugsState]{
		neverFour(), reached("NeverFull", jugsState{3, 5}),
		reached("NeverSix", jugsState{0, 6}),
	}
	r, err := Check(t.Context(), m, Options{KeepGoing: true})
	require.NoError(t, err)
	require.Len(t, r.Violations, 2)
	assert.Equal(t, "NeverFull", r.Violations[0].Property)
	assert.Len(t, r.Violations[0].Path, 3)
	assert.Equal(t, "NeverFour", r.Violations[1].Property)
	assert.Len(t, r.Violations[1].Path, 7)
	assert.Same(t, r.Violations[0], r.Violation)
	assert.Equal(t, 16, r.Distinct)
	assert.True(t, r.Complete, "NeverSix holds, so everything was searched")
}

// doubling is an infinite binary tree: levels of 1, 2, 4, ... states.
func doubling() Model[uint64, label] {
	return Model[uint64, label]{
		Name: "doubling",
		Init: func() []uint64 { return []uint64{1} },
		Next: func(s uint64, yield func(label, uint64)) {
			yield(label{name: "Left"}, 2*s)
			yield(label{name: "Right"}, 2*s+1)
		},
		Key: func(dst []byte, s uint64) []byte { return fmt.Appendf(dst, "%d", s) },
	}
}

func TestBoundedRunsSayThatTheyAreIncomplete(t *testing.T) {
	t.Parallel()
	t.Run("MaxDepth visits that depth and does not expand it", func(t *testing.T) {
		t.Parallel()
		r, err := Check(t.Context(), doubling(), Options{MaxDepth: 5})
		require.NoError(t, err)
		assert.Equal(t, []int{31, 30, 5}, []int{r.Distinct, r.Transitions, r.Depth})
		assert.False(t, r.Complete)
	})
	t.Run("MaxStates stops midway in a level", func(t *testing.T) {
		t.Parallel()
		r, err := Check(t.Context(), doubling(), Options{MaxStates: 20000})
		require.NoError(t, err)
		assert.False(t, r.Complete)
		// 16,383 states in 14 levels, then one block of the 8,192 that wait.
		assert.Equal(t, 16383+2*4096, r.Distinct)
	})
	t.Run("MaxStates stops at the same states for every number of workers", func(t *testing.T) {
		t.Parallel()
		m := doubling()
		next := m.Next
		m.Next = func(s uint64, yield func(label, uint64)) {
			if next(s, yield); s%3 == 0 { // Now it matters which states are expanded.
				yield(label{name: "Third"}, 1<<60+s)
			}
			if s%16 == 0 {
				runtime.Gosched() // So that every worker gets its turn.
			}
		}
		var results []*Result[uint64, label]
		for _, workers := range []int{1, 2, 4} {
			r, err := Check(t.Context(), m, Options{MaxStates: 20000, Workers: workers})
			require.NoError(t, err)
			r.CPUSeconds = 0
			results = append(results, r)
		}
		assert.False(t, results[0].Complete)
		assert.Equal(t, results[0], results[1])
		assert.Equal(t, results[0], results[2])
	})
	t.Run("a bound that is not reached changes nothing", func(t *testing.T) {
		t.Parallel()
		r, err := Check(t.Context(), twoPhase(5, false), Options{MaxStates: 9000, MaxDepth: 18})
		require.NoError(t, err)
		assert.Equal(t, 8832, r.Distinct)
		assert.True(t, r.Complete)
	})
	t.Run("the end of the context ends the search", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		last := Progress{}
		r, err := Check(ctx, doubling(), Options{Progress: func(p Progress) {
			if last = p; p.Depth == 6 {
				cancel()
			}
		}})
		require.NoError(t, err)
		assert.False(t, r.Complete)
		assert.Equal(t, 63, r.Distinct)
		assert.Equal(t, Progress{Depth: 6, Distinct: 63, Transitions: 62, Queue: 32}, last)
	})
}

func TestUnsoundModelsAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(m *Model[jugsState, label])
		want  string
	}{
		"no Init": {func(m *Model[jugsState, label]) { m.Init = nil }, "Init is nil"},
		"no Next": {func(m *Model[jugsState, label]) { m.Next = nil }, "Next is nil"},
		"no Key":  {func(m *Model[jugsState, label]) { m.Key = nil }, "Key is nil"},
		"no initial state": {func(m *Model[jugsState, label]) {
			m.Init = func() []jugsState { return nil }
		}, "no state"},
		"two properties of one name": {func(m *Model[jugsState, label]) {
			m.Always = []Property[jugsState]{neverFour(), neverFour()}
		}, `property 1 ("NeverFour")`},
		"a goal without a function": {func(m *Model[jugsState, label]) {
			m.Sometimes = []Goal[jugsState]{{Name: "full"}}
		}, `goal 0 ("full")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := jugs()
			tc.spoil(&m)
			_, err := Check(t.Context(), m, Options{})
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "\n")
			_, err = Cover(t.Context(), m, 0)
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// The same maze, searched in two ways: the engine, and a reference that only
// relaxes edges.
func TestCheckAgreesWithABruteForceSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		z := drawMaze(t, 12, 40)
		options := Options{Workers: rapid.IntRange(1, 3).Draw(t, "workers")}
		r, err := Check(context.Background(), z.model(false), options)
		require.NoError(t, err)
		distinct, transitions, depth := z.counts(0)
		require.Equal(t, []int{distinct, transitions, depth},
			[]int{r.Distinct, r.Transitions, r.Depth})
		require.True(t, r.Complete)

		r, err = Check(context.Background(), z.model(true), options)
		require.NoError(t, err)
		property, state, depth, broken := z.firstViolation()
		require.Equal(t, broken, r.Violation != nil)
		if !broken {
			return
		}
		require.Equal(t, fmt.Sprintf("P%d", property), r.Violation.Property)
		require.Equal(t, z.chosenPath(state), r.Violation.Path)
		require.Len(t, r.Violation.Path, depth)
		require.True(t, z.isPath(r.Violation.Path))
		require.Equal(t, []*Violation[int, label]{r.Violation}, r.Violations)
		distinct, transitions, _ = z.counts(depth)
		require.Equal(t, []int{distinct, transitions, depth},
			[]int{r.Distinct, r.Transitions, r.Depth})
	})
}

func TestTheNumberOfWorkersChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		z := largeMaze(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(2, 3000).Draw(t, "states"),
			rapid.IntRange(1, 6000).Draw(t, "edges"))
		m := z.model(rapid.Bool().Draw(t, "properties"))
		o := Options{
			KeepGoing: rapid.Bool().Draw(t, "keep going"),
			MaxStates: rapid.SampledFrom([]int{0, 0, 500}).Draw(t, "max states"),
		}
		var results []*Result[int, label]
		for _, workers := range []int{1, 4} {
			o.Workers = workers
			r, err := Check(context.Background(), m, o)
			require.NoError(t, err)
			r.CPUSeconds = 0
			results = append(results, r)
		}
		require.Equal(t, results[0], results[1])
	})
}

func TestOfManyViolationsTheSmallestKeyIsReported(t *testing.T) {
	t.Parallel()
	m := doubling()
	m.Always = []Property[uint64]{
		{Name: "Never", Check: func(uint64) error { return nil }},
		{Name: "Small", Check: func(s uint64) error {
			if s >= 8192 {
				return errors.New("large")
			}
			return nil
		}},
	}
	for _, workers := range []int{1, 4} {
		r, err := Check(t.Context(), m, Options{Workers: workers})
		require.NoError(t, err)
		require.NotNil(t, r.Violation)
		// Keys are decimal numbers, so of 8192..16383 the first in byte order is 10000.
		assert.Equal(t, uint64(10000), r.Violation.Path[13].State, "%d workers", workers)
	}
	// Which worker sees which state is up to the machine, so here by hand.
	for _, keys := range [][]string{{"b", "a", "c"}, {"a", "c", "b"}, {"c", "b", "a"}, {"a"}} {
		s := newSearch(m, Options{Workers: 4})
		for i, key := range keys {
			w := s.workers[i+1]
			w.key = []byte(key)
			w.blame(1, uint64(key[0]), errors.New(key))
		}
		s.closeViolations()
		require.Len(t, s.found, 1)
		assert.Equal(t, finding{property: 1, fp: 'a', reason: errors.New("a")}, s.found[0])
		s.closeViolations()
		assert.Len(t, s.found, 1, "a violation is collected once")
	}
}

func TestResultFitsInOneLine(t *testing.T) {
	t.Parallel()
	r, err := Check(t.Context(), twoPhase(3, true), Options{})
	require.NoError(t, err)
	line := r.String()
	assert.True(t, strings.HasPrefix(line, "two_phase_3: Consistent violated in 8 states; "), line)
	assert.NotContains(t, line, "\n")
	tree, err := Check(t.Context(), doubling(), Options{MaxDepth: 2})
	require.NoError(t, err)
	assert.Contains(t, tree.String(),
		"no violation, incomplete; 3 distinct states, 2 transitions, depth 2")
}
