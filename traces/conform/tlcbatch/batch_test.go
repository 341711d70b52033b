package tlcbatch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	model "github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

func TestTracesThatCannotBeFollowedAreRefused(t *testing.T) {
	t.Parallel()
	long := func(n int, action string) *traces.Trace {
		events := make([]traces.Event, n)
		for i := range events {
			events[i] = event(0, action, state(0, 0, 0))
		}
		return traceOf(3, events...)
	}
	of := func(h traces.Header) *traces.Trace {
		return &traces.Trace{Header: h, Events: oneOp(), Path: "run.jsonl"}
	}
	for name, tc := range map[string]struct {
		trace *traces.Trace
		want  string
	}{
		"six replicas": {of(traces.Header{Replicas: 6}), "run.jsonl:1: got 6 replicas"},
		"other quorums": {
			of(traces.Header{Replicas: 3, Quorum: traces.Quorum{Replication: 3, ViewChange: 1}}),
			"Replication:2 ViewChange:2 Nack:2",
		},
		"a partial trace": {of(traces.Header{Replicas: 3, Open: []string{"view"}}), "never says [view]"},
		"other drivers":   {of(traces.Header{Replicas: 3, CommitDrivers: "two"}), "commit drivers two"},
		"no event":        {traceOf(3), "no event"},
		"too many events": {long(EventsMax+1, "Tick"), "20001 events"},
		"too long a log":  {long(OpsMax+1, traces.ActionClientRequest), "at most 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := batches([]*traces.Trace{traceOf(3, oneOp()...), tc.trace})
			var format *traces.FormatError
			require.ErrorAs(t, err, &format)
			for _, part := range strings.Split(tc.want, "got ") {
				assert.ErrorContains(t, err, strings.TrimSpace(part))
			}
		})
	}
	_, err := batches([]*traces.Trace{
		long(EventsMax, "Tick"), long(OpsMax, traces.ActionClientRequest),
	})
	assert.NoError(t, err, "the limits themselves")
	_, err = Check(t.Context(), nil, nil)
	assert.ErrorContains(t, err, "expected at least one")
}

// The table here, that of the module and that of the Go model are one.
func TestQuorumsAreThoseOfTheModel(t *testing.T) {
	t.Parallel()
	for n := 1; n <= ReplicasMax; n++ {
		config := model.Config{N: n}
		sizes := config.Quorums()
		assert.Equal(t, traces.Quorum{
			Replication: sizes.Replication, ViewChange: sizes.ViewChange, Nack: sizes.Nack,
		}, quorums[n], "%d replicas", n)
	}
	assert.Equal(t, model.NMax, ReplicasMax)
}

func TestARunOfTLCHasTracesOfOneShapeAndNotTooMany(t *testing.T) {
	t.Parallel()
	half := make([]traces.Event, EventsMax/2+1)
	for i := range half {
		half[i] = event(0, "Tick", state(0, 0, 0))
		half[i].Stutter = true
	}
	pipeline := traceOf(3, oneOp()...)
	pipeline.Header.CommitDrivers = traces.CommitDriversWalkAndPipeline
	runs, err := batches([]*traces.Trace{
		traceOf(3, oneOp()...), traceOf(5, oneOp()...), pipeline, traceOf(3, oneOp()...),
		traceOf(3, half...), traceOf(3, half...),
	})
	require.NoError(t, err)
	var followed [][]int
	for _, b := range runs {
		var indexes []int
		for _, p := range b.pieces {
			indexes = append(indexes, p.trace)
		}
		followed = append(followed, indexes)
	}
	assert.Equal(t, [][]int{{0, 3, 4}, {1}, {2}, {5}}, followed)
}

// A bound that is too low would make TLC reject what it must accept.
func TestBoundsAllowWhatTheEventsShowAndWhatARestartHides(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		events                    []traces.Event
		views, requests, restarts uint64
	}{
		"one op": {events: oneOp(), requests: 1},
		"a view that begins": {
			events: []traces.Event{event(1, traces.ActionStartViewChange, restarted(1, 0))}, views: 1,
		},
		"an unseen request and an unseen view": {
			events:   append(oneOp(), event(0, traces.ActionRestart, restarted(1, 3))),
			requests: 3, restarts: 1, views: 1,
		},
		"a head that nothing explains": {
			events:   []traces.Event{event(0, traces.ActionRestart, restarted(0, 1<<40))},
			restarts: 1,
		},
		"a view that nothing explains": {
			events:   []traces.Event{event(0, traces.ActionRestart, restarted(1<<31, 0))},
			restarts: 1, views: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := piece{events: tc.events}
			views, requests, restarts := p.bounds()
			assert.Equal(t, []uint64{tc.views, tc.requests, tc.restarts},
				[]uint64{views, requests, restarts})
		})
	}
}

func TestATraceStopsAtTheFirstEventThatNothingExplainsInAnyGroup(t *testing.T) {
	t.Parallel()
	trace := traceOf(3, append(oneOp(), oneOp()...)...)
	for i := range trace.Events {
		trace.Events[i].Group = []string{"0", "1"}[i%2]
	}
	runs, err := batches([]*traces.Trace{trace})
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		reached []int
		want    Verdict
	}{
		"both to their end":         {[]int{4, 4}, Verdict{Events: 8}},
		"the second stops":          {[]int{4, 1}, Verdict{Events: 3, Line: 5}},
		"both stop, first group's":  {[]int{1, 2}, Verdict{Events: 2, Line: 4}},
		"both stop, second group's": {[]int{2, 0}, Verdict{Events: 1, Line: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verdicts := []Verdict{{Events: len(trace.Events)}}
			runs[0].judge(tc.reached, verdicts)
			assert.Equal(t, []Verdict{tc.want}, verdicts)
		})
	}
}
