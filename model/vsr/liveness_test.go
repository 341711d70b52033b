package vsr

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
)

// NoStall says that a quiet state has left nothing undone. That is all of liveness only if
// every run of fair steps ends in one.
func TestFairStepsMakeNoCycle(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		bound(1, 1, 0, Walk), bound(1, 1, 0, WalkAndPipeline), bound(1, 1, 1, Walk),
		bound(1, 1, 1, WalkAndPipeline), bound(1, 2, 0, Walk), bound(1, 2, 0, WalkAndPipeline),
		bound(2, 1, 0, Walk), bound(2, 1, 0, WalkAndPipeline), lazy(bound(2, 1, 0, Walk)),
	} {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			cycle, err := explore.FairCycle(context.Background(), Model(c), Fairness(c), 0)
			require.NoError(t, err)
			assert.Empty(t, explore.Labels(cycle))
		})
	}
}

// ... and with same_view_sv they do: NoStall never sees the end that does not come.
func TestSameViewSVGoesRoundForEver(t *testing.T) {
	t.Parallel()
	c := with(bound(1, 1, 0, Walk), SameViewSV)
	cycle, err := explore.FairCycle(context.Background(), Model(c), Fairness(c), 0)
	require.NoError(t, err)
	require.NotEmpty(t, cycle)

	noStall, err := InvariantsNamed(c, "NoStall")
	require.NoError(t, err)
	m := Model(c)
	m.Always, m.Sometimes = noStall, nil
	result, err := explore.Check(context.Background(), m, explore.Options{})
	require.NoError(t, err)
	assert.Nil(t, result.Violation)
}

func TestLivenessHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		bound(1, 1, 0, Walk), bound(1, 1, 1, Walk), bound(1, 1, 1, WalkAndPipeline),
		lazy(bound(1, 1, 1, Walk)),
	} {
		found, err := explore.CheckLiveness(context.Background(), Model(c), Fairness(c), Liveness(c), 0)
		require.NoError(t, err)
		assert.Nil(t, found.Violation, c)
		assert.Greater(t, found.Pending, 100, c)
	}
}

// Where no fair steps go round, the shortest way to break a property ends in the very
// state that NoStall finds.
func TestMutantsBreakLiveness(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mutant   Mutant
		config   Config
		property string
		states   int
		stays    bool // The behaviour stays in its last state, which NoStall finds too.
	}{
		{CommitNumberNotSent, bound(1, 0, 0, Walk), "Progress", 6, true},
		{PrepareOKOnce, bound(1, 1, 0, Walk), "Progress", 12, true},
		{FillIsDuplicate, bound(1, 1, 0, Walk), "Progress", 14, true},
		{NarrowRepair, bound(1, 1, 1, Walk), "Progress", 11, true},
		{SameViewSV, bound(1, 1, 0, Walk), "Progress", 16, false},
		{JoinIsSilent, bound(1, 1, 0, Walk), "ViewChangeCompletes", 4, true},
		{RepairOnlyWhenNormal, bound(1, 1, 0, Walk), "ViewChangeCompletes", 9, true},
	} {
		t.Run(tc.mutant.String(), func(t *testing.T) {
			t.Parallel()
			c := with(tc.config, tc.mutant)
			found, err := explore.CheckLiveness(context.Background(), Model(c), Fairness(c),
				Liveness(c), 0)
			require.NoError(t, err)
			v := found.Violation
			require.NotNil(t, v)
			assert.Equal(t, tc.property, v.Property)
			assert.Len(t, v.Path, tc.states)
			last := v.Path[len(v.Path)-1].State
			assert.Equal(t, tc.stays, len(v.Cycle) == 0, explore.Labels(v.Cycle))
			assert.Equal(t, tc.stays, NoStall(&c, &last) != nil)
		})
	}
}
