package sim

import (
	"github.com/viewstamp/viewstamp/impl/wire"
)

// frameID identifies the contents of a frame: the checksum that seals it.
type frameID [16]byte

func frameIDOf(frame []byte) frameID { return frameID(frame[:16]) }

// sent checks a frame as it leaves its replica.
func (c *checker) sent(p Packet) {
	c.checkDurableFirst(&p)
	c.speaksForLog(&p)
	switch m := p.Message.(type) {
	case *wire.Prepare:
		c.sentPrepare(p.From, m)
		c.replicas[p.From].acked[m.Header.ID()] = true
	case *wire.PrepareOK:
		c.withheld(p.From, m)
		c.sentPrepareOK(p.From, m)
	case *wire.Commit:
		a := &c.replicas[p.From].adopting
		a.told = max(a.told, m.Commit)
		if int(m.Commit) > len(c.committed) {
			c.s.fail(FailAgreement, "replica %d says that op %d is committed, but only %d ops are",
				p.From, m.Commit, len(c.committed))
		}
	case *wire.StartViewChange:
		w := &c.replicas[p.From]
		w.spoken = max(w.spoken, m.View)
	case *wire.DoViewChange:
		c.sentVote(&p, m)
	case *wire.StartView:
		c.sentStartView(m)
	case *wire.ConfirmViewOK:
		c.confirms(&p, m)
		if w := &c.replicas[p.From]; m.View < w.spoken {
			c.s.fail(FailPromise, "replica %d confirms view %d, which it left for view %d", p.From,
				m.View, w.spoken)
		}
	case *wire.RepairPrepare:
		if c.disk(p.From).read(m.Prepare.Header.ID()) == nil {
			c.s.fail(FailDurableFirst, "replica %d hands on op %d, which it has not stored", p.From,
				m.Prepare.Header.Op)
		}
	case *wire.RequestCheckpoint:
		c.asksForChunk(&p, m)
	case *wire.ConfirmView:
		c.asks(&p, m)
	case *wire.RequestStartView:
		c.replicas[p.From].rejoining.probes = true
	case *wire.RequestPrepares:
		c.takesTurns(&p, m)
	case *wire.Request, *wire.Reply, *wire.CheckpointChunk:
	}
}

// checkDurableFirst demands that the view which a message speaks for is in the superblock
// (R1). Questions and repairs speak for none.
func (c *checker) checkDurableFirst(p *Packet) {
	switch p.Message.Command() {
	case wire.CommandPrepare, wire.CommandPrepareOK, wire.CommandCommit,
		wire.CommandStartViewChange, wire.CommandDoViewChange, wire.CommandStartView,
		wire.CommandConfirmViewOK:
	case wire.CommandRequest, wire.CommandReply, wire.CommandRequestStartView,
		wire.CommandRequestPrepares, wire.CommandRepairPrepare, wire.CommandConfirmView,
		wire.CommandRequestCheckpoint, wire.CommandCheckpointChunk:
		return
	}
	if view := p.Message.InView(); view > c.disk(p.From).superblock.View {
		c.s.fail(FailDurableFirst, "replica %d sends %s of view %d; its superblock has view %d",
			p.From, p.Message.Command(), view, c.disk(p.From).superblock.View)
	}
}

// sentPrepare demands one prepare for each op of a view, stored before it is sent.
func (c *checker) sentPrepare(replica int, m *wire.Prepare) {
	at := viewOp{view: m.Header.View, op: m.Header.Op}
	known, prepared := c.prepared[at]
	if prepared && known != m.Header.Checksum {
		c.s.fail(FailPrimary, "replica %d prepares op %d of view %d a second time, differently",
			replica, at.op, at.view)
	}
	c.prepared[at] = m.Header.Checksum
	if c.disk(replica).read(m.Header.ID()) == nil {
		c.s.fail(FailDurableFirst, "replica %d sends op %d, which it has not stored", replica, at.op)
	}
}

// sentPrepareOK demands that the promise is true (R3), and that its sender has not left the
// view.
func (c *checker) sentPrepareOK(replica int, m *wire.PrepareOK) {
	id, d, w := wire.PrepareID{Op: m.Op, Checksum: m.PrepareChecksum}, c.disk(replica),
		&c.replicas[replica]
	w.acked[id] = true
	if w.adopting.now {
		w.adopting.acked[id.Op] = id.Checksum
	}
	placed := d.placed()
	switch {
	case m.View < w.spoken:
		c.s.fail(FailPromise, "replica %d acknowledges op %d in view %d, which it left for view %d",
			replica, m.Op, m.View, w.spoken)
	case d.read(id) == nil || !c.places(&placed, id) || placed.logView != m.View:
		c.s.fail(FailDurableFirst, "replica %d acknowledges op %d of view %d, which its disk has "+
			"not in the log of that view", replica, m.Op, m.View)
	case m.View < w.promises.view || !w.promises.add(m.View, id):
		c.s.fail(FailPromise, "replica %d acknowledges op %d of view %d after another promise",
			replica, m.Op, m.View)
	}
}

// sentVote demands one vote for each view, with all that was promised in its log view.
func (c *checker) sentVote(p *Packet, m *wire.DoViewChange) {
	w := &c.replicas[p.From]
	id := frameIDOf(p.Frame)
	if known, voted := w.votes[m.View]; voted && known != id {
		c.s.fail(FailVote, "replica %d votes twice in view %d, differently", p.From, m.View)
	}
	w.votes[m.View] = id
	if m.View < w.spoken {
		c.s.fail(FailPromise, "replica %d votes in view %d, which it left for view %d", p.From,
			m.View, w.spoken)
	}
	w.spoken = max(w.spoken, m.View)
	c.disowns(p.From, m)
	c.saysUntrusted(p.From, m)
	if w.promises.view != m.LogView {
		return
	}
	op := w.promises.broken(func(id wire.PrepareID) bool {
		if id.Op <= m.Base.Op {
			return true // committed, says the vote
		}
		i := int(id.Op - m.Base.Op - 1)
		return i < len(m.Headers) && m.Headers[i].Checksum == id.Checksum && m.Present.Get(i)
	})
	if op != 0 {
		c.s.fail(FailPromise, "the vote of replica %d in view %d lacks op %d, promised in view %d",
			p.From, m.View, op, m.LogView)
	}
}

// sentStartView demands one log for each view, whoever asks for it and when: its primary adds to
// it and takes nothing back (R7).
func (c *checker) sentStartView(m *wire.StartView) {
	head := m.Base.Op
	c.sentInView(m.View, m.Base)
	for i := range m.Headers {
		c.sentInView(m.View, m.Headers[i].ID())
		head = m.Headers[i].Op
	}
	if first, sent := c.startedAt[m.View]; !sent {
		c.startedAt[m.View] = head
	} else if head < first {
		c.s.fail(FailPrimary, "the log of view %d ends at op %d, after op %d", m.View, head, first)
	}
}

func (c *checker) sentInView(view wire.View, id wire.PrepareID) {
	at := viewOp{view: view, op: id.Op}
	if known, sent := c.started[at]; sent && known != id.Checksum {
		c.s.fail(FailPrimary, "view %d has two logs at op %d", view, id.Op)
	}
	c.started[at] = id.Checksum
}
