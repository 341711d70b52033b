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
}

// isOut reports whether a replica has lost its disk and has no log yet, so that it has no part
// in any quorum.
func (c *checker) isOut(replica int) bool {
	return c.disk(replica).wiped && !c.replicas[replica].rejoining.adopted
}

// tells takes note of a frame that tells the present boot of its receiver which view its sender
// is in.
func (c *checker) tells(p *Packet, view wire.View, boot wire.Incarnation) {
	if p.To < 0 || p.To >= len(c.replicas) || boot != c.s.cluster.incarnation(p.To) {
		return
	}
	w := &c.replicas[p.To].rejoining
	if w.told == nil {
		w.told = map[wire.View]uint64{}
	}
	w.told[view] |= 1 << p.From
}

// speaksForLog demands that a replica that has lost its disk says nothing that a quorum counts
// before it has a log again.
func (c *checker) speaksForLog(p *Packet) {
	switch p.Message.Command() { //nolint:exhaustive // no quorum counts the others
	case wire.CommandPrepareOK, wire.CommandStartViewChange, wire.CommandDoViewChange,
		wire.CommandConfirmViewOK:
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
