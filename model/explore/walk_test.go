package explore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A walk towards a goal follows steps of the model, never stops short of its bound unless
// it is there or cannot go on, and says rightly whether it is there.
func TestAWalkTowardsAGoalFollowsTheModel(t *testing.T) {
	t.Parallel()
	m := twoPhase(4, false)
	rapid.Check(t, func(t *rapid.T) {
		random := seeded(rapid.Uint64().Draw(t, "seed"))
		steps := rapid.IntRange(0, 40).Draw(t, "steps")
		aim := rapid.Uint8Range(0, 4).Draw(t, "aim") // Nobody is ever 4.
		distance := func(s twoPhaseState) int {
			far := 0
			for _, r := range s.rm[:4] {
				if r != aim {
					far++
				}
			}
			return far
		}
		path, reached := WalkTowards(m, random, steps, distance)
		require.LessOrEqual(t, len(path), steps+1)
		require.Equal(t, distance(path[len(path)-1].State) == 0, reached)
		require.False(t, reached && aim == 4)
		if !reached {
			require.Len(t, path, steps+1)
		}
		for i := 1; i < len(path); i++ {
			require.NotZero(t, distance(path[i-1].State), "it went on beyond its goal")
			found := false
			m.Next(path[i-1].State, func(a label, s twoPhaseState) {
				found = found || a == path[i].Action && s == path[i].State
			})
			require.True(t, found)
		}
	})
}

// In a space where a blind walk is lost, distance leads there.
func TestDistanceLeadsWhereABlindWalkGetsLost(t *testing.T) {
	t.Parallel()
	line := Model[int, label]{
		Name: "line", Init: func() []int { return []int{0} },
		Next: func(s int, yield func(label, int)) {
			yield(label{name: "Left"}, s-1)
			yield(label{name: "Right"}, s+1)
		},
		Key: func(dst []byte, s int) []byte { return append(dst, byte(s), byte(s>>8)) },
	}
	walk := func(distance func(int) int) bool {
		_, reached := WalkTowards(line, seeded(3), 400, distance)
		return reached
	}
	assert.True(t, walk(func(s int) int { return max(0, 200-s) }))
	blind := seeded(3)
	for _, step := range Walk(line, blind, 400, nil) {
		assert.Less(t, step.State, 200)
	}
	nowhere := line
	nowhere.Next = func(int, func(label, int)) {}
	path, reached := WalkTowards(nowhere, blind, 9, func(int) int { return 1 })
	assert.False(t, reached)
	assert.Len(t, path, 1)
	nowhere.Init = func() []int { return nil }
	path, reached = WalkTowards(nowhere, blind, 9, func(int) int { return 0 })
	assert.False(t, reached)
	assert.Empty(t, path)
}
