package refine

import (
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// What is checked where disks are lost (R16), which neither VSR.tla nor Transfer.tla has: a
// replica that has forgotten its promises keeps them, and what was committed stays.

// cast is a vote that a replica has cast in a view, in any of its lives.
type cast struct {
	replica int
	view    wire.View
	vote    xxh3.Uint128
}

// count takes note of the votes that an outcome casts.
func (h *history) count(out *outcome) {
	at := out.next
	for _, m := range out.sent {
		if _, ok := m.content.(*wire.DoViewChange); ok {
			h.vote(cast{replica: at.id, view: m.content.InView(), vote: m.hash})
		}
	}
	if at.broken == "" && at.footing.Votes != nil && at.footing.Votes[at.id] != nil {
		vote := at.footing.Votes[at.id] // a new primary's own
		hash := xxh3.Hash128(wire.Encode(vote))
		h.vote(cast{replica: at.id, view: vote.View, vote: hash})
	}
}

func (h *history) vote(v cast) {
	for _, before := range h.votes {
		switch {
		case before == v:
			return
		case before.replica == v.replica && before.view == v.view:
			h.broken = fmt.Sprintf("OneVote: r%d votes twice in view %d", v.replica, v.view)
		}
	}
	h.votes = append(slices.Clip(h.votes), v)
}

// lost says what a cluster has forgotten, or nothing.
func (h *history) lost(c *cluster) string {
	for _, m := range c.members {
		st, n := &m.state, wire.Op(len(h.committed))
		if st.CommitMax > n {
			return fmt.Sprintf("CommitKnown: r%d knows %d ops as committed, %d are", m.id, st.CommitMax, n)
		}
		if id := m.footing.Applied; id.Op > 0 && h.committed[id.Op-1] != id {
			return fmt.Sprintf("Agreement: r%d executed another op %d than was committed", m.id, id.Op)
		}
		for _, v := range h.votes {
			if v.replica == m.id && st.Status == vsr.StatusNormal && st.View < v.view {
				return fmt.Sprintf("OneVote: r%d has voted in view %d and is back in view %d", m.id,
					v.view, st.View)
			}
		}
	}
	quorum := vsr.QuorumsOf(len(c.members)).Replication
	for _, id := range h.committed {
		holders := 0
		for _, m := range c.members {
			if slices.Contains(m.footing.Stored, id) && !slices.ContainsFunc(m.footing.Log,
				func(other wire.PrepareID) bool { return other.Op == id.Op && other != id }) {
				holders++
			}
		}
		if holders < quorum-c.wipes {
			return fmt.Sprintf("AckedDurable: op %d is committed, %d replicas hold it after the loss of "+
				"%d disks", id.Op, holders, c.wipes)
		}
	}
	return ""
}
