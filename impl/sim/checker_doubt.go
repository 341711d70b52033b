package sim

import (
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// loses lets a replica forget what its disk has lost: it must know that it may have (R15).
func (c *checker) loses(replica int) {
	c.replicas[replica].promises = promises{}
	c.lost++
	c.moved = true
}

// doubts notes whether the log that a replica votes with is in doubt.
func (c *checker) doubts(replica int, view wire.View) {
	w := &c.replicas[replica]
	if w.doubted == nil {
		w.doubted = map[wire.View]bool{}
	}
	w.doubted[view] = c.disk(replica).inDoubt()
}

// saysUntrusted demands that a vote says of its log what its disk says (R15).
func (c *checker) saysUntrusted(replica int, m *wire.DoViewChange) {
	if c.replicas[replica].doubted[m.View] && !m.Untrusted {
		c.s.fail(FailVote, "replica %d votes in view %d as if its log lacked nothing", replica, m.View)
	}
}

// merges demands that a new primary merges what a quorum of trusted logs, or all, have voted (R15),
// and that the log which comes of it has all that was committed in earlier views (R12).
func (c *checker) merges(replica int, e *vsr.Event) {
	trusted := 0
	for _, voter := range e.Quorum {
		if !c.replicas[voter].doubted[e.View] {
			trusted++
		}
	}
	n := len(c.replicas)
	if trusted < vsr.QuorumsOf(n).ViewChange && len(e.Quorum) < n {
		c.s.fail(FailVote, "replica %d merges for view %d the votes of %v, %d of them of trusted logs",
			replica, e.View, e.Quorum, trusted)
	}
	for op := len(c.committedIn); op > int(e.Op); op-- {
		if c.committedIn[op-1] < e.View {
			c.s.fail(FailAgreement, "replica %d merges for view %d a log up to op %d, and op %d was "+
				"committed in view %d", replica, e.View, e.Op, op, c.committedIn[op-1])
			return
		}
	}
}
