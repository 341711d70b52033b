package nodes

import (
	"errors"
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// promises are the prepares that a replica has spoken for in the newest view in which it has: a
// disk that has lost one of them must know that it may have (R15).
type promises struct {
	view wire.View
	ids  map[wire.Op]wire.Checksum
}

// add takes note of a promise.
func (p *promises) add(view wire.View, id wire.PrepareID) {
	if p.ids == nil || view > p.view {
		p.view, p.ids = view, map[wire.Op]wire.Checksum{}
	}
	if view == p.view {
		p.ids[id.Op] = id.Checksum
	}
}

// promised takes note of what a process speaks for, and demands that it can be read: its disk is
// one that keeps what it has flushed.
func (c *checker) promised(p *process, group wire.GroupID, view wire.View, id wire.PrepareID) {
	w := c.groups[group]
	w.promises[p.id].add(view, id)
	if c.s.options.Calm || p.dying || c.s.plan.atlas.mayLose(p) ||
		id.Op <= w.durable[p.id].Checkpoint.Op {
		return
	}
	if _, err := p.storage.Read(group, id); err != nil {
		c.s.fail(FailPromise, "process %d, group %d: speaks for op %d, which it cannot read: %v", p.id,
			group, id.Op, err)
	}
}

// served demands that the body which a process hands on is that of its header, whatever its disk
// has made of it (R3).
func (c *checker) served(p *process, group wire.GroupID, m *wire.Prepare) {
	if c.s.plan.atlas.mayLose(p) && wire.ChecksumOf(m.Body) != m.Header.ChecksumBody {
		c.s.fail(FailCorruption, "process %d, group %d: hands on another body for op %d than that of "+
			"its header", p.id, group, m.Header.Op)
	}
}

// booted looks at what a process has come back with. It believes a replica that doubts its log,
// and one that has lost its disk; any other must have the log in which it has made promises, up
// to the newest of them (R15). Bodies may be gone where the log says so.
func (c *checker) booted(p *process) {
	c.stateFlushed(p)
	for _, group := range c.s.groups() {
		made, now := &c.groups[group].promises[p.id], p.state(group)
		switch {
		case now.Untrusted || now.Wiped:
			*made = promises{}
			continue
		case now.LogView < c.groups[group].durable[p.id].LogView:
			c.s.fail(FailMonotone, "process %d, group %d: boots, without a doubt, in log view %d; its "+
				"superblock says %d", p.id, group, now.LogView, c.groups[group].durable[p.id].LogView)
		case made.view != now.LogView:
			continue // of a log that another one has replaced
		}
		for _, op := range slices.Sorted(maps.Keys(made.ids)) {
			if op > max(now.Head, now.Checkpoint) {
				c.s.fail(FailPromise, "process %d, group %d: boots, without a doubt, with a log up to op "+
					"%d and without op %d, promised in view %d", p.id, group, now.Head, op, made.view)
			}
		}
	}
}

// stateFlushed demands that the log of a process has the state records that its superblock speaks
// of: they are flushed first (R2), and nothing else but rot takes them.
func (c *checker) stateFlushed(p *process) {
	if p.storage.Report().Damaged || p.hurt.elsewhere {
		return
	}
	if state, lost := c.stateBehind(p); lost {
		c.s.fail(FailDurableFirst, "process %d, group %d: its superblock says log view %d, its log was "+
			"never flushed for it", p.id, state.Group, state.LogView)
	}
}

// stateBehind returns the state of a group whose log is behind its superblock: its state record
// is lost, which was to be flushed first (R2).
func (c *checker) stateBehind(p *process) (superblock.GroupState, bool) {
	for _, state := range p.storage.Groups() {
		if now := p.state(state.Group); !now.Wiped && now.LogView < state.LogView {
			return state, true
		}
	}
	return superblock.GroupState{}, false
}

// refused demands that a process whose superblock is gone says so, whatever else it has.
func (c *checker) refused(p *process, err error) {
	var why superblock.Unreadable
	if !errors.As(err, &why) {
		c.s.fail(FailBoot, "process %d: boots without a superblock that can be read: %v", p.id, err)
	}
}
