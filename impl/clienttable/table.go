package clienttable

import (
	"fmt"
	"iter"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Table is the client table of one replica of one group: a function of the ops that it has
// executed and of its [Config]. Two tables that have executed the same ops are equal to the
// byte, see [Table.AppendSnapshot].
//
// A Table is not safe for concurrent use.
type Table struct {
	config   Config
	capacity int
	op       wire.Op // the last that was executed
	inOp     uint16  // the place in it of the request that was executed last
	// next is the op and the place of what is being executed.
	next moment
	// executing is the request whose result is awaited; kind 0 if there is none. It is not
	// part of the table's state, which is still that of op.
	executing Message

	// slots are the rows by their slots, nil where empty. It grows with use: slots beyond its
	// end are empty too.
	slots []*row
	// free is at or below the first empty slot.
	free  int
	rows  map[wire.ClientID]*row
	order order
}

// moment is when a request executes: an op, and the place in it, from 0, if several share it.
type moment struct {
	op    wire.Op
	place uint16
}

// New returns the empty table before the first op.
//
// A configuration that Validate refuses is the caller's bug and panics.
func New(c Config) *Table {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &Table{config: c, capacity: c.Capacity, rows: map[wire.ClientID]*row{}}
}

// Config returns what New or Restore was given.
func (t *Table) Config() Config { return t.config }

// Op returns the op that the table has executed last, 0 before the first.
func (t *Table) Op() wire.Op { return t.op }

// Capacity returns the number of slots: that of the last Resize, or of the configuration.
func (t *Table) Capacity() int { return t.capacity }

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Executing returns the op whose result [Table.Complete] awaits; false if there is none.
func (t *Table) Executing() (wire.Op, bool) { return t.next.op, t.executing.Kind != 0 }

// SessionOf returns the session of a client and whose it is; false if it has none.
func (t *Table) SessionOf(client wire.ClientID) (wire.SessionNumber, UserID, bool) {
	w := t.rows[client]
	if w == nil {
		return 0, 0, false
	}
	return w.Session, w.Owner, true
}

// Rows returns copies of the rows with their slots, 0 to Capacity-1, in this order.
func (t *Table) Rows() iter.Seq2[int, Row] {
	return func(yield func(int, Row) bool) {
		for slot, w := range t.slots {
			if w == nil {
				continue
			}
			c := w.Row
			c.Replies = slices.Clone(w.Replies)
			if !yield(slot, c) {
				return
			}
		}
	}
}

// Clone returns a copy that shares nothing but the bodies of replies, which nobody changes.
func (t *Table) Clone() *Table {
	c := New(t.config)
	c.capacity, c.op, c.inOp, c.next, c.executing = t.capacity, t.op, t.inOp, t.next, t.executing
	c.slots = make([]*row, len(t.slots))
	c.free = t.free
	for w := t.order.oldest; w != nil; w = w.newer {
		c.place(w.clone(), w.slot)
	}
	return c
}

// place puts a row into an empty slot, as the one with the newest op.
func (t *Table) place(w *row, slot int) {
	for len(t.slots) <= slot {
		t.slots = append(t.slots, nil)
	}
	w.slot = slot
	t.slots[slot] = w
	t.rows[w.Client] = w
	t.order.append(w)
}

// drop empties a row's slot.
func (t *Table) drop(w *row) {
	t.slots[w.slot] = nil
	t.free = min(t.free, w.slot)
	delete(t.rows, w.Client)
	t.order.remove(w)
}

// firstFree returns the first empty slot; false if the table is full.
func (t *Table) firstFree() (int, bool) {
	for t.free < len(t.slots) && t.slots[t.free] != nil {
		t.free++
	}
	return t.free, t.free < t.capacity
}

// violated panics: the caller broke a rule that no input from outside can break.
func (t *Table) violated(rule, format string, args ...any) {
	panic(fmt.Sprintf("clienttable: %s: %s (op=%d rows=%d capacity=%d executing=%v)",
		rule, fmt.Sprintf(format, args...), t.op, len(t.rows), t.capacity, t.executing.Kind))
}
