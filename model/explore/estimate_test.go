package explore

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoEstimateWhileGrowthDoesNotSlow(t *testing.T) {
	t.Parallel()
	assert.Zero(t, estimate(nil, 0))
	assert.Zero(t, estimate([]int{1, 2, 4}, 7), "too few levels")
	assert.Zero(t, estimate([]int{1, 2, 4, 8, 16}, 31), "steady growth")
	assert.Zero(t, estimate([]int{1, 2, 4, 16, 64}, 87), "growing growth")
	assert.Zero(t, estimate([]int{4, 8, 12, 0}, 24), "nothing is left")
}

func TestAnEstimateOfABellIsItsArea(t *testing.T) {
	t.Parallel()
	var sizes []int
	area, distinct := 0.0, 0
	for x := -30.0; x <= 30; x++ {
		area += 1e6 * math.Exp(-x*x/100)
	}
	for x := -30.0; x <= -5; x++ {
		sizes = append(sizes, int(1e6*math.Exp(-x*x/100)))
		distinct += sizes[len(sizes)-1]
	}
	assert.InEpsilon(t, area, float64(estimate(sizes, distinct)), 0.05)
}

func TestProgressEstimatesTheStates(t *testing.T) {
	t.Parallel()
	var seen []Progress
	r, err := Check(t.Context(), twoPhase(6, false), Options{
		Progress: func(p Progress) { seen = append(seen, p) },
	})
	require.NoError(t, err)
	require.Len(t, seen, r.Depth+1)
	half := 0
	for _, p := range seen {
		if p.Distinct > r.Distinct/2 && p.Queue > 0 {
			half++
			assert.Greater(t, p.Estimate, r.Distinct/2)
			assert.Less(t, p.Estimate, 2*r.Distinct)
		}
	}
	assert.Positive(t, half)
	assert.Zero(t, seen[0].Estimate)
}
