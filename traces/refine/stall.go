package refine

import (
	"fmt"
	"math/bits"

	"github.com/viewstamp/viewstamp/impl/vsr"
)

// stall says what replicas owe that hear one another and nobody else, and have nothing left to
// do; or nothing. moves[r] are the replicas by whose messages r can still go on. Each set of
// replicas is looked at: the network may lose for ever what comes from outside.
func (c *cluster) stall(moves []uint) string {
	n := len(c.members)
	quorum := vsr.QuorumsOf(n).Replication
	for set := uint(1); set < 1<<n; set++ {
		if bits.OnesCount(set) >= quorum && quiet(set, moves) {
			if reason := c.owed(set); reason != "" {
				return reason
			}
		}
	}
	return ""
}

func quiet(set uint, moves []uint) bool {
	for r, by := range moves {
		if set>>r&1 != 0 && by&set != 0 {
			return false
		}
	}
	return true
}

// owed says what a quiet set of replicas owes: a view that a quorum of them follows has executed
// its whole log, and a view change that all are in has ended.
func (c *cluster) owed(set uint) string {
	n := len(c.members)
	quorums := vsr.QuorumsOf(n)
	for p, primary := range c.members {
		at := &primary.state
		if set>>p&1 == 0 || int(at.View)%n != p {
			continue
		}
		normal, changing, lagging := 0, 0, -1
		for r, m := range c.members {
			if set>>r&1 == 0 || m.state.View != at.View {
				continue
			}
			switch m.state.Status {
			case vsr.StatusNormal:
				normal++
				if m.state.CommitMin != at.OpHead {
					lagging = r
				}
			case vsr.StatusViewChange:
				changing++
			case vsr.StatusRecovering:
			}
		}
		if at.Status == vsr.StatusNormal && normal >= quorums.Replication && lagging >= 0 {
			return fmt.Sprintf("NoStall: r%d executed %d of the %d ops of view %d, and a quorum "+
				"that follows it has nothing left to do", lagging,
				c.members[lagging].state.CommitMin, at.OpHead, at.View)
		}
		// A body that was promised to a vote and lost with its disk is waited for until the next
		// view, which the bounds may not have.
		if at.Status == vsr.StatusViewChange && c.wipes == 0 && changing >= quorums.ViewChange &&
			set == 1<<n-1 {
			return fmt.Sprintf("NoStall: the change to view %d does not end", at.View)
		}
	}
	return ""
}
