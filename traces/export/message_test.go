package export_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/export"
)

func TestMessagesJoinTheStepThatSentWithTheOneThatReceived(t *testing.T) {
	t.Parallel()
	two := 2
	trace := &traces.Trace{Header: traces.Header{Replicas: 3}}
	add := func(replica int, action string, args traces.Args, s traces.ReplicaState) {
		trace.Events = append(trace.Events, traces.Event{
			Step: len(trace.Events) + 1, Group: "0", Replica: replica, Action: action, Args: args,
			After: s,
		})
	}
	view1 := traces.ReplicaState{View: 1}
	add(0, "ClientRequest", traces.Args{Op: 1, Checksum: "c1", Request: 9}, traces.ReplicaState{})
	add(2, "ReceivePrepare", traces.Args{Op: 1, Checksum: "c1"}, traces.ReplicaState{})
	add(0, "PrimaryCommit", traces.Args{Op: 1, Checksum: "c1", Quorum: []int{0, 2}},
		traces.ReplicaState{CommitMax: 1})
	add(2, "ReceiveCommit", traces.Args{Commit: 1}, traces.ReplicaState{CommitMax: 1})
	add(2, "StartViewChange", traces.Args{View: 1}, view1)
	add(1, "ReceiveStartViewChange", traces.Args{View: 1}, view1)
	add(2, "SendDoViewChange", traces.Args{View: 1}, view1)
	add(1, "SendDoViewChange", traces.Args{View: 1}, view1)
	add(1, "MergeVotes", traces.Args{View: 1, Quorum: []int{1, 2}}, view1)
	add(1, "RepairPrepare", traces.Args{Op: 1, Checksum: "c1", From: &two}, view1)
	add(1, "BecomePrimary", traces.Args{View: 1}, view1)
	add(2, "ReceiveStartView", traces.Args{View: 1}, view1)
	add(0, "Restart", traces.Args{}, traces.ReplicaState{Status: traces.StatusRecovering})
	zero := 0
	add(1, "AnswerProbe", traces.Args{View: 1, To: &zero}, view1)
	add(0, "Recover", traces.Args{View: 1}, view1)

	var got []string
	for _, m := range export.Messages(trace) {
		require.Less(t, m.Sent, m.Received)
		got = append(got, name(m.From)+">"+name(m.To)+" "+m.Text)
	}
	assert.Equal(t, []string{
		"client>r0 Request 9", "r0>r2 Prepare op=1", "r2>r0 PrepareOK op=1",
		"r0>r2 Commit commit=1", "r2>r1 StartViewChange view=1", "r2>r1 DoViewChange view=1",
		"r2>r1 RepairPrepare op=1", "r1>r2 StartView view=1", "r1>r0 StartView view=1",
	}, got)
	sent := map[string]int{}
	for _, m := range export.Messages(trace) {
		sent[m.Text+name(m.To)] = m.Sent
	}
	assert.Equal(t, 11, sent["StartView view=1r2"], "from the step that began the view")
	assert.Equal(t, 14, sent["StartView view=1r0"], "from the answer to the probe")

	// What nobody sent is no message.
	trace.Events = trace.Events[1:2]
	trace.Events[0].Step = 1
	assert.Empty(t, export.Messages(trace))
}

func name(replica int) string {
	return map[int]string{export.Client: "client", 0: "r0", 1: "r1", 2: "r2"}[replica]
}

// In a walk of the model, each step that must have received something has.
func TestEveryReceivingStepOfTheModelHasItsMessage(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		trace := walk(t, seed, 150)
		received := map[int]bool{}
		for _, m := range export.Messages(trace) {
			require.NotEqual(t, m.From, m.To)
			require.Less(t, m.Sent, m.Received)
			if m.From != export.Client {
				require.Equal(t, m.From, trace.Events[m.Sent-1].Replica)
			}
			require.Equal(t, m.To, trace.Events[m.Received-1].Replica)
			received[m.Received] = true
		}
		for _, e := range trace.Events {
			switch e.Action {
			case "ClientRequest", "ReceivePrepare", "ReceiveCommit", "RepairPrepare", "Recover",
				"ReceiveStartViewChange", "ReceiveStartView", "MergeVotes", "PrimaryCommit":
				require.True(t, received[e.Step], "seed %d: %s", seed, traces.Describe(e))
			}
		}
	}
}
