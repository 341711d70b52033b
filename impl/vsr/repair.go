package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// lacksPrepares reports whether the replica should have a prepare that it has not: a body at or
// below the head or a header at or below commit max (R9), or, as a new primary, a body of the
// merged log (R13).
func (r *Replica) lacksPrepares() bool {
	_, ok := r.firstMissing()
	return ok || r.hasHole()
}

// firstMissing returns the lowest op that repair should ask for.
func (r *Replica) firstMissing() (wire.Op, bool) {
	if r.merged != nil {
		for i := range r.merged.log.headers {
			h := &r.merged.log.headers[i]
			if h.Op > r.checkpoint.Op && !r.journal.has(h.ID()) {
				return h.Op, true
			}
		}
		return 0, false
	}
	if r.status != StatusNormal {
		return 0, false
	}
	if op, ok := r.lowestFaulty(); ok || r.isPrimary() {
		return op, ok
	}
	for op := max(r.commitMin, r.log.base.Op) + 1; op <= r.repairHead(); op++ {
		if !r.holds(op) {
			return op, true
		}
	}
	if next, _ := r.next(); next <= r.commitMax && !r.config.Defects.Has(DefectNarrowRepair) {
		return next, true
	}
	return 0, false
}

// lowestFaulty returns the lowest op of the log whose body was lost. It may have been executed:
// what is acknowledged is to stay in the journals of a quorum.
func (r *Replica) lowestFaulty() (wire.Op, bool) {
	lowest := wire.Op(0)
	for _, id := range r.missing.faulty {
		if lowest == 0 || id.Op < lowest {
			lowest = id.Op
		}
	}
	return lowest, lowest > 0
}

// repairHead is the highest op of the log whose body repair asks for: the head (R9).
func (r *Replica) repairHead() wire.Op {
	if r.config.Defects.Has(DefectNarrowRepair) {
		return min(r.commitMax, r.log.head()) // seed 001: what is uncommitted is never asked for
	}
	return r.log.head()
}

// requestPrepares asks one peer for what is missing, from the first missing op up to the head
// or commit max, within the limits of repair. It needs no event to start, and of earlier requests
// it remembers only whose turn it is: it looks at what is there (R9).
func (r *Replica) requestPrepares() {
	if r.config.ReplicaCount == 1 {
		return
	}
	hole := r.hasHole()
	if hole && r.readBelow() {
		hole = false // no peer is asked for it
	}
	from, ok := r.firstMissing()
	switch {
	case hole:
		r.turn.begin(r.view, r.repaired().base.Op)
		r.requestBelow()
	case ok:
		r.turn.begin(r.view, from)
	default:
		return
	}
	if ok {
		r.requestFrom(from)
	}
	r.turn.asked++
}

// requestFrom asks for a window of what is missing, from an op on.
func (r *Replica) requestFrom(from wire.Op) {
	m := &wire.RequestPrepares{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, FromOp: from,
	}
	wanted := r.log
	last := max(r.repairHead(), r.commitMax)
	if r.merged != nil {
		wanted, last = r.merged.log, r.merged.log.head()
	}
	window := r.newRepairWindow()
	for op := from; op <= last; op++ {
		checksum := r.wantedAt(wanted, op)
		if !window.take(bytesToAsk(wanted, op, checksum)) {
			break
		}
		m.ToOp = op
		m.Wanted = append(m.Wanted, checksum)
	}
	r.asked = m.ToOp
	r.send(r.repairPeer(), m)
}

// wantedAt is what to ask for at op: the log's prepare if its body is missing; beyond the log,
// whatever the peer's log holds.
func (r *Replica) wantedAt(wanted log, op wire.Op) wire.Checksum {
	switch {
	case !wanted.has(op):
		return wire.AnyPrepare
	case r.journal.has(wanted.at(op).ID()):
		return wire.NoPrepare
	}
	return wanted.at(op).Checksum
}

// onRequestPrepares has the asked prepares read, those of them that are stored. It answers in
// any status: a body is the same whoever serves it. The ceiling is the window, in ops and bytes,
// and the head: also what is uncommitted is served (R9).
func (r *Replica) onRequestPrepares(m *wire.RequestPrepares) {
	var ids []wire.PrepareID
	released := false
	window := r.newRepairWindow()
	for i, checksum := range m.Wanted[:min(len(m.Wanted), repairOpsCeiling)] {
		op := m.FromOp + wire.Op(i)
		released = released || checksum != wire.NoPrepare && op <= r.checkpoint.Op
		if checksum == wire.AnyPrepare {
			if !r.log.has(op) {
				continue
			}
			checksum = r.log.at(op).Checksum
		}
		if id := (wire.PrepareID{Op: op, Checksum: checksum}); r.journal.has(id) {
			if !window.take(r.bytesToServe(id)) {
				break
			}
			ids = append(ids, id)
		}
	}
	if released {
		r.offer(m.From())
	}
	if len(ids) > 0 {
		r.out.Reads = append(r.out.Reads, Read{IDs: ids, To: m.From()})
	}
}

// onPreparesRead sends what was read.
func (r *Replica) onPreparesRead(in PreparesRead) {
	for _, p := range in.Prepares {
		if in.To == r.config.Replica {
			r.takeBelow(p) // it was for the replica itself
			continue
		}
		r.send(in.To, &wire.RepairPrepare{
			Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
			Replica: r.config.Replica, Prepare: *p,
		})
	}
}

// onRepairPrepare takes a prepare that was asked for, or that the primary sends again because
// this replica has not acknowledged it. Spec RepairPrepare, or ReceivePrepare if it extends the
// log.
func (r *Replica) onRepairPrepare(m *wire.RepairPrepare) {
	p := &m.Prepare
	if r.takeBelow(p) {
		return
	}
	if r.merged != nil {
		id := p.Header.ID()
		wanted := r.merged.log.contains(id) && id.Op > r.checkpoint.Op
		if wanted && !r.journal.has(id) && !r.isFilling(id) {
			r.fill(p)
			return
		}
		r.refuse(RefusePrepare, m)
		return
	}
	if id := p.Header.ID(); r.isPrimary() && r.missing.isFaulty(id) && !r.isFilling(id) {
		r.fill(p) // a primary prepares itself, but may lose what it prepared
		return
	}
	if m.View > r.view {
		r.askStartView(m.From()) // but a body is the same whatever view its sender is in
	}
	r.admit(p)
}

func (r *Replica) isFilling(id wire.PrepareID) bool {
	for _, f := range r.filling {
		if f == id {
			return true
		}
	}
	return false
}

// fill stores the body of an op whose header stands.
func (r *Replica) fill(p *wire.Prepare) {
	r.filling = append(r.filling, p.Header.ID())
	r.out.StorePrepares = append(r.out.StorePrepares,
		StorePrepare{LogView: r.logView, Fill: true, Prepare: p})
}

// onFilled acknowledges the op. A new primary looks at each tick whether it was the last.
func (r *Replica) onFilled(id wire.PrepareID) {
	r.journal.add(id)
	r.missing.found(id)
	r.timers.repair.progress()
	r.windowDone(id.Op)
	r.emit(Event{Action: ActionRepairPrepare, Op: id.Op, Checksum: id.Checksum})
	r.sendPrepareOK(id)
	r.commitWalk()
}

// retransmit sends each prepare of the pipeline that has no quorum again to each replica that has
// not promised it (R10). One of an earlier view goes as RepairPrepare, from the journal, as many
// as fit into an answer of repair: once they are promised the others follow.
func (r *Replica) retransmit() {
	var inherited []wire.PrepareID
	for to := range r.config.ReplicaCount {
		if wire.ReplicaID(to) == r.config.Replica {
			continue
		}
		inherited = inherited[:0:0]
		window := r.newRepairWindow()
		for i := range r.pipeline {
			entry := &r.pipeline[i]
			switch {
			case entry.oks.has(uint8(to)), entry.oks.count() >= r.quorums.Replication:
			case entry.prepare != nil:
				r.send(wire.ReplicaID(to), entry.prepare)
			case window.take(r.bytesToServe(entry.id)):
				inherited = append(inherited, entry.id)
			}
		}
		if len(inherited) > 0 {
			r.out.Reads = append(r.out.Reads, Read{IDs: inherited, To: wire.ReplicaID(to)})
		}
	}
}
