package nodes

import "github.com/viewstamp/viewstamp/impl/wire"

// heads are how far the log of each view goes: as its primary has started it, and what it has
// prepared since. View 0 starts without a log.
type heads map[wire.View]wire.Op

// rise takes note of an op of a view.
func (h heads) rise(view wire.View, op wire.Op) { h[view] = max(h[view], op) }

// started takes note of a log that the primary of a view hands out.
func (h heads) started(m *wire.StartView) {
	head := m.Base.Op
	if n := len(m.Headers); n > 0 {
		head = m.Headers[n-1].Op
	}
	h.rise(m.View, head)
}

// withinView demands that a replica which boots has no more in its log than the primary of its log
// view has handed out: what an earlier view stored is no part of it (R2). The primary itself may
// have died before anybody heard of what it stored.
func (c *checker) withinView(p *process) {
	for _, group := range c.s.groups() {
		now, w := p.state(group), c.groups[group]
		top, known := w.heads[now.LogView]
		primary := uint64(now.LogView) % uint64(len(c.s.processes))
		if now.Wiped || primary == uint64(p.id) || !known && now.LogView > 0 {
			continue
		}
		if now.Head > max(top, now.Checkpoint) {
			c.s.fail(FailAgreement, "process %d, group %d: boots with a log up to op %d in log view %d, "+
				"whose primary has prepared op %d last", p.id, group, now.Head, now.LogView, top)
		}
	}
}
