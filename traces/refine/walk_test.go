package refine

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

// beyond are bounds that no search could go through.
func beyond(defects vsr.Defects) Bounds {
	return Bounds{Replicas: 3, Requests: 12, Views: 8, Crashes: 6, Defects: defects}
}

func TestWalksGoBeyondTheSearchesAndTakeEveryAction(t *testing.T) {
	t.Parallel()
	r, err := Walk(context.Background(), beyond(0), 30, 1000)
	require.NoError(t, err)
	require.Empty(t, r.Reason, r.Story)
	require.Equal(t, 30, r.Walks)
	require.Greater(t, r.Steps, 30*50)
	require.Empty(t, r.Missing)
	again, err := Walk(context.Background(), beyond(0), 30, 1000)
	require.NoError(t, err)
	require.Equal(t, r, again, "the same seeds, the same walks")
}

func TestWalksFindDefectsOfTheCore(t *testing.T) {
	t.Parallel()
	for _, defect := range []vsr.Defects{
		vsr.DefectNarrowRepair, vsr.DefectVolatileView, vsr.DefectSendFirst, vsr.DefectStartHollow,
	} {
		r, err := Walk(context.Background(), beyond(defect), 30, 1000)
		require.NoError(t, err)
		require.NotEmpty(t, r.Reason)
		require.NotZero(t, r.Seed)
		require.Contains(t, r.Story, r.Reason)
	}
}

func TestWalksEndEarlyWithTheirContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Walk(ctx, beyond(0), 30, 1000)
	require.NoError(t, err)
	require.Zero(t, r.Walks)
}
