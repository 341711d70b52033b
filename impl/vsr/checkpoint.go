package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Checkpointed reports that a snapshot at an executed op is durable and that the superblock
// names it (the first two phases of R17). The replica answers with a state record above the new
// base, and after [StateStored] with Output.Release. One at or below the base says nothing new.
type Checkpointed struct{ ID wire.PrepareID }

func (Checkpointed) isInput() {}

// rebase is the third phase of a checkpoint, its own or an installed one: a state record above
// the new base, then the release of what lies below (R2, R17).
//
// The record says where the log begins and nothing else: view and log view stay, and nothing
// above the base goes. It does not wait for prepares that are being stored: they are in it,
// since the WAL has them before it, so that a replay which ends with the record does not lose
// what is acknowledged afterwards.
type rebase struct {
	// next is the newest base that waits for its record, to the one whose record is being
	// stored; zero if there is none.
	next, to wire.PrepareID
	// repeat says that the record is wanted anew over the base as it is, repeating that it is on
	// its way (repeat_state.go).
	repeat, repeating bool
}

// onCheckpointed wants the log above the checkpoint.
func (r *Replica) onCheckpointed(id wire.PrepareID) {
	if id.Op <= max(r.checkpoint.Op, r.rebase.next.Op, r.rebase.to.Op) {
		return
	}
	executed := id.Op <= r.commitMin || r.executed != nil && id == r.handed
	other := r.log.knows(id.Op) && r.log.identity(id.Op) != id ||
		id.Op == r.commitMin && id != r.applied
	if !executed || other {
		r.violated("a checkpoint is of an executed op", "checkpoint=%v", id)
	}
	r.rebase.next = id
}

// advanceRebase begins the state record that waits. While another is being stored it waits: a
// change of view and log starts from a settled base. It also waits while what the state machine
// has executed does not count yet, outside of status normal.
func (r *Replica) advanceRebase() {
	t := r.transition
	if r.rebase.next.Op <= r.checkpoint.Op {
		r.rebase.next = wire.PrepareID{} // an install has gone beyond
	}
	if r.rebase.next.Op > r.commitMin && r.transfer.stage != stageRebasing {
		return
	}
	if r.rebase.storing() || t != nil && t.phase != phaseDraining {
		return
	}
	if r.rebase.next.IsZero() {
		r.repeatState()
		return
	}
	r.rebase.to, r.rebase.next, r.rebase.repeat = r.rebase.next, wire.PrepareID{}, false
	r.storeLog(r.log.from(r.rebase.to))
}

// storeLog writes the log as it is, from a base on, with what is being stored: the WAL has that
// before the record.
func (r *Replica) storeLog(l log) {
	headers := slices.Clone(l.headers)
	for i := range r.appending {
		headers = append(headers, r.appending[i].prepare.Header)
	}
	r.out.StoreState = &StateRecord{
		LogView: r.logView, Base: l.base, Headers: headers, Doubtful: r.doubtfulIn(l),
		Untrusted: r.untrusted,
	}
}

// onRebased lets go what the checkpoint covers. R17; spec Transfer TakeCheckpoint, Install.
func (r *Replica) onRebased() {
	id := r.rebase.to
	r.rebase.to = wire.PrepareID{}
	r.checkpoint = id
	r.log = r.log.from(id)
	r.journal.release(id.Op)
	r.missing.release(id.Op)
	r.out.Release = id.Op
	if r.transfer.stage == stageRebasing && r.transfer.target == id {
		r.finishTransfer(id)
	} else {
		r.emit(Event{Action: EventTakeCheckpoint, Op: id.Op, Checksum: id.Checksum})
	}
	r.commitWalk()
}

// from returns the log over a checkpoint: what lies above it. A log with a hole there stays as
// it is; one that does not know the checkpoint holds nothing of worth above it, since no later
// log can have gone on from anything but what was committed. Spec TransferInstall Fit.
func (l log) from(checkpoint wire.PrepareID) log {
	switch {
	case l.base.Op > checkpoint.Op:
		return l
	case l.reaches(checkpoint):
		return l.above(checkpoint.Op)
	}
	return log{base: checkpoint}
}

// fitted returns a log that a peer has sent as this replica takes it over: with what its own
// log has below it, if that chains to it, and without what its checkpoint covers. What is left
// open below is a hole. R11; spec TransferLog Adopt.
func (r *Replica) fitted(l log) log {
	l = l.over(r.log)
	if l.base.Op < r.checkpoint.Op && l.reaches(r.checkpoint) {
		l = l.above(r.checkpoint.Op)
	}
	return l
}

// release forgets what is known of bodies up to op.
func (m *missing) release(op wire.Op) {
	covered := func(id wire.PrepareID) bool { return id.Op <= op }
	m.faulty = slices.DeleteFunc(m.faulty, covered)
	m.doubtful = slices.DeleteFunc(m.doubtful, covered)
}
