package sim

import (
	"math/bits"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// rejoining is what is known of a replica on an empty disk in its present boot (R16).
type rejoining struct {
	// told are the replicas that have told this boot that they are in a view, by view, as bits.
	told map[wire.View]uint64
	// adopted says that it has adopted a log since it booted.
	adopted bool
	// offered is the highest view whose log has answered a probe of this boot; answered says
	// that there is one.
	offered  wire.View
	answered bool
	// probes and asks say what it does in the step under way.
	probes, asks bool
}

// asking is a question whether its receiver is in a view.
type asking struct {
	replica int
	boot    wire.Incarnation
	round   uint64
	view    wire.View
}

// isOut reports whether a replica has lost its disk and has no log yet, so that it has no part
// in any quorum.
func (c *checker) isOut(replica int) bool {
	return c.disk(replica).wiped && !c.replicas[replica].rejoining.adopted
}

// tells takes note of a frame that tells the present boot of its receiver which view its sender
// is in.
func (c *checker) tells(replica int, m wire.Message, boot wire.Incarnation) {
	if boot != c.s.cluster.incarnation(replica) {
		return
	}
	w := &c.replicas[replica].rejoining
	if w.told == nil {
		w.told = map[wire.View]uint64{}
	}
	w.told[m.InView()] |= 1 << m.From()
}

// speaksForLog demands that a replica that has lost its disk says nothing that a quorum counts
// before it has a log again, and one that recovers before it has a view again (R4).
func (c *checker) speaksForLog(p *Packet) {
	switch p.Message.Command() { //nolint:exhaustive // no quorum counts the others
	case wire.CommandPrepareOK, wire.CommandStartViewChange, wire.CommandDoViewChange,
		wire.CommandConfirmViewOK:
		if c.state(p.From).Status == vsr.StatusRecovering {
			c.s.fail(FailPromise, "replica %d recovers, and sends %s of view %d", p.From,
				p.Message.Command(), p.Message.InView())
		}
		if c.isOut(p.From) {
			c.s.fail(FailPromise, "replica %d has lost its disk and no log yet, and sends %s of "+
				"view %d", p.From, p.Message.Command(), p.Message.InView())
		}
	}
}

// adopts demands that a replica which has lost its disk adopts the log of a view only after so
// many others have told this boot that they are in it that the rest, with itself, are too few
// for a vote of a later view.
func (c *checker) adopts(replica int, view wire.View) {
	if !c.isOut(replica) {
		return
	}
	n, w := len(c.replicas), &c.replicas[replica].rejoining
	w.adopted = true
	enough := n - vsr.QuorumsOf(n).ViewChange + 1
	if told := bits.OnesCount64(w.told[view]); told < enough {
		c.s.fail(FailIncarnation, "replica %d, which has lost its disk, adopts view %d, and %d "+
			"replicas have told it that they are in it: expected %d", replica, view, told, enough)
	}
}

// asks takes note of a question whether others are in a view. Who has lost its disk does not go
// back to a view below the newest that it was offered (R16).
func (c *checker) asks(p *Packet, m *wire.ConfirmView) {
	c.asked[asking{p.From, m.Incarnation, m.Round, m.View}] = true
	r := &c.replicas[p.From].rejoining
	r.asks = true
	if c.isOut(p.From) && r.answered && m.View < r.offered {
		c.s.fail(FailIncarnation, "replica %d, which has lost its disk, was offered the log of view %d, "+
			"and goes back to view %d", p.From, r.offered, m.View)
	}
}

// confirms demands that a replica says that it is in a view to whom has asked for that (R19).
func (c *checker) confirms(p *Packet, m *wire.ConfirmViewOK) {
	if !c.asked[asking{p.To, m.Incarnation, m.Round, m.View}] {
		c.s.fail(FailPromise, "replica %d confirms view %d to replica %d, which has not asked about it",
			p.From, m.View, p.To)
	}
}

// hears takes note of what arrives at a replica that has lost its disk.
func (c *checker) hears(replica int, m wire.Message) {
	if !c.isOut(replica) {
		return
	}
	switch m := m.(type) { //nolint:gochecksumtype // the others tell nothing about views
	case *wire.ConfirmViewOK:
		c.tells(replica, m, m.Incarnation)
	case *wire.StartView:
		c.tells(replica, m, m.Incarnation)
		if r := &c.replicas[replica].rejoining; m.Incarnation == c.s.cluster.incarnation(replica) {
			r.offered, r.answered = max(r.offered, m.View), true
		}
	}
}

// asksAgain demands that who has lost its disk, and was offered a log, asks each time that it
// probes who is in that view: nothing else repeats the question while its primary is silent (R10).
func (c *checker) asksAgain(replica int) {
	r := &c.replicas[replica].rejoining
	if r.probes && !r.asks && r.answered && c.isOut(replica) {
		c.s.fail(FailOwed, "replica %d, which has lost its disk and was offered the log of view %d, "+
			"does not ask again who is in it", replica, r.offered)
	}
	r.probes, r.asks = false, false
}
