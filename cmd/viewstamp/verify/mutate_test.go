package verify

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// event is an event of a short hand-made trace: replica 0 is a primary, 1 a backup.
func event(replica int, action string, head, commitMax uint64) traces.Event {
	return traces.Event{
		Group: "0", Replica: replica, Action: action, Args: traces.Args{Op: head, Checksum: "c"},
		After: traces.ReplicaState{
			Status: traces.StatusNormal, OpHead: head, Contiguous: head, CommitMax: commitMax,
		},
	}
}

func handMade(events ...traces.Event) *traces.Trace {
	renumber(events)
	return &traces.Trace{Header: traces.Header{Replicas: 3}, Events: events}
}

func TestWhichDroppedEventsAreMissedForCertain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		next traces.Event
		want bool
	}{
		"the next prepare leaves a gap":         {event(1, traces.ActionReceivePrepare, 3, 0), true},
		"a commit cannot raise the head":        {event(1, traces.ActionReceiveCommit, 2, 2), true},
		"an adopted log may hold the op":        {event(1, traces.ActionReceiveStartView, 2, 0), false},
		"after a restart it may have landed":    {event(1, traces.ActionRestart, 2, 0), false},
		"another replica's event tells nothing": {event(2, traces.ActionReceivePrepare, 1, 0), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trace := handMade(event(1, traces.ActionReceivePrepare, 1, 0),
				event(1, traces.ActionReceivePrepare, 2, 0), tc.next)
			m, certain := dropEvent(trace, 1, nil)
			require.Equal(t, tc.want, certain)
			if certain {
				require.Len(t, m.trace.Events, 2)
				require.Equal(t, 2, m.trace.Events[1].Step)
				require.Equal(t, 3, m.first)
				require.Equal(t, 3, m.last)
				require.Len(t, trace.Events, 3, "the original stays")
			}
		})
	}
}

func TestADroppedStutterIsNotMissed(t *testing.T) {
	t.Parallel()
	stutter := event(1, "Admit", 1, 0)
	stutter.Stutter = true
	for _, action := range []string{"Admit", traces.ActionReceivePrepare} {
		stutter.Action = action
		_, certain := dropEvent(handMade(event(1, traces.ActionReceivePrepare, 1, 0), stutter,
			event(1, traces.ActionReceivePrepare, 2, 0)), 1, nil)
		require.False(t, certain)
	}
}

func TestWhichSwapsAreWrongForCertain(t *testing.T) {
	t.Parallel()
	before := event(1, traces.ActionReceivePrepare, 1, 0)
	for name, tc := range map[string]struct {
		first, second traces.Event
		want          bool
	}{
		"a prepare before its request": {
			event(0, traces.ActionClientRequest, 2, 0),
			event(1, traces.ActionReceivePrepare, 2, 0), true,
		},
		"two steps of one replica": {
			event(1, traces.ActionReceivePrepare, 2, 0),
			event(1, traces.ActionReceiveCommit, 2, 1), true,
		},
		"two restarts in a row": {
			event(1, traces.ActionRestart, 1, 0), event(1, traces.ActionRestart, 1, 0), false,
		},
		"steps of two replicas that know nothing of each other": {
			event(1, traces.ActionReceivePrepare, 2, 0),
			event(2, traces.ActionReceivePrepare, 2, 0), false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, certain := swapEvents(handMade(before, tc.first, tc.second), 1, nil)
			require.Equal(t, tc.want, certain)
			if certain {
				require.Equal(t, tc.second.Action, m.trace.Events[1].Action)
				require.Equal(t, 2, m.trace.Events[1].Step)
				require.Equal(t, []int{3, 4}, []int{m.first, m.last})
			}
		})
	}
}

// Each field by itself, at every event of a recorded run: the model must see it there.
func TestEveryChangedFieldIsSeenAtItsLine(t *testing.T) {
	t.Parallel()
	trace, result, err := Record(recordOptions(2))
	require.NoError(t, err)
	require.True(t, result.Passed)
	trace.Events = trace.Events[:min(len(trace.Events), 60)]
	changed := 0
	for at := range trace.Events {
		for seed := range uint64(3) {
			m, certain := changeField(trace, at, rand.New(rand.NewPCG(seed, uint64(at))))
			if !certain {
				continue
			}
			require.Empty(t, rejected(m), "line %d: %s", m.first, m.what)
			changed++
		}
	}
	require.Positive(t, changed)
	report, err := conform.Trace(trace)
	require.NoError(t, err)
	require.True(t, report.Passed(), "the original stays as it was")
}

// The controls have a control of their own: a mutation that changes nothing must be
// reported, and so must one that is seen at another line than expected.
func TestAnAcceptedMutationIsReported(t *testing.T) {
	t.Parallel()
	trace, _, err := Record(recordOptions(2))
	require.NoError(t, err)
	require.Equal(t, "accepted, expected a rejection",
		rejected(mutation{trace: trace, first: 2, last: 2}))
	m, certain := changeField(trace, len(trace.Events)/2, rand.New(rand.NewPCG(1, 1)))
	require.True(t, certain)
	m.first, m.last = m.first-1, m.last-1
	require.Contains(t, rejected(m), "expected")
	c := Check{Figures: Figures{}}
	nothing := func(t *traces.Trace, at int, _ *rand.Rand) (mutation, bool) {
		return mutation{t, at + 2, at + 2, "nothing changed"}, true
	}
	controlTrace(&c, trace, nothing, rand.New(rand.NewPCG(1, 1)), 2)
	require.Equal(t, Failed, c.Status)
	require.Contains(t, c.Reason, "nothing changed")
}

// Where all have voted, another quorum may have decided the same.
func TestAnotherQuorumIsWrongForCertainOnlyWhileAVoteIsMissing(t *testing.T) {
	t.Parallel()
	of := func(voters ...int) *traces.Trace {
		trace := &traces.Trace{Header: traces.Header{Replicas: 3}}
		view := traces.ReplicaState{View: 1}
		for _, r := range voters {
			trace.Events = append(trace.Events, traces.Event{
				Replica: r, Action: traces.ActionSendDoViewChange, After: view,
			})
		}
		trace.Events = append(trace.Events, traces.Event{
			Replica: 1, Action: traces.ActionMergeVotes, After: view,
			Args: traces.Args{Quorum: []int{1, 2}},
		})
		renumber(trace.Events)
		return trace
	}
	for name, tc := range map[string]struct {
		voters  []int
		certain bool
	}{
		"two have voted":  {[]int{1, 2}, true},
		"one voted twice": {[]int{1, 2, 2}, true},
		"all have voted":  {[]int{1, 2, 0}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trace := of(tc.voters...)
			_, certain := changeArgument(trace, len(trace.Events)-1, rand.New(rand.NewPCG(1, 1)))
			require.Equal(t, tc.certain, certain)
		})
	}
}
