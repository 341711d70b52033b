package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// A backup must tell a late duplicate from a body that it adopted in a view change but never
// received: both lie at or below its head (seed 001).
func TestClassify(t *testing.T) {
	t.Parallel()
	base := arrival{
		status: StatusNormal, view: 2, preparedIn: 2, head: 21, appending: 21, op: 22,
		parentMatches: true,
	}
	for name, tc := range map[string]struct {
		change func(*arrival)
		want   Admission
	}{
		"the next op extends the log": {func(*arrival) {}, AdmitNext},
		"the next op after what is being stored": {
			func(a *arrival) { a.appending, a.op = 23, 24 }, AdmitNext,
		},
		"an op beyond the next is a gap": {func(a *arrival) { a.op = 23 }, RefuseGap},
		"a stored op is a duplicate": {
			func(a *arrival) { a.op, a.sameIdentity, a.stored = 21, true, true }, RefuseDuplicate,
		},
		"an adopted op without a body is filled": {
			func(a *arrival) { a.op, a.sameIdentity = 21, true }, AdmitFill,
		},
		"... also if it was prepared in an older view": {
			func(a *arrival) { a.op, a.sameIdentity, a.preparedIn = 21, true, 1 }, AdmitFill,
		},
		"... also once the head has moved on": {
			func(a *arrival) { a.op, a.sameIdentity, a.head, a.appending = 21, true, 25, 25 },
			AdmitFill,
		},
		"what is being stored is acknowledged when it is": {
			func(a *arrival) { a.appending, a.sameIdentity, a.storing = 22, true, true },
			RefuseStoring,
		},
		"a fill on its way is not stored twice": {
			func(a *arrival) { a.op, a.sameIdentity, a.storing = 21, true, true }, RefuseStoring,
		},
		"another prepare at a taken op conflicts": {
			func(a *arrival) { a.op = 21 }, RefuseConflict,
		},
		"the next op with another parent conflicts": {
			func(a *arrival) { a.parentMatches = false }, RefuseConflict,
		},
		"a superseded prepare is of an old view": {
			func(a *arrival) { a.op, a.preparedIn = 21, 1 }, RefuseOldView,
		},
		"an old prepare above the log is of an old view": {
			func(a *arrival) { a.preparedIn = 1 }, RefuseOldView,
		},
		"a prepare of a newer view tells that the view moved on": {
			func(a *arrival) { a.preparedIn = 3 }, RefuseNewerView,
		},
		"... whatever the status": {
			func(a *arrival) { a.preparedIn, a.status = 3, StatusRecovering }, RefuseNewerView,
		},
		"an install is not disturbed": {
			func(a *arrival) { a.installing = true }, RefuseTransferring,
		},
		"what a checkpoint covers is released": {
			func(a *arrival) { a.base, a.op, a.preparedIn = 21, 21, 1 }, RefuseReleased,
		},
		"nothing is taken in a view change": {
			func(a *arrival) { a.status = StatusViewChange }, RefuseNotNormal,
		},
		"nothing is taken while recovering": {
			func(a *arrival) { a.status = StatusRecovering }, RefuseNotNormal,
		},
		"a primary takes no prepares": {func(a *arrival) { a.primary = true }, RefuseIsPrimary},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := base
			tc.change(&a)
			require.Equal(t, tc.want, classify(a))
		})
	}
}

func TestQuorums(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]Quorums{
		1: {Replication: 1, ViewChange: 1, Nack: 1}, 2: {Replication: 2, ViewChange: 2, Nack: 1},
		3: {Replication: 2, ViewChange: 2, Nack: 2}, 4: {Replication: 2, ViewChange: 3, Nack: 3},
		5: {Replication: 3, ViewChange: 3, Nack: 3}, 6: {Replication: 3, ViewChange: 4, Nack: 4},
		7: {Replication: 3, ViewChange: 5, Nack: 5},
	} {
		got := QuorumsOf(n)
		require.Equal(t, want, got, "%d replicas", n)
		require.Greater(t, got.Replication+got.ViewChange, n, "%d replicas: they must meet", n)
		require.Greater(t, got.Replication+got.Nack, n, "%d replicas: a nack quorum rules out", n)
	}
}

// The walk says why it stopped; a detector that reads "it moved nothing" is seed 000.
func TestWalkStop(t *testing.T) {
	t.Parallel()
	header := wire.PrepareHeader{Op: 1, Checksum: wire.Checksum{Lo: 5}}
	base := func() *Replica {
		r := &Replica{status: StatusNormal, commitMax: 1, log: log{headers: []wire.PrepareHeader{header}}}
		r.journal.add(header.ID())
		return r
	}
	for name, tc := range map[string]struct {
		change func(*Replica)
		want   StopReason
	}{
		"a stored committed op awaits its execution": {func(*Replica) {}, StopAwaitingExecution},
		"everything committed is executed": {
			func(r *Replica) { r.commitMin = 1 }, StopCaughtUp,
		},
		"committed beyond the head": {func(r *Replica) { r.log = log{} }, StopMissingHeader},
		"a hollow op":               {func(r *Replica) { r.journal = journal{} }, StopMissingBody},
		"a body of another prepare": {
			func(r *Replica) { r.journal.stored = [][]wire.Checksum{{{Lo: 6}}} },
			StopChecksumMismatch,
		},
		"in a view change": {func(r *Replica) { r.status = StatusViewChange }, StopNotNormal},
		"a checkpoint is being fetched": {
			func(r *Replica) { r.transfer.stage = stageFetching }, StopTransferring,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := base()
			tc.change(r)
			require.Equal(t, tc.want, r.walkStop())
		})
	}
}
