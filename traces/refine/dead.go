package refine

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// dead reports whether a message need not be kept: its receiver will never again act on it, or
// a replica sends it again for as long as it is wanted. Views only rise, and no view is entered
// twice.
func (n *next) dead(m *message) bool {
	at, view := &n.members[m.to].state, m.content.InView()
	same := at.View == view
	final := n.crashes == n.system.bounds.Crashes // no commit number is forgotten any more
	normal := at.Status == vsr.StatusNormal
	switch c := m.content.(type) {
	case *wire.Prepare:
		op := c.Header.Op
		held := same && normal && op <= at.OpHead && !slices.Contains(at.Hollow, op)
		return at.View > view || held
	case *wire.Commit:
		return at.View > view || c.Commit == 0 || final && c.Commit <= at.CommitMax
	case *wire.PrepareOK:
		return at.View > view || same && at.Status == vsr.StatusRecovering ||
			same && normal && c.Op <= at.CommitMax
	case *wire.StartViewChange, *wire.DoViewChange:
		return at.View > view || same && (at.Status != vsr.StatusViewChange || n.idle(m))
	case *wire.StartView:
		if !c.Incarnation.IsZero() {
			return c.Incarnation != at.Incarnation || at.Status != vsr.StatusRecovering ||
				at.View > view
		}
		raises := c.Base.Op+wire.Op(len(c.Headers)) > at.OpHead && at.Status == vsr.StatusNormal &&
			n.system.bounds.Checkpoints > 0
		return at.View > view || same && at.Status != vsr.StatusViewChange && !raises
	case *wire.RepairPrepare:
		return n.kept() && n.idle(m) // who lacks the body asks again, and who has it keeps it
	case *wire.CheckpointChunk: // the same
		return (c.IsOffer() || n.kept()) && n.idle(m)
	case *wire.RequestPrepares, *wire.RequestStartView, *wire.RequestCheckpoint,
		*wire.ConfirmView:
		return true // answered already
	case *wire.ConfirmViewOK: // counted already, or of a view that is not the newest offered
		return n.idle(m)
	case *wire.Request, *wire.Reply:
	}
	return false
}

// idle reports whether a message changes nothing at its receiver as it is now.
func (n *next) idle(m *message) bool {
	at := n.members[m.to]
	return at.broken != "" ||
		n.system.do(at, stimulus{kind: kindDeliver, message: m}).next == at
}

// kept reports whether all that a replica has of log and checkpoints stays there: no checkpoint
// is taken any more, and none is on its way.
func (n *next) kept() bool {
	if n.checkpoints < n.system.bounds.Checkpoints {
		return false
	}
	for _, m := range n.members {
		c := &m.checkpointing
		if !c.own.IsZero() || !c.target.IsZero() || !c.announced.IsZero() {
			return false
		}
	}
	return true
}

// aboutCheckpoints reports whether a question is one that a replica asks as soon as it hears of a
// checkpoint. It asks again only when it hears again.
func (n *next) aboutCheckpoints(m *message) bool {
	switch c := m.content.(type) { //nolint:gochecksumtype // The others are not.
	case *wire.RequestCheckpoint:
		return true
	case *wire.RequestStartView:
		return c.Head > 0
	}
	return false
}
