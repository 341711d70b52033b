package sim

import (
	"maps"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// begins looks at the writes that a step has begun.
func (c *checker) begins(replica int, writes []write) {
	for i := range writes {
		switch r := writes[i].record; {
		case r == nil:
		case r.state != nil:
			c.keepsLog(replica, r)
			c.saysDoubt(replica, r.state)
		default:
			c.storesPrepare(replica, r.prepare)
		}
	}
}

// storesPrepare demands that nothing is stored which no release will ever let go (R17), and that a
// primary has no more under way than its pipeline holds (R9, R20).
func (c *checker) storesPrepare(replica int, p *vsr.StorePrepare) {
	w, h := &c.replicas[replica], &p.Prepare.Header
	if h.Op <= w.transfer.checkpoint {
		c.s.fail(FailBound, "replica %d stores op %d, and has released the log up to op %d", replica,
			h.Op, w.transfer.checkpoint)
	}
	if p.Fill || !c.s.cluster.Up(replica) {
		return
	}
	state := c.s.cluster.State(replica)
	primary := state.Status == vsr.StatusNormal && h.View == state.View &&
		int(uint64(h.View)%uint64(len(c.replicas))) == replica
	depth := c.s.plan.limits.Pipeline
	if depth == 0 {
		depth = vsr.PipelineMax
	}
	if primary && h.Op > state.CommitMax+wire.Op(depth) {
		c.s.fail(FailBound, "replica %d prepares op %d with op %d committed: its pipeline holds %d",
			replica, h.Op, state.CommitMax, depth)
	}
}

// keepsLog demands that a state record of the log view in force takes nothing away and replaces
// nothing: only another log view does (R2, R7).
func (c *checker) keepsLog(replica int, r *walRecord) {
	var before placement
	for _, x := range c.disk(replica).records {
		if x == r {
			break
		}
		before.apply(x)
	}
	if r.state.LogView != before.logView {
		return
	}
	after := placement{}
	after.apply(r)
	for op := max(before.base.Op, after.base.Op) + 1; op <= before.head(); op++ {
		id := wire.PrepareID{Op: op, Checksum: before.checksums[op-before.base.Op-1]}
		if !after.at(id) {
			c.s.fail(FailPromise, "replica %d takes op %d out of its log of view %d", replica, op,
				before.logView)
			return
		}
	}
}

// saysDoubt demands that a state record has in doubt what the replica has acknowledged once and of
// which the log has no record before it (R15): a vote would disown it.
func (c *checker) saysDoubt(replica int, s *vsr.StateRecord) {
	d := c.disk(replica)
	doubtful := map[wire.PrepareID]bool{}
	for _, id := range s.Doubtful {
		doubtful[id] = true
	}
	for i := range s.Headers {
		id := s.Headers[i].ID()
		if c.replicas[replica].acked[id] && !d.knows(id) && !doubtful[id] &&
			!s.Untrusted {
			c.s.fail(FailPromise, "replica %d has acknowledged op %d, has not got it, and stores a log "+
				"that does not say so", replica, id.Op)
			return
		}
	}
}

// disowns demands that a vote does not nack what its sender has acknowledged (R12, R15).
func (c *checker) disowns(replica int, m *wire.DoViewChange) {
	for i := range m.Headers {
		id := m.Headers[i].ID()
		if m.Nack.Get(i) && c.replicas[replica].acked[id] {
			c.s.fail(FailVote, "replica %d nacks op %d in its vote for view %d, and has acknowledged it",
				replica, id.Op, m.View)
			return
		}
	}
}

// supersedes forgets what a replica has acknowledged and the log that it adopts does not have: no
// commit has counted that, or the log of the later view had it, and none will (R12).
func (c *checker) supersedes(replica int) {
	placed := c.disk(replica).placed()
	maps.DeleteFunc(c.replicas[replica].acked, func(id wire.PrepareID, _ bool) bool {
		return id.Op > placed.base.Op && !placed.at(id)
	})
}

// reads demands that what is read for a peer at once is within the limits of repair, whatever was
// asked for (R9), and takes note of it.
func (c *checker) reads(replica int, r *vsr.Read) {
	if int(r.To) == replica {
		return // below a hole of its own
	}
	bytes, l := 0, c.s.plan.limits
	for _, id := range r.IDs {
		if p := c.disk(replica).read(id); p != nil {
			bytes += len(p.Body)
		}
		c.replicas[replica].serving.takes(r.To, id)
	}
	ops, most := l.RepairOps, l.RepairBytes
	if ops == 0 {
		ops = vsr.RepairWindow
	}
	if most == 0 {
		most = vsr.RepairBytesMax
	}
	if len(r.IDs) > ops || len(r.IDs) > 1 && bytes > most {
		c.s.fail(FailBound, "replica %d reads %d prepares of %d bytes at once for replica %d: expected "+
			"%d and %d at most", replica, len(r.IDs), bytes, r.To, ops, most)
	}
}

// serving is a prepare that a replica has been asked for and holds: it must read it in that step.
type serving struct {
	owed bool
	to   wire.ReplicaID
	id   wire.PrepareID
}

func (s *serving) takes(to wire.ReplicaID, id wire.PrepareID) {
	s.owed = s.owed && (s.to != to || s.id != id)
}

// askedFor takes note of the first prepare that a replica is asked for by its identity and holds
// in its log: it may be committed or not (R9).
func (c *checker) askedFor(replica int, m *wire.RequestPrepares) {
	if int(m.Replica) == replica {
		return // misdirected
	}
	if !c.s.cluster.Up(replica) {
		return
	}
	placed, head := c.disk(replica).placed(), c.s.cluster.State(replica).OpHead
	for i, checksum := range m.Wanted {
		if checksum == wire.AnyPrepare {
			return // what its log has there may fill the answer
		}
		id := wire.PrepareID{Op: m.FromOp + wire.Op(i), Checksum: checksum}
		if c.disk(replica).covers(id.Op) || c.disk(replica).read(id) == nil {
			continue // released, or soon
		}
		if id.Op <= head && placed.at(id) { // a superseded one may fill the answer
			c.replicas[replica].serving = serving{owed: true, to: m.Replica, id: id}
		}
		return
	}
}

// servesAsked demands, at the end of the step, that what was asked for is read.
func (c *checker) servesAsked(replica int) {
	s := &c.replicas[replica].serving
	if s.owed {
		c.s.fail(FailOwed, "replica %d holds op %d and does not serve it to replica %d", replica,
			s.id.Op, s.to)
	}
	*s = serving{}
}
