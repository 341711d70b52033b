package sessions

import "math/bits"

// Reply is a reply in a row's ring: what executed, in which session and at which op.
type Reply struct{ Session, Number, Payload, Op uint8 }

// Row is a row of the client table. An empty slot is the zero Row: Sessions!None.
type Row struct {
	// Client is whose row it is, Owner the user to whom it belongs, Registration the
	// number of the Register that bound the session, Session that Register's op.
	Client, Owner, Registration, Session uint8
	// Born is the op of the Register that created the row. Later ones keep it.
	Born uint8
	// Watermark is the highest number that executed, BoundWatermark the same at the
	// last Register.
	Watermark, BoundWatermark uint8
	// Newest is the op that last touched the row.
	Newest uint8
	// ReplyCount is the number of replies, oldest first; the others are zero.
	ReplyCount uint8
	Replies    [RingMax]Reply
}

// push appends a reply and drops the oldest if the ring has no room.
func (w *Row) push(reply Reply, ring int) {
	if int(w.ReplyCount) == ring {
		w.keepLast(ring - 1)
	}
	w.Replies[w.ReplyCount] = reply
	w.ReplyCount++
}

// keepLast drops all but the k newest replies: Sessions!LastOf.
func (w *Row) keepLast(k int) {
	drop := int(w.ReplyCount) - k
	if drop <= 0 {
		return
	}
	copy(w.Replies[:], w.Replies[drop:w.ReplyCount])
	clear(w.Replies[k:])
	w.ReplyCount = uint8(k)
}

// cached returns the newest reply with that number.
func (w *Row) cached(number uint8) (Reply, bool) {
	for i := int(w.ReplyCount) - 1; i >= 0; i-- {
		if w.Replies[i].Number == number {
			return w.Replies[i], true
		}
	}
	return Reply{}, false
}

// Table is a client table of so many slots: slot i is element i-1 of Rows. Rows beyond
// are empty.
type Table struct {
	Slots uint8
	Rows  [slotsMax]Row
}

// row returns the client's row, nil if it has none.
func (t *Table) row(client uint8) *Row {
	for i := range t.Rows {
		if t.Rows[i].Client == client {
			return &t.Rows[i]
		}
	}
	return nil
}

// free returns the first empty slot, 0 if there is none.
func (t *Table) free() int {
	for i := range t.Slots {
		if t.Rows[i].Client == 0 {
			return int(i) + 1
		}
	}
	return 0
}

// packed moves the rows to the first slots, in order: Sessions!Packed.
func (t *Table) packed() Table {
	p := Table{Slots: t.Slots}
	n := 0
	for _, w := range t.Rows {
		if w.Client != 0 {
			p.Rows[n] = w
			n++
		}
	}
	return p
}

// slotSet is a set of slots; bit i is slot i, bit 0 is none.
type slotSet uint8

const noSlot slotSet = 1

func (s *slotSet) pop() int {
	i := bits.TrailingZeros8(uint8(*s))
	*s &= *s - 1
	return i
}

// victims are the slots that a full table may give up: Sessions!Victims.
func (m *machine) victims(t *Table) slotSet {
	var all, oldest slotSet
	newest := uint8(255)
	for i := range t.Slots {
		bit := slotSet(1) << (i + 1)
		all |= bit
		switch w := &t.Rows[i]; {
		case w.Newest < newest:
			newest, oldest = w.Newest, bit
		case w.Newest == newest:
			oldest |= bit
		}
	}
	if m.bug.evictionOrderByLocalTime {
		return all
	}
	return oldest
}

// victimsFor are the slots that executing msg may evict: Sessions!VictimsFor.
func (m *machine) victimsFor(t *Table, msg *Message) slotSet {
	if msg.Kind == RegisterKind && t.row(msg.Client) == nil && t.free() == 0 {
		return m.victims(t)
	}
	return noSlot
}

// effect is what executing an op did beside changing the table.
type effect struct {
	executed bool
	// ended are the sessions that ended, as a set of endings.
	ended uint64
}

// executeOn is Sessions!ExecuteOn: it executes msg at op on a table, which is a function
// of the committed log.
func (m *machine) executeOn(t *Table, op uint8, msg *Message, victim int) effect {
	switch msg.Kind {
	case RegisterKind:
		return m.executeRegister(t, op, msg, victim)
	case RequestKind:
		return m.executeRequest(t, op, msg)
	case LogoutKind:
		return m.executeLogout(t, msg)
	case ResizeKind:
	}
	return executeResize(t, msg)
}

// ending is the set of the one end of w's session.
func (w *Row) ending(why Why) uint64 {
	return 1 << Ending{Client: w.Client, Session: w.Session, Why: why}.bit()
}

// executeRegister is Sessions!ExecuteRegister: a higher number than the row's rebinds
// or creates, the same or a lower one changes nothing, and neither does another user's
// (R18).
func (m *machine) executeRegister(t *Table, op uint8, msg *Message, victim int) effect {
	if w := t.row(msg.Client); w != nil {
		old := m.Shape == Numbered &&
			(msg.Registration < w.Registration && !m.bug.oldRegisterAccepted ||
				msg.Registration == w.Registration && !m.bug.registerNotIdempotent)
		if old || w.Owner != msg.User && !m.bug.ownerInPreflightOnly {
			return effect{}
		}
		ended := w.ending(Rebound)
		w.Registration, w.BoundWatermark, w.Newest = msg.Registration, w.Watermark, op
		w.Session++ // The mutant's; else it is the op.
		if !m.bug.sessionFromCounterNotOp {
			w.Session = op
		}
		return effect{ended: ended}
	}
	slot := t.free()
	if slot == 0 {
		slot = victim
	}
	w := &t.Rows[slot-1]
	var done effect
	if w.Client != 0 {
		done.ended = w.ending(Evicted)
	}
	session := op
	if m.bug.sessionFromCounterNotOp {
		session = 1
	}
	*w = Row{
		Client: msg.Client, Owner: msg.User, Registration: msg.Registration,
		Session: session, Born: session, Newest: op,
	}
	return done
}

// executeRequest is Sessions!ExecuteRequest: a request executes if and only if its
// session is the row's and its number is the next (R18).
func (m *machine) executeRequest(t *Table, op uint8, msg *Message) effect {
	w := t.row(msg.Client)
	if w == nil {
		return effect{executed: m.bug.requestWithoutSessionExecutes}
	}
	if w.Session != msg.Session && !m.bug.requestOfOldSessionExecutes {
		return effect{}
	}
	next := msg.Number == w.Watermark+1
	switch {
	case next:
	case msg.Number > w.Watermark:
		next = m.gaps()
	case m.bug.duplicateInPipeline:
		next = true
	case m.bug.ringTooSmallReexecutes:
		_, cached := w.cached(msg.Number)
		next = !cached
	}
	if !next {
		return effect{}
	}
	w.Watermark, w.Newest = max(w.Watermark, msg.Number), op
	w.push(Reply{
		Session: msg.Session, Number: msg.Number, Payload: msg.Payload, Op: op,
	}, m.Ring)
	return effect{executed: true}
}

// executeLogout is Sessions!ExecuteLogout: the row goes if its session is named.
func (m *machine) executeLogout(t *Table, msg *Message) effect {
	w := t.row(msg.Client)
	if w == nil || w.Session != msg.Session && !m.bug.logoutReplayed {
		return effect{}
	}
	ended := w.ending(LoggedOut)
	*w = Row{}
	return effect{ended: ended}
}

// executeResize is Sessions!ExecuteResize: replicas agree on their capacity in the log.
// The newest rows stay, those beyond the new end in the first free slots.
func executeResize(t *Table, msg *Message) effect {
	var done effect
	old := *t
	*t = Table{Slots: msg.Capacity}
	kept := func(w *Row) bool {
		newer := 0
		for i := range old.Rows {
			if old.Rows[i].Newest > w.Newest {
				newer++
			}
		}
		return newer < int(msg.Capacity)
	}
	for i := range old.Rows {
		switch w := &old.Rows[i]; {
		case w.Client == 0:
		case !kept(w):
			done.ended |= w.ending(Evicted)
		case i < int(msg.Capacity):
			t.Rows[i] = *w
		}
	}
	for i := int(msg.Capacity); i < len(old.Rows); i++ {
		if w := &old.Rows[i]; w.Client != 0 && kept(w) {
			t.Rows[t.free()-1] = *w
		}
	}
	return done
}
