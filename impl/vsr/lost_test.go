package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// backupWith returns backup r1 of view 0 whose log has op 1, stored and committed.
func backupWith(t *testing.T) (*Replica, *wire.Prepare) {
	t.Helper()
	r := running(t, 1)
	p := &wire.Prepare{Header: wire.PrepareHeader{Op: 1, Operation: 240}}
	p.Seal()
	r.Step(Receive{Message: p})
	r.Step(PrepareStored{ID: p.Header.ID()})
	return r, p
}

// The host cannot execute what it cannot read: the op is handed out again once it is repaired.
func TestAnOpLostBeforeItsExecutionIsExecutedAfterItsRepair(t *testing.T) {
	t.Parallel()
	r, p := backupWith(t)
	id := p.Header.ID()
	out := r.Step(Receive{Message: &wire.Commit{Commit: 1}})
	require.Equal(t, []wire.PrepareID{id}, out.Executes)
	r.Step(NotExecuted{ID: id})
	require.Equal(t, StopMissingBody, r.State().Stop)
	r.Step(Receive{Message: &wire.RepairPrepare{Prepare: *p}})
	out = r.Step(PrepareStored{ID: id})
	require.Equal(t, []wire.PrepareID{id}, out.Executes)
	r.Step(Executed{ID: id})
	require.Equal(t, wire.Op(1), r.State().CommitMin)
}

// parked returns r1, about to be the primary of view 1 with a fetched op that only r0's log
// has: the state record of its start is being stored.
func parked(t *testing.T) (*Replica, *wire.Prepare) {
	t.Helper()
	r := running(t, 1)
	p := &wire.Prepare{Header: wire.PrepareHeader{Op: 1, Operation: 240}}
	p.Seal()
	r.Step(Receive{Message: &wire.StartViewChange{View: 1, Replica: 0}})
	r.Step(SuperblockStored{Superblock: Superblock{View: 1}})
	r.Step(Receive{Message: &wire.DoViewChange{
		View: 1, Headers: []wire.PrepareHeader{p.Header}, Present: wire.Bits{true},
		Nack: wire.Bits{false}, Faulty: wire.Bits{false},
	}})
	r.Step(Expire{Timer: TimerNone})
	r.Step(Expire{Timer: TimerNone})
	out := r.Step(Receive{Message: &wire.RepairPrepare{View: 1, Prepare: *p}})
	require.Len(t, out.StorePrepares, 1)
	r.Step(PrepareStored{ID: p.Header.ID()})
	out = r.Step(Expire{Timer: TimerNone})
	require.NotNil(t, out.StoreState)
	return r, p
}

// What is lost while the start of the view is being stored is lost by its primary: it starts,
// and repairs the op. Merge!Rot after BecomePrimary.
func TestABodyLostWhileAViewIsStartedIsRepairedByItsPrimary(t *testing.T) {
	t.Parallel()
	r, p := parked(t)
	id := p.Header.ID()
	r.Step(PrepareLost{ID: id})
	r.Step(StateStored{LogView: 1})
	r.Step(SuperblockStored{Superblock: Superblock{View: 1, LogView: 1}})
	require.Equal(t, StatusNormal, r.State().Status)
	require.Equal(t, []wire.Op{1}, r.State().Hollow)
	out := r.Step(Expire{Timer: TimerRepair})
	require.Len(t, out.Messages, 1)
	require.IsType(t, &wire.RequestPrepares{}, out.Messages[0].Message)
	r.Step(Receive{Message: &wire.RepairPrepare{Prepare: *p}})
	r.Step(PrepareStored{ID: id})
	require.Empty(t, r.State().Hollow)
}

// A solo replica has nobody to repair from (R14).
func TestASoloReplicaThatHasLostABodyRefusesToBoot(t *testing.T) {
	t.Parallel()
	h := header(1, 1)
	_, err := New(Config{
		ReplicaCount: 1, Timers: DefaultTimers(), Incarnation: wire.Incarnation{Lo: 1},
	}, Recovered{Headers: []wire.PrepareHeader{h}, Faulty: []wire.PrepareID{h.ID()}})
	require.EqualError(t, err, "recover replica 0: body of op 1: unreadable, and a solo replica "+
		"has no peer to repair it from: restore its data from a backup")
}

// What a merge counts as held is what Merge!HeldOf counts, or the core keeps what the model
// drops: an op that the new primary's own vote nacks.
func TestASupersededBodyInTheJournalIsNotHeldForAMerge(t *testing.T) {
	t.Parallel()
	superseded, own := header(1, 0), header(1, 1)
	r := &Replica{log: log{headers: []wire.PrepareHeader{own}}}
	r.journal.add(superseded.ID())
	r.journal.add(own.ID())
	require.True(t, r.heldForMerge(own.ID()))
	require.False(t, r.heldForMerge(superseded.ID()))
	r.merged = &merged{log: log{headers: []wire.PrepareHeader{superseded}}}
	require.True(t, r.heldForMerge(superseded.ID()), "fetched, or as good as that")
	r.journal.remove(superseded.ID())
	require.False(t, r.heldForMerge(superseded.ID()))
}
