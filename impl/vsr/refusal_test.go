package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// refusalCase is one way in which an input is refused.
type refusalCase struct {
	replica wire.ReplicaID
	limits  Limits
	setup   func(r *Replica)
	input   Input
}

func received(m wire.Message) Input { return Receive{Message: m} }

// changing takes a replica into the change to view 1.
func changing(r *Replica) {
	r.Step(LeaveView{})
	r.Step(SuperblockStored{Superblock: Superblock{View: 1}})
}

// executedOne has a backup execute op 1 of a chain.
func executedOne(r *Replica) {
	p := chainOf(1)[0]
	r.Step(Receive{Message: p})
	r.Step(PrepareStored{ID: p.Header.ID()})
	r.Step(Receive{Message: &wire.Commit{Commit: 1}})
	r.Step(Executed{ID: p.Header.ID()})
}

func emptyVote(from wire.ReplicaID) *wire.DoViewChange {
	return &wire.DoViewChange{View: 1, Replica: from}
}

func refusalCases() map[Refusal]refusalCase {
	broken := chainOf(2)[1].Header // op 2, and nothing below
	return map[Refusal]refusalCase{
		RefuseCluster: {
			replica: 1, input: received(&wire.Commit{Cluster: wire.ClusterID{Lo: 9}, Commit: 3}),
		},
		RefuseGroup:  {replica: 1, input: received(&wire.Commit{Group: 9, Commit: 3})},
		RefuseSender: {replica: 1, input: received(&wire.Commit{Replica: 3, Commit: 3})},
		RefuseCommand: {
			replica: 1, input: received(&wire.Reply{Replica: 2}),
		},
		RefuseInTransition: {
			replica: 1, setup: func(r *Replica) { r.Step(LeaveView{}) },
			input: received(&wire.Commit{Commit: 3}),
		},
		RefuseNotPrimary: {replica: 1, input: received(aRequest())},
		RefuseQueueFull: {
			limits: Limits{Pipeline: 1, Queue: -1},
			setup:  func(r *Replica) { r.Step(received(numbered(1))) },
			input:  received(numbered(2)),
		},
		RefuseTooLarge: {limits: Limits{RequestBytes: 1}, input: received(aRequest())},
		RefuseOperation: {input: received(&wire.Request{
			Client: wire.ClientID{Lo: 1}, Operation: wire.OperationNonReplicated,
		})},
		RefuseUnderWay: {
			setup: func(r *Replica) { r.Step(received(numbered(1))) },
			input: received(numbered(1)),
		},
		RefuseStale: {replica: 2, setup: changing, input: received(&wire.Commit{Commit: 3})},
		RefuseNewer: {replica: 1, input: received(&wire.Commit{Replica: 2, View: 5, Commit: 3})},
		RefuseStatus: {
			replica: 1, input: received(&wire.Commit{Replica: 2, Commit: 3}),
		},
		RefuseUnknownOp: {input: received(&wire.PrepareOK{Replica: 1, Op: 1})},
		RefusePrepare: {
			replica: 1, setup: executedOne,
			input: received(&wire.Prepare{Header: wire.PrepareHeader{Op: 1}}),
		},
		RefuseUnsolicited: {replica: 1, input: received(&wire.StartView{
			View: 2, Replica: 2, Incarnation: wire.Incarnation{Lo: 1},
		})},
		RefuseRepeated: {
			replica: 1,
			setup:   func(r *Replica) { changing(r); r.Step(received(emptyVote(2))) },
			input:   received(emptyVote(2)),
		},
		RefuseBrokenLog: {replica: 1, input: received(&wire.StartView{
			View: 2, Replica: 2, Headers: []wire.PrepareHeader{broken},
		})},
		RefuseDivergence: {
			replica: 1, setup: executedOne, input: received(&wire.StartView{View: 2, Replica: 2}),
		},
		RefuseTooLong: {replica: 1, input: received(&wire.Prepare{
			Header: wire.PrepareHeader{Op: suffixMax + 2, Commit: 1},
		})},
		RefuseTooManyReads: {
			limits: Limits{Reads: 1},
			setup:  func(r *Replica) { r.Step(ReadRequest{ID: 1, Level: ReadLinearizable}) },
			input:  ReadRequest{ID: 2, Level: ReadLinearizable},
		},
		RefuseOtherRound: {input: received(&wire.ConfirmViewOK{
			Replica: 1, Incarnation: wire.Incarnation{Lo: 1}, Round: 7,
		})},
		RefuseWiped: {
			replica: 1, setup: func(r *Replica) { r.lost.wiped, r.status = true, StatusRecovering },
			input: received(&wire.StartViewChange{View: 1, Replica: 2}),
		},
	}
}

// Whatever is refused is counted, has a name, and changes nothing that decides what the replica
// does from here on (R20): not the state, not the disk.
func TestWhatIsRefusedChangesNothing(t *testing.T) {
	t.Parallel()
	cases := refusalCases()
	for _, reason := range Refusals() {
		t.Run(reason.String(), func(t *testing.T) {
			t.Parallel()
			tc, ok := cases[reason]
			if reason == RefuseViewChanged {
				return // it is what a change of view does: TestReadsAreRefusedWithAReason has it
			}
			require.True(t, ok, "a refusal without a row")
			r, err := New(Config{
				Replica: tc.replica, ReplicaCount: 3, Timers: DefaultTimers(), Limits: tc.limits,
				Incarnation: wire.Incarnation{Lo: 1}, RecordEvents: true,
			}, Recovered{Formatted: true})
			require.NoError(t, err)
			if tc.setup != nil {
				tc.setup(r)
			}
			r.ForgetTime()
			before, refused := r.AppendKey(nil), r.Refused(reason)
			out := r.Step(tc.input)
			require.Equal(t, refused+1, r.Refused(reason))
			require.Equal(t, reason, out.Events[len(out.Events)-1].Reason)
			require.Empty(t, out.StorePrepares)
			require.Nil(t, out.StoreState)
			require.Nil(t, out.StoreSuperblock)
			require.Empty(t, out.Executes)
			r.ForgetTime()
			require.Equal(t, before, r.AppendKey(nil))
		})
	}
}
