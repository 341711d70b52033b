package sim

import (
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// adopting is what a replica does in the step in which it adopts the log of a view.
type adopting struct {
	now bool
	// commit is what the StartView says to be committed.
	commit wire.Op
	// acked are the ops that it acknowledges, told the commit point that it tells its primary.
	acked map[wire.Op]wire.Checksum
	told  wire.Op
}

// adoptsLog demands that whoever adopts a log takes its commit point with it (R11), and that who
// recovers takes the answer to a probe of this boot, and nobody else takes any (R4).
func (c *checker) adoptsLog(replica int, e *vsr.Event) {
	switch {
	case e.Action != vsr.ActionRecover && !e.Incarnation.IsZero():
		c.s.fail(FailIncarnation, "replica %d takes the answer to a probe, a log of view %d, and "+
			"recovers no more", replica, e.View)
	case e.Action == vsr.ActionRecover && e.Incarnation != c.s.cluster.incarnation(replica):
		c.s.fail(FailIncarnation, "replica %d takes a log of view %d that answers a probe of an "+
			"earlier boot", replica, e.View)
	case e.After.CommitMax < e.Commit:
		c.s.fail(FailOwed, "replica %d adopts a log that is committed up to op %d, and knows of op %d",
			replica, e.Commit, e.After.CommitMax)
	}
	c.supersedes(replica)
	c.replicas[replica].adopting = adopting{
		now: true, commit: e.Commit, acked: map[wire.Op]wire.Checksum{},
	}
}

// acknowledgesAdopted demands, at the end of the step, that what was adopted and may not be
// committed is acknowledged where it is held, or said to be committed where it is released: the
// primary waits for it (R10, R11; VRR 4.2, step 5).
func (c *checker) acknowledgesAdopted(replica int) {
	w := &c.replicas[replica]
	a := w.adopting
	w.adopting = adopting{}
	if !a.now || !c.s.cluster.Up(replica) {
		return
	}
	placed, d := c.disk(replica).placed(), c.disk(replica)
	if a.commit < placed.base.Op && a.told < placed.base.Op {
		c.s.fail(FailOwed, "replica %d has released the log up to op %d, and does not tell the primary "+
			"of view %d, which knows op %d as committed", replica, placed.base.Op, placed.logView,
			a.commit)
	}
	if w.transfer.installing {
		return // due at its end
	}
	for op := max(a.commit, placed.base.Op) + 1; op <= placed.head(); op++ {
		id := wire.PrepareID{Op: op, Checksum: placed.checksums[op-placed.base.Op-1]}
		if d.read(id) != nil && a.acked[op] != id.Checksum {
			c.s.fail(FailOwed, "replica %d adopts op %d of view %d, holds it and does not acknowledge it",
				replica, op, placed.logView)
			return
		}
	}
}
