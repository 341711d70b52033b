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
// It is as long as the pipeline, and each question looks through all of it. The zero value is
// empty. It is not safe for concurrent use.
type Preflight struct{ flights []flight }

type flight struct {
	op      wire.Op
	message Message
}

// Prepared notes that a message was prepared at op. A new primary notes what it inherited.
//
// Ops come in order; anything else is the caller's bug and panics.
func (p *Preflight) Prepared(op wire.Op, m Message) {
	if n := len(p.flights); n > 0 && p.flights[n-1].op >= op {
		panic(fmt.Sprintf("clienttable: op %d is noted as prepared after op %d",
			op, p.flights[n-1].op))
	}
	p.flights = append(p.flights, flight{op, m})
}

// Executed forgets the messages up to op.
func (p *Preflight) Executed(op wire.Op) {
	n := 0
	for n < len(p.flights) && p.flights[n].op <= op {
		n++
	}
	p.flights = append(p.flights[:0], p.flights[n:]...)
}

// Reset forgets all: the replica is no longer the primary, or begins a view.
func (p *Preflight) Reset() { p.flights = p.flights[:0] }

// Len returns the number of messages under way.
func (p *Preflight) Len() int { return len(p.flights) }

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
	for i := range p.flights {
		f := &p.flights[i].message
		switch {
		case f.Kind != Register || f.Client != m.Client:
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
	for i := range p.flights {
		f := &p.flights[i].message
		if f.Kind != Request || f.Client != m.Client || f.Session != m.Session {
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
	for i := range p.flights {
		f := &p.flights[i].message
		if f.Client == m.Client &&
			(f.Kind == Register || f.Kind == Logout && f.Session == m.Session) {
			return true
		}
	}
	return false
}
