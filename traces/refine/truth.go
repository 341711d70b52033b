package refine

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// untrue says what a message promises that the disk of its sender does not hold at the moment at
// which it leaves, or nothing (R1, R3). What the same step has begun to write does not count: a
// host may do the effects of a step in any order.
func (d *disk) untrue(m wire.Message) string {
	view := max(d.superblock.View, d.logView) // the log counts where it is ahead (R2)
	switch c := m.(type) {                    //nolint:gochecksumtype // The others promise nothing.
	case *wire.StartViewChange:
		if c.View > view {
			return fmt.Sprintf("R1: StartViewChange of view %d, durable is %d", c.View, view)
		}
	case *wire.DoViewChange:
		if c.View > view || c.LogView != d.logView {
			return fmt.Sprintf("R1: DoViewChange of view %d, log view %d, durable are %d and %d",
				c.View, c.LogView, view, d.logView)
		}
		for i := range c.Headers {
			if id := c.Headers[i].ID(); c.Present[i] && !d.has(id) {
				return fmt.Sprintf("R3: a vote says that op %d is stored, which is not", id.Op)
			}
		}
	case *wire.StartView:
		if c.View > d.logView {
			return fmt.Sprintf("R1: StartView of view %d, durable is log view %d", c.View, d.logView)
		}
	case *wire.PrepareOK:
		id := wire.PrepareID{Op: c.Op, Checksum: c.PrepareChecksum}
		if c.View > d.logView || !d.has(id) {
			return fmt.Sprintf("R3: PrepareOK of op %d in view %d, and it is not stored under it",
				c.Op, c.View)
		}
	}
	return ""
}

// has reports whether a prepare is stored, or covered by a snapshot.
func (d *disk) has(id wire.PrepareID) bool {
	if n := len(d.snapshots); n > 0 && id.Op <= d.snapshots[n-1].Op {
		return true
	}
	_, found := slices.BinarySearchFunc(d.bodies, id, compareBody)
	return found
}
