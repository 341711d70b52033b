package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// A hole is what a log lacks between what the replica has executed and the log's base: it has
// adopted a suffix of the view's log, and its own old log does not chain to it (R11). The ops of
// a hole are committed. Their headers are repaired downward: the base names the prepare that
// belongs below the log, that prepare names its parent. Nothing is executed before the hole is
// closed: only an unbroken chain says what belongs at an op.

// repaired returns the log that repair completes: the merged one of a new primary, or that of
// the view which the replica follows; nil if it repairs none.
func (r *Replica) repaired() *log {
	switch {
	case r.merged != nil:
		return &r.merged.log
	case r.status == StatusNormal:
		return &r.log
	}
	return nil
}

// hasHole reports whether the headers of committed ops are unknown.
func (r *Replica) hasHole() bool {
	l := r.repaired()
	return l != nil && l.base.Op > r.commitMin
}

// readBelow reads the prepares below a hole in the own journal, if that has the one that belongs
// there next, and reports whether it does.
func (r *Replica) readBelow() bool {
	base := r.repaired().base
	if !r.journal.has(base) {
		return false
	}
	r.out.Reads = append(r.out.Reads, Read{IDs: r.ownBelow(base), To: r.config.Replica})
	return true
}

// requestBelow asks a peer for the prepares below a hole.
func (r *Replica) requestBelow() {
	l := r.repaired()
	m := &wire.RequestPrepares{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, ToOp: l.base.Op,
	}
	m.FromOp = max(r.commitMin+1, l.base.Op-min(l.base.Op, RepairWindow-1))
	for op := m.FromOp; op < l.base.Op; op++ {
		m.Wanted = append(m.Wanted, wire.AnyPrepare)
	}
	m.Wanted = append(m.Wanted, l.base.Checksum)
	r.send(r.repairPeer(), m)
}

// ownBelow lists what the own journal has below a hole: the prepare that belongs there next, and
// in the window below it whatever is stored, since only that one tells what belongs there.
func (r *Replica) ownBelow(next wire.PrepareID) []wire.PrepareID {
	ids := []wire.PrepareID{next}
	for op := next.Op - 1; op > r.commitMin && op+RepairWindow > next.Op; op-- {
		for _, checksum := range r.journal.at(op) {
			ids = append(ids, wire.PrepareID{Op: op, Checksum: checksum})
		}
	}
	return ids
}

// takeBelow takes a prepare of a hole, and reports whether it is one. It is put below the log if
// the log names it; else it is kept, within the window, until the log does.
// Spec TransferLog RepairHeader, RepairPrepare.
func (r *Replica) takeBelow(p *wire.Prepare) bool {
	op := p.Header.Op
	if !r.hasHole() || op <= r.commitMin || op > r.repaired().base.Op {
		return false
	}
	r.below = slices.DeleteFunc(r.below, func(x *wire.Prepare) bool {
		return x.Header.Op == op || x.Header.Op+RepairWindow < op
	})
	if len(r.below) < RepairWindow {
		r.below = append(r.below, p)
	}
	r.descend()
	return true
}

// descend puts below the log what is here of the hole, as far as the log names it.
func (r *Replica) descend() {
	l := r.repaired()
	var headers []wire.PrepareHeader // the highest first
	base := l.base
	for base.Op > r.commitMin {
		i := slices.IndexFunc(r.below, func(p *wire.Prepare) bool { return p.Header.ID() == base })
		if i < 0 {
			break
		}
		p := r.below[i]
		r.below = slices.Delete(r.below, i, i+1)
		parent := wire.PrepareID{Op: base.Op - 1, Checksum: p.Header.Parent}
		if parent.Op == r.commitMin && parent != r.applied {
			r.refuse(RefuseDivergence, p)
			return
		}
		headers = append(headers, p.Header)
		if !r.journal.has(base) && !r.isFilling(base) {
			r.fill(p)
		}
		base = parent
	}
	if len(headers) == 0 {
		return
	}
	slices.Reverse(headers)
	extended := log{base: base, headers: slices.Concat(headers, l.headers)}
	if r.merged != nil {
		r.merged.log = extended
	} else {
		r.log = extended
	}
	r.below = slices.DeleteFunc(r.below, func(p *wire.Prepare) bool {
		return p.Header.Op > base.Op // another prepare's than the log's
	})
	r.timers.repair.progress()
	r.timers.repair.soon()
	r.emit(Event{Action: EventRepairHeader, Op: base.Op + 1, View: r.view})
	r.commitWalk()
}
