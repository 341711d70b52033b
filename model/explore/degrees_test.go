package explore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDegreesAreThoseOfTheExpandedStates(t *testing.T) {
	t.Parallel()
	assert.Equal(t, Degrees{}, degreesOf(nil), "no state was expanded")
	assert.Equal(t, Degrees{Min: 0, Max: 3, Mean: 1.5, Percentile95: 3, Final: 2},
		degreesOf([]int{2, 0, 0, 2}))
	assert.Equal(t, 1, degreesOf([]int{0, 95, 5}).Percentile95)
	assert.Equal(t, 2, degreesOf([]int{0, 94, 6}).Percentile95)
	r, err := Check(t.Context(), jugs(), Options{})
	require.NoError(t, err)
	assert.Equal(t, Degrees{Min: 6, Max: 6, Mean: 6, Percentile95: 6}, r.Degrees)
	for _, workers := range []int{1, 3} {
		r, err := Check(t.Context(), twoPhase(4, false), Options{Workers: workers})
		require.NoError(t, err)
		assert.InDelta(t, float64(r.Transitions), r.Degrees.Mean*float64(r.Distinct), 1e-6)
		assert.Positive(t, r.Degrees.Max)
	}
}

func TestAStateCostsAtMost64BytesBesideItself(t *testing.T) {
	t.Parallel()
	for _, n := range []int{5, 6} {
		r, err := Check(t.Context(), twoPhase(n, false), Options{})
		require.NoError(t, err)
		require.Greater(t, r.Distinct, 8000)
		assert.LessOrEqual(t, r.OverheadPerState, 64.0)
		assert.Greater(t, r.BytesPerState, r.OverheadPerState)
	}
}
