package clienttable

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// AnswerKind says what a replica tells a client.
type AnswerKind uint8

const (
	// Silent: nothing. It is not for this replica to say, or not yet.
	Silent AnswerKind = iota + 1
	// Prepare: the table has no answer, only executing the message gives one. It reaches no
	// client.
	Prepare
	// SessionGiven answers a Register: session, born and watermark. If Born is at or below the
	// client's last session, Watermark decides each of its open requests for good; else their
	// outcome is unknown.
	SessionGiven
	// Replied: the request executed, this is its reply, and always will be.
	Replied
	// Gone: a request of this number executed, and its reply is no longer kept. It says
	// nothing about whose bytes they were: the outcome is unknown.
	Gone
	// Refused: other bytes executed under this number. These never will.
	Refused
	// Over: the session has ended. What was open in it has an unknown outcome.
	Over
	// Taken: the client's id belongs to another user.
	Taken
	// InFlight: the same message is prepared. The answer comes when it has executed.
	InFlight
	// NotAccepted: not prepared, for now. It refuses nothing: the message may still be in
	// some log, and the client may send it again at any time.
	NotAccepted
)

// String is the kind in snake_case.
func (k AnswerKind) String() string {
	switch k {
	case Silent:
		return "silent"
	case Prepare:
		return "prepare"
	case SessionGiven:
		return "session"
	case Replied:
		return "reply"
	case Gone:
		return "gone"
	case Refused:
		return "refused"
	case Over:
		return "over"
	case Taken:
		return "taken"
	case InFlight:
		return "in_flight"
	case NotAccepted:
		return "not_accepted"
	}
	return fmt.Sprintf("answer(%d)", uint8(k))
}

// Answer is what a replica tells a client. Fields that its kind has no use for are zero.
type Answer struct {
	Kind AnswerKind
	// Session is the one that was given (SessionGiven), in which the request executed
	// (Replied), or that the message named (Gone, Refused, Over).
	Session wire.SessionNumber
	// Born and Watermark are those of the row (SessionGiven).
	Born      wire.SessionNumber
	Watermark wire.RequestNumber
	// Number is the request's (Replied, Gone, Refused).
	Number wire.RequestNumber
	// Checksum is that of the request that executed (Replied), or of the one that did not and
	// never will (Refused). A client takes the answer if it is its own.
	Checksum wire.Checksum
	// Op is where the request executed (Replied).
	Op wire.Op
	// Body is the machine's (Replied). It belongs to the table: nobody changes it.
	Body []byte
	// Reason is why the message is not prepared (NotAccepted).
	Reason Reason
}

// Answer says what a replica that has executed [Table.Op] tells the client about a message: an
// answer, [Prepare] if only executing it gives one, or nothing. It changes nothing and
// allocates nothing.
//
// Any replica may give any answer but Silent and Prepare at any time, also one that lags: what
// they say stays true. A primary asks its [Preflight] instead, which knows what is under way.
// In shape [Upstream] all Registers of a client are alike, so SessionGiven answers the one that
// bound the session, and says nothing about one that has just come.
//
// Source: R18; Sessions!AnswerFrom.
func (t *Table) Answer(m Message) Answer {
	switch m.kind() {
	case Register:
		return t.answerRegister(&m)
	case Request, Logout:
	case Resize, Other:
		return Answer{Kind: Prepare}
	}
	w := t.rows[m.Client]
	if w == nil || w.Session != m.Session {
		return t.over(&m)
	}
	if m.Kind == Logout {
		return Answer{Kind: Prepare}
	}
	return t.answerRequest(w, &m)
}

func (t *Table) answerRegister(m *Message) Answer {
	w := t.rows[m.Client]
	switch {
	case w == nil:
		return Answer{Kind: Prepare}
	case w.Owner != m.User:
		return Answer{Kind: Taken}
	case m.Number > w.Registration:
		return Answer{Kind: Prepare}
	case m.Number < w.Registration:
		return Answer{Kind: Silent}
	}
	return Answer{
		Kind: SessionGiven, Session: w.Session, Born: w.Born, Watermark: w.BoundWatermark,
	}
}

// over is Sessions!Over: it is said only of sessions that this replica has heard of, as it may
// lag. That a session is an op makes the test possible.
func (t *Table) over(m *Message) Answer {
	if m.Session > wire.SessionNumber(t.op) {
		return Answer{Kind: Silent}
	}
	return Answer{Kind: Over, Session: m.Session}
}

// answerRequest is Sessions!AnswerRequest, for a request of the row's session.
func (t *Table) answerRequest(w *row, m *Message) Answer {
	if t.executes(m) {
		return Answer{Kind: Prepare}
	}
	if m.Number > w.Watermark {
		return Answer{Kind: Silent} // Others must come first.
	}
	reply := w.cached(m.Number)
	switch {
	case reply != nil && !t.config.Shape.sameBytes(reply.Checksum, m.Checksum):
		return Answer{
			Kind: Refused, Session: m.Session, Number: m.Number, Checksum: m.Checksum,
		}
	case reply == nil || reply.Omitted:
		return Answer{Kind: Gone, Session: m.Session, Number: m.Number}
	}
	return replied(reply)
}

// replied is the answer that a reply gives: the same whenever it is given.
func replied(r *Reply) Answer {
	return Answer{
		Kind: Replied, Session: r.Session, Number: r.Number, Checksum: r.Checksum,
		Op: r.Op, Body: r.Body,
	}
}

// sameBytes compares the checksums of two requests. Upstream's clients may leave theirs zero,
// which compares with anything: such a client may get the reply to another process's bytes.
func (s Shape) sameBytes(a, b wire.Checksum) bool {
	return a == b || s == Upstream && (a.IsZero() || b.IsZero())
}
