package scenario

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// install makes the log of the election's winner that of all replicas, in a new view. Bodies
// that one has not come from another that has them. An op whose body nobody has is lost: the
// log ends before it. (In a group that hears of a quorum only it stays open, R12; here every
// replica is asked.)
//
// Source: R12, R13; PartitionLog!ElectPrimary.
func (c *PartitionCluster) install(winner int) error {
	from := c.replicas[winner].log
	ids, logView := slices.Clone(from.ids), from.logView+1
	for i, id := range ids {
		if c.holder(id) < 0 {
			c.note("op=%d lost: no replica has its body", id.Op)
			ids = ids[:i]
			break
		}
	}
	for r := range c.replicas {
		if err := c.adopt(r, ids, logView); err != nil {
			return fmt.Errorf("adopt log of r%d at r%d: %w", winner, r, err)
		}
	}
	return nil
}

// holder is a replica that has a body; -1 if none has.
func (c *PartitionCluster) holder(id wire.PrepareID) int {
	return slices.IndexFunc(c.replicas[:], func(r partitionReplica) bool {
		return r.log.present[id]
	})
}

// adopt makes ids the log of r: it copies what r has not, then says durably what counts.
func (c *PartitionCluster) adopt(r int, ids []wire.PrepareID, logView wire.View) error {
	l := c.replicas[r].log
	same := 0
	for same < min(len(l.ids), len(ids)) && l.ids[same] == ids[same] {
		same++
	}
	cut, copied := len(l.ids)-same, 0
	for _, id := range ids {
		if l.present[id] {
			continue
		}
		body, err := c.replicas[c.holder(id)].log.wal.Read(partitionGroup, id)
		if err != nil {
			return err
		}
		if err := l.fill(id, body); err != nil {
			return err
		}
		copied++
	}
	if copied > 0 || cut > 0 {
		c.note("r%d adopted copied=%d cut=%d", r, copied, cut)
	}
	if err := l.state(logView, ids); err != nil {
		return err
	}
	return c.flush(l)
}
