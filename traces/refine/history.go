package refine

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// history is what has happened in a search whose states no model of VSR.tla explains: the ghosts
// of Transfer.tla. It is immutable; nil where a belief takes its place.
type history struct {
	// committed are the prepares that a primary has committed, viewLogs the heads of the logs of
	// the views, as far as they have come.
	committed, viewLogs []wire.PrepareID
	// votes are those that replicas have cast, if disks are lost.
	votes  []cast
	broken string
}

// after returns the history after an outcome.
func (h *history) after(c *cluster, out *outcome) *history {
	if h == nil {
		return h
	}
	next := &history{
		committed: h.committed[:len(h.committed):len(h.committed)],
		viewLogs:  slices.Clone(h.viewLogs), broken: h.broken, votes: h.votes,
	}
	if c.transfer == nil {
		next.count(out)
	}
	for _, id := range out.committed {
		switch n := wire.Op(len(next.committed)); {
		case id.Op == n+1:
			next.committed = append(next.committed, id)
		case id.Op > n+1:
			next.broken = fmt.Sprintf("CommitKnown: op %d is committed before op %d", id.Op, n+1)
		case next.committed[id.Op-1] != id:
			next.broken = fmt.Sprintf("Agreement: op %d is committed twice", id.Op)
		}
	}
	if at := out.next; at.broken == "" && at.speaks(len(c.members)) {
		for int(at.state.LogView) >= len(next.viewLogs) {
			next.viewLogs = append(next.viewLogs, wire.PrepareID{})
		}
		next.viewLogs[at.state.LogView] = head(&at.footing)
	}
	if next.broken == h.broken && slices.Equal(next.committed, h.committed) &&
		slices.Equal(next.viewLogs, h.viewLogs) && len(next.votes) == len(h.votes) {
		return h
	}
	return next
}

// speaks reports whether a replica has the log of its log view from nobody else: it is that view's
// primary, is about to be, or was it; what it had begun to prepare may land later.
func (m *member) speaks(replicas int) bool {
	return int(m.state.LogView)%replicas == m.id && !m.disk.wiped
}

// head is the identity of the last op of the log.
func head(f *vsr.Footing) wire.PrepareID { return f.Log[len(f.Log)-1] }

func (h *history) appendKey(dst []byte) []byte {
	if h == nil {
		return dst
	}
	dst = append(appendIDs(appendIDs(dst, h.committed), h.viewLogs), byte(len(h.votes)))
	for _, v := range h.votes {
		dst = append(dst, byte(v.replica), byte(v.view))
		dst = binary.BigEndian.AppendUint64(dst, v.vote.Lo)
	}
	return append(dst, h.broken...)
}

// wrong says what is wrong with a state in view of what has happened, or nothing.
func (h *history) wrong(c *cluster) string {
	switch {
	case h == nil:
		return c.disagreement()
	case h.broken != "":
		return h.broken
	case c.transfer != nil:
		return c.transfer.broken(c)
	}
	return h.lost(c)
}
