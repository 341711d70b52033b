package nodes_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/sim/nodes"
)

// A failing seed is shrunk to a run that fails in the same way with hardly anything in it, and
// whose command says so.
func TestAFailureIsShrunk(t *testing.T) {
	t.Parallel()
	options := nodes.Options{Seed: 3, Ticks: 800, Defects: replica.DefectExecuteTwice}
	first := run(t, options)
	require.False(t, first.Passed)
	runs := 0
	smallest, err := nodes.Shrink(t.Context(), options, func(n int) { runs = n })
	require.NoError(t, err)
	assert.Positive(t, runs)
	assert.Equal(t, first.Failure.Kind, smallest.Failure.Kind)
	assert.Empty(t, smallest.Chosen.Faults, "no fault is needed")
	assert.Equal(t, 1, smallest.Chosen.Groups)
	assert.Equal(t, 1, smallest.Chosen.Clients)
	assert.Equal(t, 1, smallest.Chosen.Replicas)
	assert.Less(t, smallest.HealedAt, 100)
	assert.True(t, strings.HasPrefix(smallest.Reproduce(),
		"viewstamp sim nodes --seeds 3..3 --ticks "), smallest.Reproduce())

	_, err = nodes.Shrink(t.Context(), nodes.Options{Seed: 3, Ticks: 100, Calm: true}, nil)
	require.ErrorIs(t, err, nodes.ErrPasses)
}
