package sim

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// transferring is what is known of a replica's state transfer (R21): what it says about it, what
// its host is asked for, and what it asks its peers for.
type transferring struct {
	// fetching is from the beginning of a transfer to its end, installing its last part, which
	// begins with the request to the host.
	fetching, installing bool
	// ended says that the step under way has ended an install: what was withheld is due.
	ended bool
	// chunk is what the host was asked to keep last, since the transfer began.
	chunk vsr.StoreChunk
	// other says that a piece of another snapshot of the same checkpoint has come since: what is
	// here may be dropped for it, and be fetched anew from the first sender.
	other bool
	// asked is the last question, times how often it was put to the same peer, in a row.
	asked wire.RequestCheckpoint
	to    int
	times int
	// checkpoint is the newest that the log was released for.
	checkpoint wire.Op
}

// askedMax is how often a peer is asked in a row for the same bytes: when the transfer begins,
// once more, and where somebody else has said no in between.
const askedMax = 3

// followTransfer takes note of what a replica says that it does, and demands that it may.
func (c *checker) followTransfer(replica int, e *vsr.Event) {
	t := &c.replicas[replica].transfer
	switch e.Action { //nolint:exhaustive // all others have nothing to do with it
	case vsr.EventStartTransfer, vsr.EventResumeTransfer:
		t.fetching = true
		if e.Action == vsr.EventStartTransfer {
			t.chunk, t.other, t.asked = vsr.StoreChunk{}, false, wire.RequestCheckpoint{}
		}
		if e.After.Status == vsr.StatusNormal && e.Op > e.After.CommitMax {
			c.s.fail(FailTransfer, "replica %d fetches a checkpoint at op %d, and knows op %d as "+
				"committed", replica, e.Op, e.After.CommitMax)
		}
		if placed := c.disk(replica).placed(); placed.logView != e.After.View {
			c.s.fail(FailTransfer, "replica %d fetches a checkpoint for the log of view %d; that of its "+
				"disk is of view %d", replica, e.After.View, placed.logView)
		}
	case vsr.EventAbandonTransfer:
		t.fetching = false
	case vsr.EventInstall:
		t.fetching, t.installing, t.ended = false, false, true
		t.chunk = vsr.StoreChunk{}
		c.releasedFor(replica, e.Op)
	case vsr.EventTakeCheckpoint:
		c.releasedFor(replica, e.Op)
	}
}

// releasedFor demands that the checkpoint which a log begins at rises (R17).
func (c *checker) releasedFor(replica int, op wire.Op) {
	t := &c.replicas[replica].transfer
	if op < t.checkpoint {
		c.s.fail(FailTransfer, "replica %d goes back to its checkpoint at op %d from that at op %d",
			replica, op, t.checkpoint)
	}
	t.checkpoint = op
}

// fetched demands that the bytes which a host is to keep go behind those that it has: of the
// same snapshot, and none of them twice.
func (c *checker) fetched(replica int, now *vsr.StoreChunk) {
	t := &c.replicas[replica].transfer
	last := &t.chunk
	same := now.Checkpoint == last.Checkpoint && now.Snapshot == last.Snapshot
	end := last.Offset + uint64(len(last.Data))
	switch {
	case now.Offset > 0 && end > 0 && (!same || now.Offset != end):
		c.s.fail(FailTransfer, "replica %d puts bytes from %d of snapshot %v behind %d of snapshot %v",
			replica, now.Offset, now.Snapshot, end, last.Snapshot)
	case now.Offset == 0 && same && end > 0 && !t.other:
		c.s.fail(FailTransfer, "replica %d fetches snapshot %v from its first byte, and has %d of it",
			replica, now.Snapshot, end)
	}
	*last, t.other = *now, false
}

// arrived takes note of a piece that a peer sends: two replicas may keep the same checkpoint in
// different bytes, and pieces of the two do not go together.
func (c *checker) arrived(replica int, m wire.Message) {
	if asked, ok := m.(*wire.RequestPrepares); ok {
		c.askedFor(replica, asked)
	}
	if _, ok := m.(*wire.RepairPrepare); ok {
		c.replicas[replica].turning = turning{}
	}
	c.hears(replica, m)
	piece, ok := m.(*wire.CheckpointChunk)
	t := &c.replicas[replica].transfer
	if ok && !piece.IsOffer() && t.fetching && piece.Checkpoint == t.chunk.Checkpoint &&
		piece.Snapshot != t.chunk.Snapshot {
		t.other = true
	}
}

// installs takes note that the host is asked to install what was fetched, and demands that the
// state machine is at rest (R5).
func (c *checker) installs(replica int) {
	c.replicas[replica].transfer.installing = true
	if c.s.cluster.Executes(replica) > 0 {
		c.s.fail(FailTransfer, "replica %d installs a checkpoint while an op is with the state machine",
			replica)
	}
}

// refuses takes note that the host is about to say that what was fetched is no checkpoint.
func (c *checker) refuses(replica int) {
	t := &c.replicas[replica].transfer
	*t = transferring{ended: true, checkpoint: t.checkpoint}
}

// asksForChunk demands that a peer which does not answer is not asked for ever.
func (c *checker) asksForChunk(p *Packet, m *wire.RequestCheckpoint) {
	t := &c.replicas[p.From].transfer
	if c.s.ticking && !c.needs(p.From, m.Checkpoint.Op) {
		c.s.fail(FailOwed, "replica %d goes on to fetch a checkpoint at op %d, and has all ops up to it",
			p.From, m.Checkpoint.Op)
	}
	if len(c.replicas) <= 2 {
		return // there is nobody else
	}
	if t.to != p.To || t.asked != *m {
		t.to, t.asked, t.times = p.To, *m, 0
	}
	if t.times++; t.times > askedMax {
		c.s.fail(FailTransfer, "replica %d asks replica %d for bytes from %d of its checkpoint at op "+
			"%d for the %dth time", p.From, p.To, m.Offset, m.Checkpoint.Op, t.times)
	}
}

// needs reports whether a replica lacks an op up to that of a checkpoint; one that has not started
// its view is believed.
func (c *checker) needs(replica int, checkpoint wire.Op) bool {
	state := c.s.cluster.State(replica)
	return state.Status != vsr.StatusNormal || state.OpHead < checkpoint ||
		len(state.Hollow) > 0 && state.Hollow[0] <= checkpoint
}

// withheld demands that a replica acknowledges nothing while it installs: the state record over
// the new base may be on its way.
func (c *checker) withheld(replica int, m *wire.PrepareOK) {
	if c.replicas[replica].transfer.installing {
		c.s.fail(FailTransfer, "replica %d acknowledges op %d while it installs a checkpoint",
			replica, m.Op)
	}
}

// restored demands that memory is not at an installed checkpoint before the disk is: the state
// record over it has not been stored yet.
func (c *checker) restored(replica int, op wire.Op) {
	if !c.s.cluster.Up(replica) {
		return
	}
	if state := c.s.cluster.State(replica); state.CommitMin >= op {
		c.s.fail(FailTransfer, "replica %d counts op %d as executed while the log of its disk ends "+
			"below it", replica, op)
	}
}

// stepped looks at what a step has done about a transfer: nothing is executed during one, and
// what an install has withheld is acknowledged at its end, whatever that was (R10, R21).
func (c *checker) stepped(replica int, executes bool) {
	c.acknowledgesAdopted(replica)
	c.servesAsked(replica)
	c.asksAgain(replica)
	t := &c.replicas[replica].transfer
	if executes && t.fetching {
		c.s.fail(FailTransfer, "replica %d executes an op while it fetches a checkpoint", replica)
	}
	if t.ended {
		t.ended = false
		c.owesNothing(replica)
	}
}

// owesNothing demands that a backup has acknowledged all that it holds of its view's log.
func (c *checker) owesNothing(replica int) {
	w, state := &c.replicas[replica], c.s.cluster.State(replica)
	placed := c.disk(replica).placed()
	primary := int(uint64(state.View)%uint64(len(c.replicas))) == replica
	if state.Status != vsr.StatusNormal || primary || placed.logView != state.View {
		return
	}
	for op := max(state.CommitMax, placed.base.Op) + 1; op <= min(state.OpHead, placed.head()); op++ {
		promised, sent := w.promises.ids[op]
		sent = sent && w.promises.view == state.View &&
			promised == placed.checksums[op-placed.base.Op-1]
		if !sent && !slices.Contains(state.Hollow, op) {
			c.s.fail(FailTransfer, "replica %d does not acknowledge op %d, which it holds, at the end "+
				"of an install", replica, op)
			return
		}
	}
}
