package storage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces/storage"
)

func TestTheCodeFollowsEveryEdgeOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, b := range storage.Graphs() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			sum, err := storage.FollowEdges(t.Context(), b, storage.Production(), 1)
			require.NoError(t, err)
			t.Logf("%+v", sum)
			assert.Positive(t, sum.Edges)
			assert.Positive(t, sum.Discards)
			assert.Positive(t, sum.Doubts)
			assert.Equal(t, b.Config.MaxDamage > 0, sum.Refusals > 0)
		})
	}
}

func TestTheCodeFollowsSomePathsOfLargeGraphs(t *testing.T) {
	t.Parallel()
	for _, b := range storage.Deep() {
		sum, err := storage.FollowEdges(t.Context(), b, storage.Production(), 499)
		require.NoError(t, err)
		t.Logf("%+v", sum)
		assert.Positive(t, sum.Trusting)
	}
}

func TestTheCodeFollowsRandomWalks(t *testing.T) {
	t.Parallel()
	const walks = 100
	for _, b := range storage.Large() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			var sum storage.Counts
			for seed := range uint64(walks) {
				counts, err := storage.FollowWalk(b, storage.Production(), seed)
				require.NoError(t, err)
				sum.Add(counts)
			}
			t.Logf("%+v", sum)
			assert.Greater(t, sum.Recoveries, walks)
			assert.Greater(t, sum.Discards, walks/2)
			assert.Greater(t, sum.Doubts, walks/2)
		})
	}
}

// A step that the machine does not know is no step that it has followed.
func TestAMismatchSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	b := storage.Large()[0]
	machine, err := storage.NewMachine(b.Config, storage.Production())
	require.NoError(t, err)
	p := storage.Walk(b.Config, 1)
	for i := range p {
		p[i].State.BodiesWritten = 0
	}
	require.ErrorContains(t, machine.Follow(p), "is stored: model false, code <nil>")
}
