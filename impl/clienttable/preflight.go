package clienttable

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Reason says why a message is not prepared for now.
type Reason uint8

const (
	// GapBefore: a request with a lower number must come first.
	GapBefore Reason = iota + 1
	// BeyondWindow: so many requests are under way that the reply to the first would fall out
	// of the ring.
	BeyondWindow
	// SessionEnding: a Register or Logout of this client is under way.
	SessionEnding
	// NumberInFlight: another message is under way with this number, or with a higher one that
	// would make it late.
	NumberInFlight
)

// String is the reason in snake_case.
func (r Reason) String() string {
	switch r {
	case GapBefore:
		return "gap_before"
	case BeyondWindow:
		return "beyond_window"
	case SessionEnding:
		return "session_ending"
	case NumberInFlight:
		return "number_in_flight"
	}
	return fmt.Sprintf("reason(%d)", uint8(r))
}

// Preflight is what a primary knows beside the committed table: the messages that it has
// prepared and not executed yet. It saves the preparing of what would only be ignored, and
// tells a client that sends again that it has to wait. Nothing is decided here: a table
// executes what R18 says, whatever a Preflight let through or forgot.
//
// Each question looks through what the client itself has under way. The zero value is empty. It
// is not safe for concurrent use.
type Preflight struct {
	// flights are by client, oldest first; none of them is empty.
	flights map[wire.ClientID][]flight
	// spare are slices that were flights of clients which have nothing under way now.
	spare [][]flight
	// newest is the highest op that was noted, count how many messages are under way.
	newest wire.Op
	count  int
}

// flight is a message under way; its op is 0 as long as it waits for one.
type flight struct {
	op      wire.Op
	message Message
}

// Waits notes that a message was taken and has no op yet: it may share one with others later.
func (p *Preflight) Waits(m Message) { p.add(flight{0, m}) }

// Dropped forgets a message that waited and gets no op now: its client is told so. Its session
// is not looked at.
func (p *Preflight) Dropped(m Message) {
	p.remove(m.Client, func(f *flight) bool {
		return f.op == 0 && f.message.Kind == m.Kind && f.message.Number == m.Number &&
			f.message.Checksum == m.Checksum
	})
}

// Prepared notes that a message was prepared at op, whether it waited or not. A new primary notes
// what it inherited.
//
// Ops come in order, as often as messages share them; anything else is the caller's bug and
// panics.
func (p *Preflight) Prepared(op wire.Op, m Message) {
	if op < p.newest {
		panic(fmt.Sprintf("clienttable: op %d is noted as prepared after op %d", op, p.newest))
	}
	p.newest = op
	flights := p.flights[m.Client]
	for i := range flights {
		if f := &flights[i]; f.op == 0 && f.message.same(&m) {
			f.op = op
			return
		}
	}
	p.add(flight{op, m})
}

// Executed forgets a message that was executed at op, wherever it was noted, and what else its
// client had prepared up to op.
func (p *Preflight) Executed(op wire.Op, m Message) {
	p.remove(m.Client, func(f *flight) bool {
		return f.op != 0 && f.op < op || f.op <= op && f.message.same(&m)
	})
}

// Restored forgets all that was prepared up to op, and all that waits: the table has executed it,
// as it is now that of a checkpoint. A primary too may have installed one, of ops that it prepared
// itself (R21). What waits may be of one of these; noted as prepared it is there again.
func (p *Preflight) Restored(op wire.Op) {
	for client := range p.flights { //nolint:maporder // Each by itself.
		p.remove(client, func(f *flight) bool { return f.op <= op })
	}
}

// Reset forgets all: the replica is no longer the primary, or begins a view.
func (p *Preflight) Reset() {
	clear(p.flights)
	p.newest, p.count = 0, 0
}

// Len returns the number of messages under way.
func (p *Preflight) Len() int { return p.count }

func (p *Preflight) add(f flight) {
	if p.flights == nil {
		p.flights = make(map[wire.ClientID][]flight)
	}
	flights := p.flights[f.message.Client]
	if n := len(p.spare); flights == nil && n > 0 {
		flights, p.spare = p.spare[n-1], p.spare[:n-1]
	}
	p.flights[f.message.Client] = append(flights, f)
	p.count++
}

func (p *Preflight) remove(client wire.ClientID, which func(*flight) bool) {
	flights := p.flights[client]
	kept := flights[:0]
	for i := range flights {
		if !which(&flights[i]) {
			kept = append(kept, flights[i])
		}
	}
	p.count -= len(flights) - len(kept)
	switch {
	case len(flights) == 0:
	case len(kept) == 0:
		delete(p.flights, client)
		p.spare = append(p.spare, kept)
	default:
		p.flights[client] = kept
	}
}

// same says that two messages are one that was sent again.
func (m *Message) same(b *Message) bool {
	return m.Kind == b.Kind && m.Client == b.Client && m.Session == b.Session &&
		m.Number == b.Number && m.Checksum == b.Checksum
}

// Judge says what a primary with this committed table does about a message: [Prepare], or
// gives the answer. It changes nothing and allocates nothing.
func (p *Preflight) Judge(t *Table, m Message) Answer {
	answer := t.Answer(m)
	switch m.kind() {
	case Register:
		// Each of upstream's Registers is to bind a session, whatever the table has.
		if answer.Kind == Prepare || t.config.Shape == Upstream && answer.Kind != Taken {
			return p.judgeRegister(&m, t.config.Shape)
		}
	case Request:
		// Silent about the row's session means that others must come first. They may be under
		// way.
		w := t.rows[m.Client]
		if answer.Kind == Prepare ||
			answer.Kind == Silent && w != nil && w.Session == m.Session {
			return p.judgeRequest(t, w, &m)
		}
	case Logout:
		if answer.Kind == Prepare && p.ending(&m) {
			return Answer{Kind: InFlight}
		}
	case Resize, Other:
	}
	return answer
}

func (p *Preflight) judgeRegister(m *Message, shape Shape) Answer {
	flights := p.flights[m.Client]
	for i := range flights {
		f := &flights[i].message
		switch {
		case f.Kind != Register:
		case f.User == m.User && (f.Number == m.Number || shape == Upstream):
			return Answer{Kind: InFlight}
		case f.User != m.User || f.Number > m.Number:
			return Answer{Kind: NotAccepted, Reason: NumberInFlight}
		}
	}
	return Answer{Kind: Prepare}
}

// judgeRequest lets the number through that follows the executed and the prepared ones.
func (p *Preflight) judgeRequest(t *Table, w *row, m *Message) Answer {
	if p.ending(m) {
		return Answer{Kind: NotAccepted, Reason: SessionEnding}
	}
	last := w.Watermark
	flights := p.flights[m.Client]
	for i := range flights {
		f := &flights[i].message
		if f.Kind != Request || f.Session != m.Session {
			continue
		}
		if f.Number == m.Number {
			if t.config.Shape.sameBytes(f.Checksum, m.Checksum) {
				return Answer{Kind: InFlight}
			}
			return Answer{Kind: NotAccepted, Reason: NumberInFlight}
		}
		last = max(last, f.Number)
	}
	switch {
	case m.Number < last:
		return Answer{Kind: NotAccepted, Reason: NumberInFlight}
	case t.config.Shape == Upstream:
		return Answer{Kind: Prepare}
	case m.Number-last > 1:
		return Answer{Kind: NotAccepted, Reason: GapBefore}
	case m.Number-w.Watermark > wire.RequestNumber(t.config.Ring):
		return Answer{Kind: NotAccepted, Reason: BeyondWindow}
	}
	return Answer{Kind: Prepare}
}

// ending reports whether a message is under way that ends the client's session.
func (p *Preflight) ending(m *Message) bool {
	flights := p.flights[m.Client]
	for i := range flights {
		f := &flights[i].message
		if f.Kind == Register || f.Kind == Logout && f.Session == m.Session {
			return true
		}
	}
	return false
}
