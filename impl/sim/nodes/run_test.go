package nodes_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim/nodes"
)

func TestEverySeedIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	options := nodes.Options{Seed: 7, Ticks: 400}
	first, err := nodes.Run(options)
	require.NoError(t, err)
	again, err := nodes.Run(options)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	options.Seed++
	other, err := nodes.Run(options)
	require.NoError(t, err)
	assert.NotEqual(t, first.Digest, other.Digest)
}

func TestSeedsPass(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		result, err := nodes.Run(nodes.Options{Seed: seed, Ticks: 500})
		require.NoError(t, err)
		assert.True(t, result.Passed, result.String())
		t.Log(result.Features)
	}
}
