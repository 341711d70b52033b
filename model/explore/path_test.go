package explore

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestModelsThatAreNotDeterministicAreCaught(t *testing.T) {
	t.Parallel()
	t.Run("Next yields its steps in another order each time", func(t *testing.T) {
		t.Parallel()
		m := jugs()
		next := m.Next
		var calls atomic.Int64
		m.Next = func(s jugsState, yield func(label, jugsState)) {
			var steps []Step[jugsState, label]
			next(s, func(a label, t jugsState) { steps = append(steps, Step[jugsState, label]{a, t}) })
			turn := int(calls.Add(1))
			for i := range steps {
				step := steps[(i+turn)%len(steps)]
				yield(step.Action, step.State)
			}
		}
		_, err := Check(t.Context(), m, Options{Workers: 1})
		require.ErrorIs(t, err, ErrNondeterministic, "a run without violation is checked as well")
		assert.ErrorContains(t, err, "leads to another state than before")
		m.Always = []Property[jugsState]{neverFour()}
		_, err = Check(t.Context(), m, Options{})
		require.ErrorIs(t, err, ErrNondeterministic)
		assert.ErrorContains(t, err, "map iteration order")
		assert.NotContains(t, err.Error(), "\n")
	})
	t.Run("Next has fewer steps the second time", func(t *testing.T) {
		t.Parallel()
		_, err := Check(t.Context(), doublingThatForgets(), Options{MaxDepth: 6})
		require.ErrorIs(t, err, ErrNondeterministic)
		assert.ErrorContains(t, err, "any more")
	})
	t.Run("Next writes to the state that it was given", func(t *testing.T) {
		t.Parallel()
		m := Model[[]byte, label]{
			Name: "overwriting",
			Init: func() [][]byte { return [][]byte{{0}} },
			Next: func(s []byte, yield func(label, []byte)) {
				yield(label{name: "Stay"}, append([]byte{}, s...))
				if s[0] < 9 {
					next := []byte{s[0] + 1}
					yield(label{name: "Add"}, next)
					next[0] = 77
				}
			},
			Key: func(dst, s []byte) []byte { return append(dst, s...) },
		}
		_, err := Check(t.Context(), m, Options{})
		require.ErrorIs(t, err, ErrNondeterministic)
		assert.ErrorContains(t, err, "key changed after the state was yielded")
	})
	t.Run("Init returns fewer states the second time", func(t *testing.T) {
		t.Parallel()
		m := jugs()
		var calls atomic.Int64
		m.Init = func() []jugsState {
			return []jugsState{{}, {0, 4}}[:max(1, 3-calls.Add(1))]
		}
		m.Always = []Property[jugsState]{neverFour()}
		_, err := Check(t.Context(), m, Options{})
		require.ErrorIs(t, err, ErrNondeterministic)
	})
	t.Run("a property fails once and then holds", func(t *testing.T) {
		t.Parallel()
		m := jugs()
		var calls atomic.Int64
		m.Always = []Property[jugsState]{{Name: "Moody", Check: func(jugsState) error {
			if calls.Add(1) == 1 {
				return errors.New("no")
			}
			return nil
		}}}
		_, err := Check(t.Context(), m, Options{})
		require.ErrorIs(t, err, ErrNondeterministic)
		assert.ErrorContains(t, err, "Moody")
	})
}

// doublingThatForgets yields no step at all from the second time on that it is
// asked about the first state.
func doublingThatForgets() Model[uint64, label] {
	m := doubling()
	next := m.Next
	var asked atomic.Bool
	m.Next = func(s uint64, yield func(label, uint64)) {
		if s != 1 || asked.CompareAndSwap(false, true) {
			next(s, yield)
		}
	}
	return m
}

func TestShortestTo(t *testing.T) {
	t.Parallel()
	t.Run("finds a shortest path, whatever the invariants", func(t *testing.T) {
		t.Parallel()
		m := jugs()
		m.Always = []Property[jugsState]{neverFour()}
		path, err := ShortestTo(t.Context(), m, func(s jugsState) bool { return s == jugsState{3, 4} },
			Options{})
		require.NoError(t, err)
		assert.Equal(t, jugsState{3, 4}, path[len(path)-1].State)
		assert.Len(t, path, 7)
	})
	t.Run("says that no state was missed", func(t *testing.T) {
		t.Parallel()
		_, err := ShortestTo(t.Context(), jugs(), func(s jugsState) bool { return s.big == 6 },
			Options{})
		require.ErrorIs(t, err, ErrUnreached)
		assert.ErrorContains(t, err, "among all 16")
	})
	t.Run("says that a bound ended the search", func(t *testing.T) {
		t.Parallel()
		_, err := ShortestTo(t.Context(), doubling(), func(s uint64) bool { return s == 0 },
			Options{MaxDepth: 3})
		require.ErrorIs(t, err, ErrUnreached)
		assert.ErrorContains(t, err, "bound")
	})
	t.Run("agrees with the reference on every reachable state", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			z := drawMaze(t, 8, 24)
			for s, depth := range z.depths() {
				path, err := ShortestTo(context.Background(), z.model(true),
					func(x int) bool { return x == s }, Options{Workers: 1})
				if depth == 0 {
					require.ErrorIs(t, err, ErrUnreached)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, z.chosenPath(s), path)
			}
		})
	})
}
