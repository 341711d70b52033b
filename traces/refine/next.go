package refine

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

// repeats returns the expiries of timers that send again and look again.
func repeats(b Bounds) []stimulus {
	var all []stimulus
	for _, timer := range []vsr.Timer{
		vsr.TimerPrepare, vsr.TimerCommit, vsr.TimerViewChange, vsr.TimerProbe,
	} {
		all = append(all, stimulus{kind: kindExpire, timer: timer})
	}
	for attempt := range b.Replicas - 1 { // each attempt asks another peer
		all = append(all, stimulus{kind: kindExpire, timer: vsr.TimerRepair, arg: attempt})
	}
	if b.Checkpoints > 0 {
		all = append(all, stimulus{kind: kindExpire, timer: vsr.TimerTransfer})
	}
	return all
}

// next yields every successor of a state.
func (s *system) next(c *cluster, yield func(Action, *cluster)) {
	if c.wrong() != "" {
		return
	}
	// moves[r] are the replicas by whose messages, or by itself, r can still go on.
	moves := make([]uint, len(c.members))
	try := func(r, from int, in stimulus) {
		if t, did := s.try(c, r, in); t != nil {
			moves[r] |= 1 << from
			yield(did, t)
			s.tryLost(t, did, yield)
		}
	}
	for _, m := range c.network {
		try(m.to, int(m.content.From()), stimulus{kind: kindDeliver, message: m})
	}
	for r, m := range c.members {
		try(r, r, stimulus{kind: kindExpire, timer: vsr.TimerNone})
		if len(m.executes) > 0 {
			try(r, r, stimulus{kind: kindExecute})
		}
		s.tryHost(m, func(in stimulus) { try(r, r, in) })
		if s.bounds.Checkpoints > 0 {
			// Repair closes a hole with what the own journal has: that is more than sending.
			try(r, r, stimulus{kind: kindExpire, timer: vsr.TimerRepair})
			moves[r] |= s.tryTransfer(c, m, yield)
		}
	}
	if reason := c.stall(moves); reason != "" {
		t := *c
		t.broken = reason
		yield(Action{kind: kindQuiet}, &t)
		return
	}
	s.nextBounded(c, yield)
}

// tryHost tries what a host is to do and has not done in the step that began it: parts of
// checkpoints, and in the unreduced search all writes and reads.
func (s *system) tryHost(m *member, try func(in stimulus)) {
	if m.broken != "" {
		return
	}
	if c := &m.checkpointing; !c.own.IsZero() || !c.target.IsZero() {
		try(stimulus{kind: kindPart})
	}
	for i := range m.writes {
		if i == 0 || s.bounds.Full && m.writes[i].superblock != nil {
			try(stimulus{kind: kindWrite, arg: i})
		}
	}
	if !s.bounds.Full {
		return
	}
	if len(m.checkpointing.reads) > 0 {
		try(stimulus{kind: kindChunk})
	}
	if len(m.reads) > 0 {
		try(stimulus{kind: kindRead})
	}
	for _, in := range s.repeats {
		try(in)
	}
}

// nextBounded yields what happens only so often: requests, elections and crashes.
func (s *system) nextBounded(c *cluster, yield func(Action, *cluster)) {
	for r, m := range c.members {
		s.nextCheckpoints(c, m, yield)
		if c.requests < s.bounds.Requests {
			in := stimulus{kind: kindRequest, arg: c.requests + 1}
			if s.do(m, in).accepted {
				if t, did := s.try(c, r, in); t != nil {
					t.requests++
					yield(did, t)
				}
			}
		}
		if int(m.state.View) < s.bounds.Views {
			if t, did := s.try(c, r, stimulus{kind: kindLeave}); t != nil {
				yield(did, t)
			}
		}
		if c.crashes < s.bounds.Crashes {
			for landed := range len(m.writes) + 1 {
				if t, did := s.try(c, r, stimulus{kind: kindCrash, arg: landed}); t != nil {
					t.crashes++
					yield(did, t)
				}
			}
		}
	}
}

// try returns the state after a stimulus, nil if it changes nothing, and the action.
func (s *system) try(c *cluster, r int, in stimulus) (*cluster, Action) {
	out := s.do(c.members[r], in)
	return s.after(c, out), Action{
		kind: in.kind, replica: r, arg: in.arg, timer: in.timer, message: in.message,
		did: out.did, released: out.released,
	}
}

// wrong says what is wrong with a state, or nothing.
func (c *cluster) wrong() string {
	if c.broken != "" {
		return c.broken
	}
	for _, m := range c.members {
		if m.broken != "" {
			return m.broken
		}
	}
	if c.belief != nil {
		if c.belief.broken != "" {
			return c.belief.broken
		}
		return c.disagreement()
	}
	return c.history.wrong(c)
}

// disagreement says which executed ops of two replicas differ, or nothing. It is what is
// checked of groups that the model has not the size of, too.
func (c *cluster) disagreement() string {
	for i, a := range c.members {
		for _, b := range c.members[i+1:] {
			for op := range min(a.state.CommitMin, b.state.CommitMin) {
				x, y := a.core.PrepareAt(op+1), b.core.PrepareAt(op+1)
				if x != y {
					return fmt.Sprintf("Agreement: r%d executed another op %d than r%d",
						a.id, op+1, b.id)
				}
			}
		}
	}
	return ""
}
