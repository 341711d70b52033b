package explore

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCoverTakesEveryEdge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		z := drawMaze(t, 12, 40)
		paths, err := Cover(context.Background(), z.model(false), 0)
		require.NoError(t, err)
		type taken struct {
			from int
			by   arrow
		}
		covered := map[taken]bool{}
		visited := map[int]bool{}
		for _, path := range paths {
			require.True(t, z.isPath(path))
			useful := !visited[path[0].State]
			visited[path[0].State] = true
			for i, step := range path[1:] {
				e := taken{path[i].State, arrow{step.Action, step.State}}
				useful = useful || !covered[e]
				covered[e], visited[step.State] = true, true
			}
			require.True(t, useful, "a path that covers nothing new")
		}
		for s, depth := range z.depths() {
			require.Equal(t, depth > 0, visited[s])
			if depth == 0 {
				continue
			}
			for _, a := range z.out[s] {
				require.True(t, covered[taken{s, a}], "nobody took %v out of %d", a, s)
			}
		}
		again, err := Cover(context.Background(), z.model(false), 0)
		require.NoError(t, err)
		require.Equal(t, paths, again)
	})
}

func TestCoverOfAKnownSystem(t *testing.T) {
	t.Parallel()
	m := twoPhase(3, false)
	g, err := GraphOf(t.Context(), m, 0)
	require.NoError(t, err)
	_, edges, _ := g.Counts()
	covered := NewGraph()
	steps := 0
	err = EachCover(t.Context(), m, 288, func(path []Step[twoPhaseState, label]) error {
		from := covered.AddState(m.Canonical(nil, path[0].State), true)
		for _, step := range path[1:] {
			to := covered.AddState(m.Canonical(nil, step.State), false)
			covered.AddEdge(from, to, step.Action.String())
			from = to
		}
		steps += len(path) - 1
		return nil
	})
	require.NoError(t, err)
	assert.Nil(t, Compare(g, covered))
	assert.Less(t, steps, 8*edges, "the cover repeats itself too much")

	_, err = Cover(t.Context(), m, 287)
	require.ErrorIs(t, err, ErrTooLarge)
	enough := errors.New("enough")
	err = EachCover(t.Context(), m, 0, func([]Step[twoPhaseState, label]) error { return enough })
	require.ErrorIs(t, err, enough)
}

// scripted gives out the numbers that it was told to.
type scripted struct {
	draws, asked []int
}

func (s *scripted) IntN(n int) int {
	s.asked = append(s.asked, n)
	draw := s.draws[0]
	s.draws = s.draws[1:]
	return draw
}

func TestWalk(t *testing.T) {
	t.Parallel()
	t.Run("takes steps of the model, the same ones for the same seed", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			z := drawMaze(t, 12, 40)
			seed, steps := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 30).Draw(t, "steps")
			path := Walk(z.model(false), seeded(seed), steps, nil)
			require.True(t, z.isPath(path))
			require.LessOrEqual(t, len(path), steps+1)
			if len(path) <= steps {
				require.Empty(t, z.out[path[len(path)-1].State], "the walk stopped early")
			}
			require.Equal(t, path, Walk(z.model(false), seeded(seed), steps, nil))
		})
	})
	t.Run("weights decide how often an action is taken", func(t *testing.T) {
		t.Parallel()
		counts := map[string]int{}
		path := Walk(doubling(), seeded(7), 40, func(a label) int {
			return map[string]int{"Left": 9, "Right": 1}[a.name]
		})
		for _, step := range path[1:] {
			counts[step.Action.name]++
		}
		assert.Len(t, path, 41)
		assert.Greater(t, counts["Left"], 2*counts["Right"])
		assert.Positive(t, counts["Right"])
	})
	t.Run("each step replaces the choice with its share of the weights so far", func(t *testing.T) {
		t.Parallel()
		weight := func(a label) int { return map[string]int{"Left": 3, "Right": 2}[a.name] }
		for draw, want := range map[int]uint64{0: 3, 1: 3, 2: 2, 4: 2} {
			random := &scripted{draws: []int{0, 0, draw}} // Initial state, Left of 3, Right of 5.
			path := Walk(doubling(), random, 1, weight)
			assert.Equal(t, want, path[1].State, "draw %d", draw)
			assert.Equal(t, []int{1, 3, 5}, random.asked)
		}
	})
	t.Run("an action without weight is never taken", func(t *testing.T) {
		t.Parallel()
		path := Walk(jugs(), seeded(7), 50, func(a label) int {
			return map[string]int{"FillSmall": 1, "SmallToBig": 1}[a.name]
		})
		for _, step := range path[1:] {
			assert.Contains(t, []string{"FillSmall", "SmallToBig"}, step.Action.name)
		}
		assert.Len(t, Walk(jugs(), seeded(7), 50, func(label) int { return 0 }), 1)
	})
}
