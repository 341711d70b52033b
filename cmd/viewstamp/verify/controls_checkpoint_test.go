package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
)

func TestEachWrongCheckpointIsMadeAndRejectedAtItsLine(t *testing.T) {
	t.Parallel()
	checks := controlCheckpoints(checkpointChanges, 1).Run(t.Context())
	require.Len(t, checks, 1)
	c := checks[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	assert.InDelta(t, len(checkpointChanges), c.Figures[FigureRejected], 0)
	assert.Positive(t, c.Figures[FigureTraces])
}

// The control can fail: by a change that is none, and by an event that no run has.
func TestAControlOfCheckpointsThatShowsNothingFails(t *testing.T) {
	t.Parallel()
	nothing := func(*traces.Event) {}
	for name, tc := range map[string]struct {
		change checkpointChange
		want   string
	}{
		"what stays right is accepted": {
			checkpointChange{"nothing", traces.EventTakeCheckpoint, nothing},
			"accepted, expected a rejection",
		},
		"what never happens is no evidence": {
			checkpointChange{"nothing", "NoSuchEvent", nothing}, "no NoSuchEvent in a recorded run",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := controlCheckpoints([]checkpointChange{tc.change}, 1).Run(t.Context())[0]
			require.Equal(t, Failed, c.Status)
			require.Contains(t, c.Reason, tc.want)
		})
	}
}

func TestAChangedCheckpointLeavesTheTraceAsItWas(t *testing.T) {
	t.Parallel()
	taken := event(1, traces.EventTakeCheckpoint, 3, 3)
	taken.Stutter = true
	trace := handMade(event(1, traces.ActionReceivePrepare, 3, 3), taken)
	m := changeEvent(trace, 1, checkpointChanges[1])
	assert.Equal(t, "cf", m.trace.Events[1].Args.Checksum)
	assert.Equal(t, "c", trace.Events[1].Args.Checksum)
	assert.Equal(t, []int{3, 3}, []int{m.first, m.last})
}
