package sim

import (
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// promises are the PrepareOKs that a replica has sent in the last view in which it sent any.
type promises struct {
	view wire.View
	ids  map[wire.Op]wire.Checksum
}

// add takes note of a promise. It returns false if another prepare was promised at the op.
func (p *promises) add(view wire.View, id wire.PrepareID) bool {
	if p.ids == nil || view > p.view {
		p.view, p.ids = view, map[wire.Op]wire.Checksum{}
	}
	if known, promised := p.ids[id.Op]; promised {
		return known == id.Checksum
	}
	p.ids[id.Op] = id.Checksum
	return true
}

// broken returns the lowest promised op that a log lacks, or 0. has tells whether the log, with
// the bodies, has a prepare.
func (p *promises) broken(has func(wire.PrepareID) bool) wire.Op {
	for _, op := range slices.Sorted(maps.Keys(p.ids)) {
		if !has(wire.PrepareID{Op: op, Checksum: p.ids[op]}) {
			return op
		}
	}
	return 0
}

// written checks that no write took the durable views back (R1, R2).
func (c *checker) written(replica int) {
	d, w := c.disk(replica), &c.replicas[replica]
	before, now := w.superblock, d.superblock
	if now.View < before.View || now.LogView < before.LogView {
		c.s.fail(FailMonotone, "replica %d stores view %d, log view %d after %d, %d", replica,
			now.View, now.LogView, before.View, before.LogView)
	}
	w.superblock = now
	if view := d.view(); view < w.durable {
		c.s.fail(FailMonotone, "the disk of replica %d goes back from view %d to view %d", replica,
			w.durable, view)
	} else {
		w.durable = view
	}
}

// crashed forgets what a crash takes along.
func (c *checker) crashed(replica int) {
	w := &c.replicas[replica]
	w.executed, w.transfer, w.rejoining = 0, transferring{}, rejoining{}
	w.adopting, w.serving, w.turning = adopting{}, serving{}, turning{}
	w.last = vsr.State{Status: vsr.StatusRecovering}
	c.written(replica) // of what was under way some may have landed
	c.moved = true
}

// booted checks that a replica comes back with what its disk holds (R1, R2).
func (c *checker) booted(replica int) {
	d, state := c.disk(replica), c.s.cluster.State(replica)
	placed := d.placed()
	if state.View < d.view() || state.LogView != placed.logView {
		c.s.fail(FailMonotone, "replica %d boots in view %d, log view %d; its disk has %d, %d",
			replica, state.View, state.LogView, d.view(), placed.logView)
	}
	head := placed.head()
	if newest := d.newestSnapshot(); newest != nil && !placed.reachesOver(newest.id) {
		head = newest.id.Op // what does not know the checkpoint is of no worth (R17)
	}
	if state.OpHead != head {
		c.s.fail(FailDurability, "replica %d boots with a log up to op %d; that of its disk reaches "+
			"op %d", replica, state.OpHead, head)
	}
	if newest := d.newestSnapshot(); newest != nil {
		c.replicas[replica].transfer.checkpoint = newest.id.Op
	}
	c.jumped(replica)
}

// jumped follows a replica whose machine was put to where a checkpoint is, at its boot or by an
// install: forward, and to the state that whoever executed the ops has come to (R17, R21).
func (c *checker) jumped(replica int) {
	w, op := &c.replicas[replica], c.s.cluster.Applied(replica)
	if op == w.executed {
		return
	}
	switch {
	case op < w.executed:
		c.s.fail(FailExecution, "replica %d goes back from op %d to op %d", replica, w.executed, op)
	case int(op) > len(c.states):
		c.s.fail(FailState, "replica %d starts from op %d, which nobody has executed", replica, op)
	case c.s.cluster.Machine(replica).Checksum() != c.states[op-1]:
		c.s.fail(FailState, "replica %d starts from another state after op %d", replica, op)
	}
	w.executed = op
}

// endTick looks for everything committed and promised once more if a log has changed.
func (c *checker) endTick() {
	if !c.moved || c.s.result.Failure != nil {
		return
	}
	c.moved = false
	for i, checksum := range c.committed {
		c.checkDurable(wire.PrepareID{Op: wire.Op(i + 1), Checksum: checksum})
	}
	for replica := range c.replicas {
		c.checkPromises(replica)
	}
}

// places reports whether a boot would find this very prepare in the log, or committed below it:
// then the chain from the base downward has it.
func (c *checker) places(p *placement, id wire.PrepareID) bool {
	if id.Op <= p.base.Op {
		return int(id.Op) <= len(c.committed) && c.committed[id.Op-1] == id.Checksum
	}
	return p.at(id)
}

// checkPromises demands that what a replica promised under the log view of its disk is in its
// log and journal (PrepareOKBacked).
func (c *checker) checkPromises(replica int) {
	d, w := c.disk(replica), &c.replicas[replica]
	placed := d.placed()
	if w.promises.view != placed.logView {
		return
	}
	op := w.promises.broken(func(id wire.PrepareID) bool {
		return d.covers(id.Op) || c.places(&placed, id) && d.read(id) != nil
	})
	if op != 0 {
		c.s.fail(FailPromise, "replica %d promised op %d in view %d; its disk has it no more",
			replica, op, placed.logView)
	}
}
