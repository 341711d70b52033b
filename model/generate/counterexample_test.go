package generate

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// The event that the correct protocol refuses is the one in which the defect shows.
func TestCounterexamplesAreRefusedWhereTheDefectShows(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mutant   vsr.Mutant
		config   vsr.Config
		violates string
		events   int
		action   string // Of the refused event; empty if every step is legal.
	}{
		{
			vsr.StallIsPipeline, bound(1, 1, 0, vsr.WalkAndPipeline), "PipelineBacked", 11,
			traces.ActionStallTruncate,
		},
		{
			vsr.WalkTakesPipeline, bound(1, 1, 0, vsr.WalkAndPipeline), "PipelineAhead", 11,
			traces.ActionWalkExecute,
		},
		{vsr.NarrowRepair, bound(1, 1, 1, vsr.Walk), "NoStall", 10, ""},
		{vsr.VolatileView, bound(1, 1, 1, vsr.Walk), "AckedDurable", 13, traces.ActionRestart},
		{vsr.SendFirst, bound(1, 1, 1, vsr.Walk), "AckedDurable", 13, traces.ActionRestart},
		{
			vsr.NoNonce, bound(1, 1, 1, vsr.Walk), "PrepareOKBacked", 11,
			traces.ActionReceiveStartView,
		},
		{
			vsr.StartHollow, bound(1, 1, 0, vsr.Walk), "PipelineBacked", 7,
			traces.ActionBecomePrimary,
		},
		{
			vsr.SameViewSV, bound(1, 1, 0, vsr.Walk), "PrepareOKBacked", 10,
			traces.ActionReceiveStartView,
		},
		{
			vsr.DVCDropsHollow, bound(1, 2, 0, vsr.Walk), "AckedDurable", 17,
			traces.ActionMergeVotes,
		},
	} {
		t.Run(tc.mutant.String(), func(t *testing.T) {
			t.Parallel()
			c := tc.config
			c.Bugs = vsr.MutantSet(tc.mutant)
			m := vsr.Model(c)
			m.Sometimes = nil
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			trace, err := Counterexample(c, result.Violation, options)
			require.NoError(t, err)
			assert.Equal(t, tc.mutant.String(), trace.Header.Mutant)
			assert.Equal(t, tc.violates, trace.Header.Violates)
			require.Len(t, trace.Events, tc.events)
			if tc.action == "" {
				assert.Zero(t, trace.Header.RefusedAt)
				return
			}
			require.NotZero(t, trace.Header.RefusedAt)
			assert.Equal(t, tc.action, trace.Events[trace.Header.RefusedAt-1].Action)
		})
	}
}

// Without its bug, the same path is refused nowhere: refused_at is about the bug.
func TestLegalPathsAreRefusedNowhere(t *testing.T) {
	t.Parallel()
	for _, c := range []vsr.Config{
		bound(3, 3, 3, vsr.Walk), bound(3, 3, 3, vsr.WalkAndPipeline),
	} {
		for seed := range uint64(20) {
			path := explore.Walk(vsr.Model(c), newRandom(seed), 80, weight)
			trace := traceOf(c, options, path)
			require.Zero(t, refusedAt(c, path, trace.Events))
			// A state that the step does not lead to is refused at once.
			trace.Events[len(trace.Events)/2].After.CommitMin += 100
			require.Equal(t, len(trace.Events)/2+1, refusedAt(c, path, trace.Events))
		}
	}
}
