package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Each kind of prepare that can arrive, at a replica of each standing (R8). A replica of view 2
// has ops 1 to 21, and no body of op 20.
func TestEachClassInEachStatus(t *testing.T) {
	t.Parallel()
	type want struct{ backup, primary, viewChange, recovering Admission }
	only := func(a Admission) want { // what a replica says that takes no prepares in this state
		return want{a, RefuseIsPrimary, RefuseNotNormal, RefuseNotNormal}
	}
	newer := want{RefuseNewerView, RefuseNewerView, RefuseNewerView, RefuseNewerView}
	for name, tc := range map[string]struct {
		prepare arrival // without what the standing decides
		want    want
	}{
		"the next op": {arrival{preparedIn: 2, op: 22, parentMatches: true}, only(AdmitNext)},
		"the next op, of another chain": {
			arrival{preparedIn: 2, op: 22}, only(RefuseConflict),
		},
		"an op beyond the next": {arrival{preparedIn: 2, op: 23}, only(RefuseGap)},
		"a stored op": {
			arrival{preparedIn: 2, op: 21, sameIdentity: true, stored: true},
			only(RefuseDuplicate),
		},
		"a stored op of an older view": {
			arrival{preparedIn: 1, op: 21, sameIdentity: true, stored: true},
			only(RefuseDuplicate),
		},
		"a hollow op": {
			arrival{preparedIn: 2, op: 20, sameIdentity: true}, only(AdmitFill),
		},
		"a hollow op of an older view": {
			arrival{preparedIn: 1, op: 20, sameIdentity: true}, only(AdmitFill),
		},
		"an op that is being stored": {
			arrival{preparedIn: 2, op: 20, sameIdentity: true, storing: true},
			only(RefuseStoring),
		},
		"another prepare of the view at a taken op": {
			arrival{preparedIn: 2, op: 21}, only(RefuseConflict),
		},
		"a superseded prepare": {arrival{preparedIn: 1, op: 21}, only(RefuseOldView)},
		"an old prepare beyond the log": {
			arrival{preparedIn: 1, op: 22, parentMatches: true}, only(RefuseOldView),
		},
		"the next op of a newer view": {arrival{preparedIn: 3, op: 22, parentMatches: true}, newer},
		"a taken op, of a newer view": {arrival{preparedIn: 3, op: 21}, newer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := func(status Status, primary bool) Admission {
				a := tc.prepare
				a.view, a.head, a.appending = 2, 21, 21
				a.status, a.primary = status, primary
				return classify(a)
			}
			require.Equal(t, tc.want, want{
				at(StatusNormal, false), at(StatusNormal, true), at(StatusViewChange, false),
				at(StatusRecovering, false),
			})
		})
	}
}

// What comes of each class: what is stored, what is said, and that nothing else happens.
func TestWhatEachClassComesTo(t *testing.T) {
	t.Parallel()
	chain := chainOf(4)
	other := func(op int) *wire.Prepare { // another prepare of view 0 at the op
		p := *chain[op-1]
		p.Header.Request = 99
		p.Seal()
		return &p
	}
	newer := *chain[2]
	newer.Header.View = 1
	newer.Seal()
	for name, tc := range map[string]struct {
		p      *wire.Prepare
		stores bool
		says   wire.Command // zero: nothing
		class  Admission
	}{
		"next":      {p: chain[2], class: AdmitNext, stores: true},
		"fill":      {p: chain[0], class: AdmitFill, stores: true},
		"gap":       {p: chain[3], class: RefuseGap},
		"duplicate": {p: chain[1], class: RefuseDuplicate, says: wire.CommandPrepareOK},
		"conflict":  {p: other(2), class: RefuseConflict},
		"a body of another prepare for a hollow op": {p: other(1), class: RefuseConflict},
		"newer view": {
			p: &newer, class: RefuseNewerView, says: wire.CommandRequestStartView,
		},
		"another next of the same parent": {p: other(3), class: AdmitNext, stores: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := exploredReplica(t, 1) // ops 1 and 2, no body of op 1
			r.log.headers = []wire.PrepareHeader{chain[0].Header, chain[1].Header}
			r.journal.add(chain[1].Header.ID())
			out := r.Step(Receive{Message: tc.p})
			require.Equal(t, tc.class, out.Events[0].Class)
			require.Equal(t, tc.stores, len(out.StorePrepares) == 1)
			if tc.says == 0 {
				require.Empty(t, out.Messages)
			} else {
				require.Len(t, out.Messages, 1)
				require.Equal(t, tc.says, out.Messages[0].Message.Command())
			}
			require.Equal(t, wire.Op(2), r.State().OpHead)
			require.Zero(t, r.State().CommitMax)
		})
	}
}

// Why ever the walk stops, it executes nothing, and the log stays as it is (R5, R6; seed 000).
func TestAWalkThatStopsChangesNothing(t *testing.T) {
	t.Parallel()
	chain := chainOf(2)
	for want, change := range map[StopReason]func(*Replica){
		StopCaughtUp:      func(r *Replica) { r.commitMin, r.commitMax = 2, 2 },
		StopMissingHeader: func(r *Replica) { r.commitMin = 2 },
		StopMissingBody:   func(r *Replica) { r.journal.remove(chain[0].Header.ID()) },
		StopChecksumMismatch: func(r *Replica) {
			r.journal.remove(chain[0].Header.ID())
			r.journal.add(wire.PrepareID{Op: 1, Checksum: wire.Checksum{Lo: 6}})
		},
		StopAwaitingExecution: func(r *Replica) { r.executing = true },
		StopNotNormal:         func(r *Replica) { r.status = StatusRecovering },
	} {
		t.Run(want.String(), func(t *testing.T) {
			t.Parallel()
			r := exploredReplica(t, 1)
			r.log.headers, r.commitMax = []wire.PrepareHeader{chain[0].Header, chain[1].Header}, 3
			r.journal.add(chain[0].Header.ID())
			r.journal.add(chain[1].Header.ID())
			change(r)
			require.Equal(t, want, r.walkStop())
			before := r.AppendKey(nil)
			r.commitWalk()
			out := r.Step(Expire{Timer: TimerNone})
			require.Empty(t, out.Executes)
			r.ForgetTime()
			require.Equal(t, before, r.AppendKey(nil))
			require.Equal(t, want, r.State().Stop)
		})
	}
}
