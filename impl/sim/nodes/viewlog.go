package nodes

import "github.com/viewstamp/viewstamp/impl/wire"

// heads are how far the log of each view goes: as its primary has handed it out, and what it has
// prepared since. View 0 begins without a log.
type heads map[wire.View]head

// head is the highest op of a view, and the highest that it has from the views before, if anybody
// knows it.
type head struct {
	op, inherited wire.Op
	begun         bool
}

// rise takes note of an op that a view has prepared.
func (h heads) rise(view wire.View, op wire.Op) {
	top := h[view]
	top.op = max(top.op, op)
	h[view] = top
}

// started takes note of a log that the primary of a view hands out. The first says what the view
// has inherited.
func (h heads) started(m *wire.StartView) {
	top, inherited := h[m.View], m.Base.Op
	top.op = max(top.op, m.Base.Op)
	for i := range m.Headers {
		top.op = max(top.op, m.Headers[i].Op)
		if m.Headers[i].View < m.View {
			inherited = m.Headers[i].Op
		}
	}
	if !top.begun {
		top.begun, top.inherited = true, inherited
	}
	h[m.View] = top
}

// voted demands that a vote has nothing in it, behind what its log view has inherited, but what was
// prepared in that view (R2).
func (c *checker) voted(p *process, group wire.GroupID, m *wire.DoViewChange) {
	top := c.groups[group].heads[m.LogView]
	if !top.begun || c.leads(p, m.LogView) {
		return
	}
	for i := range m.Headers {
		if h := &m.Headers[i]; h.View < m.LogView && h.Op > top.inherited {
			c.s.fail(FailAgreement, "process %d, group %d: votes in log view %d with op %d of view %d, "+
				"and that view has inherited op %d last", p.id, group, m.LogView, h.Op, h.View,
				top.inherited)
		}
	}
}

// leads says whether a process is the primary of a view.
func (c *checker) leads(p *process, view wire.View) bool {
	return uint64(view)%uint64(len(c.s.processes)) == uint64(p.id)
}

// withinView demands that a replica which boots has no more in its log than the primary of its log
// view has handed out: what an earlier view stored is no part of it (R2). The primary itself may
// have died before anybody heard of what it stored.
func (c *checker) withinView(p *process) {
	for _, group := range c.s.groups() {
		now, w := p.state(group), c.groups[group]
		top := w.heads[now.LogView]
		if now.Wiped || c.leads(p, now.LogView) || !top.begun && now.LogView > 0 {
			continue
		}
		if now.Head > max(top.op, now.Checkpoint) {
			c.s.fail(FailAgreement, "process %d, group %d: boots with a log up to op %d in log view %d, "+
				"whose primary has prepared op %d last", p.id, group, now.Head, now.LogView, top.op)
		}
	}
}
