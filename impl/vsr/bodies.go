package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// missing remembers what is known of bodies that the journal does not have. An op of the log
// that is in neither list is hollow: its header was adopted and its body never came, which a
// trusted log may say in a vote (R12).
type missing struct {
	// faulty are bodies that were stored and cannot be read any more.
	faulty []wire.PrepareID
	// doubtful are bodies that may have been stored once: an untrusted restart did not find
	// them, or an untrusted log adopted the header (R15).
	doubtful []wire.PrepareID
}

func (m *missing) clone() missing {
	return missing{faulty: slices.Clone(m.faulty), doubtful: slices.Clone(m.doubtful)}
}

func (m *missing) isFaulty(id wire.PrepareID) bool   { return slices.Contains(m.faulty, id) }
func (m *missing) isDoubtful(id wire.PrepareID) bool { return slices.Contains(m.doubtful, id) }

// found forgets what was said of a body that is stored now.
func (m *missing) found(id wire.PrepareID) {
	same := func(x wire.PrepareID) bool { return x == id }
	m.faulty = slices.DeleteFunc(m.faulty, same)
	m.doubtful = slices.DeleteFunc(m.doubtful, same)
}

// lost notes that a stored body cannot be read any more.
func (m *missing) lost(id wire.PrepareID) {
	if !m.isFaulty(id) {
		m.faulty = append(m.faulty, id)
	}
}

// bootDoubt notes which bodies of the log may have been stored once. What an untrusted restart
// does not find may have been there; a trusted one knows it from its state record.
func (r *Replica) bootDoubt(stored Recovered) {
	r.untrusted = stored.Untrusted
	for _, id := range stored.Faulty {
		if id.Op > r.checkpoint.Op && !r.journal.has(id) {
			r.missing.lost(id)
		}
	}
	if !stored.Untrusted {
		for _, id := range stored.Doubtful {
			if r.log.contains(id) && !r.journal.has(id) && !r.missing.isFaulty(id) {
				r.missing.doubtful = append(r.missing.doubtful, id)
			}
		}
		return
	}
	for i := range r.log.headers {
		if id := r.log.headers[i].ID(); !r.journal.has(id) && !r.missing.isFaulty(id) {
			r.missing.doubtful = append(r.missing.doubtful, id)
		}
	}
}

// doubtfulIn returns which bodies of a log about to be adopted are in doubt: those that were, all
// that an untrusted log does not hold, and all that are missing of what is known to be committed.
// The last may have left the log in doubt below the base of another, and a vote would disown what
// a commit has counted: what is committed nobody need nack. What is known to be lost is no doubt.
// R12, R15, R16; spec ReceiveStartView.
func (r *Replica) doubtfulIn(l log) []wire.PrepareID {
	var out []wire.PrepareID
	for i := range l.headers {
		id := l.headers[i].ID()
		if r.journal.has(id) || r.missing.isFaulty(id) && r.log.contains(id) {
			continue
		}
		if id.Op <= r.commitMax || r.missing.isDoubtful(id) || r.untrusted && !r.log.contains(id) {
			out = append(out, id)
		}
	}
	return out
}

// adoptMissing ends the doubt about the log and keeps what is known of its bodies.
func (r *Replica) adoptMissing(adopted log) {
	doubtful := r.doubtfulIn(adopted)
	r.missing.faulty = slices.DeleteFunc(r.missing.faulty, func(id wire.PrepareID) bool {
		return !adopted.contains(id)
	})
	r.missing.doubtful = doubtful
	r.untrusted = false
}

// onPrepareLost takes note that a body which was stored cannot be read any more (R14). It is
// repaired like a hole, and never nacked: it may have been counted. Spec Merge Rot.
func (r *Replica) onPrepareLost(id wire.PrepareID) {
	if !r.journal.has(id) {
		return
	}
	r.journal.remove(id)
	// The log that is being stored counts too: what it loses now, its replica has lost.
	if r.log.contains(id) || r.transition != nil && r.transition.log.contains(id) {
		r.missing.lost(id)
	}
	if r.status != StatusRecovering {
		r.timers.repair.startIfStopped(r)
		r.timers.repair.soon()
	}
}
