package clienttable

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// CheckInvariants says in one line which invariant of the package comment the table breaks,
// nil if none: for tests and simulation, as it looks at every row.
func (t *Table) CheckInvariants() error {
	if t.capacity < len(t.slots) || t.capacity > SlotsMax {
		return fmt.Errorf("%d slots, expected at most the capacity %d", len(t.slots), t.capacity)
	}
	count := 0
	for slot, w := range t.slots {
		if w == nil {
			continue
		}
		count++
		if w.slot != slot || t.rows[w.Client] != w {
			return fmt.Errorf("slot %d: its row is indexed at slot %d", slot, w.slot)
		}
		if err := t.checkRow(&w.Row); err != nil {
			return fmt.Errorf("slot %d: %w", slot, err)
		}
	}
	var last Row
	ordered := 0
	for w := t.order.oldest; w != nil; w = w.newer {
		if w.compareAge(&last) <= 0 || w.newer == nil && t.order.youngest != w {
			return fmt.Errorf("slot %d: newest %d at %d follows %d at %d in the order", w.slot,
				w.Newest, w.Place, last.Newest, last.Place)
		}
		last = w.Row
		ordered++
	}
	if count != len(t.rows) || count != ordered {
		return fmt.Errorf("%d rows in slots, %d in the index, %d in the order",
			count, len(t.rows), ordered)
	}
	if free, ok := t.firstFree(); ok != (count < t.capacity) ||
		ok && free < len(t.slots) && t.slots[free] != nil {
		return fmt.Errorf("first free slot %d of %d with %d rows", free, t.capacity, count)
	}
	return nil
}

// checkRow holds what every row satisfies that executing a log can make.
func (t *Table) checkRow(w *Row) error {
	newest := wire.Op(w.Session)
	if n := len(w.Replies); n > 0 {
		newest = max(newest, w.Replies[n-1].Op)
	}
	switch {
	case w.Client.IsZero():
		return fmt.Errorf("client is 0, expected one")
	case w.Born < 1 || w.Born > w.Session:
		return fmt.Errorf("born is %d, expected 1 to the session %d", w.Born, w.Session)
	case w.Newest != newest || newest > t.op:
		return fmt.Errorf("newest is %d, expected %d, and at most op %d", w.Newest, newest, t.op)
	case w.Place > 0 && newest == wire.Op(w.Session):
		return fmt.Errorf("place is %d in op %d, which is a Register's alone", w.Place, newest)
	case w.BoundWatermark > w.Watermark:
		return fmt.Errorf("bound watermark is %d, expected at most the watermark %d",
			w.BoundWatermark, w.Watermark)
	case w.Session == w.Born && w.BoundWatermark != 0:
		return fmt.Errorf("bound watermark is %d in the first session, expected 0",
			w.BoundWatermark)
	}
	return t.checkReplies(w)
}

// checkReplies holds what is true of a ring: the newest reply is the watermark's, numbers
// rise, ops never fall, and without gaps unless the shape has them.
func (t *Table) checkReplies(w *Row) error {
	if len(w.Replies) > t.config.Ring {
		return fmt.Errorf("%d replies, expected at most %d", len(w.Replies), t.config.Ring)
	}
	// Executed under Numbered, the number of replies follows from the watermark.
	full := w.Watermark >= wire.RequestNumber(t.config.Ring)
	if t.config.Shape == Numbered && !full && len(w.Replies) != int(w.Watermark) ||
		t.config.Shape == Numbered && full && len(w.Replies) != t.config.Ring ||
		(len(w.Replies) == 0) != (w.Watermark == 0) {
		return fmt.Errorf("%d replies at watermark %d in a ring of %d",
			len(w.Replies), w.Watermark, t.config.Ring)
	}
	var before Reply
	for i := range w.Replies {
		r := &w.Replies[i]
		gap := i > 0 && r.Number-before.Number > 1
		switch {
		case r.Session < max(w.Born, before.Session) || r.Session > w.Session:
			return fmt.Errorf("reply %d: session is %d, expected %d to %d",
				i, r.Session, max(w.Born, before.Session), w.Session)
		case r.Number <= before.Number || r.Number > w.Watermark ||
			gap && t.config.Shape == Numbered:
			return fmt.Errorf("reply %d: number is %d after %d, watermark %d",
				i, r.Number, before.Number, w.Watermark)
		case r.Op < before.Op || r.Op <= wire.Op(r.Session) ||
			r.Session < w.Session && r.Op >= wire.Op(w.Session):
			return fmt.Errorf("reply %d: op is %d after %d, in session %d",
				i, r.Op, before.Op, r.Session)
		}
		before = *r
	}
	if before.Number != w.Watermark {
		return fmt.Errorf("the newest reply is that of %d, expected the watermark %d",
			before.Number, w.Watermark)
	}
	return nil
}
