package client

import (
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// SessionConfig says who the client is.
type SessionConfig struct {
	// Client is drawn at random and never zero. No two sessions share it.
	Client wire.ClientID
	// Login is the body of a Register, encoded.
	Login []byte
	// Unnumbered leaves Registers without a number, as upstream's nodes want them. A request
	// whose connection broke then has an unknown outcome: nobody tells what was executed.
	Unnumbered bool
}

// Request is one thing to ask.
type Request struct {
	Code protocol.Code
	// Body is encoded. It is not changed, nor kept beyond the outcome.
	Body []byte
	// Repeat says that the request may be executed more than once: it is sent again where it
	// is not known whether it was executed. Questions need no such permission, and operations
	// of the metadata plane are executed at most once however often they are sent.
	Repeat bool
}

// Output is what the caller has to do after an input, in the order of the fields.
type Output struct {
	// LoggedIn is the login's reply, the first time that a connection has a session.
	LoggedIn *protocol.LoginReply
	// LoginFailed says that no login with these credentials will succeed.
	LoginFailed *LoginError
	// Done is the outcome of the request that was submitted.
	Done *Outcome
	// Answer is the outcome of the question that was asked aside.
	Answer *Outcome
	// Drop: close the connection, report it as Disconnected, open one to another node.
	Drop bool
	// Send is a frame to write to the connection.
	Send []byte
	// Pause is why nothing is sent now: call Retry a while later, or move to another node.
	Pause protocol.Status
}

// LoginError says why a login failed for good.
type LoginError struct {
	Eviction wire.EvictionReason
	Status   protocol.Status
	// ProtocolMin and ProtocolMax are the node's window if that was the reason.
	ProtocolMin, ProtocolMax uint32
}

// Error returns one line.
func (e *LoginError) Error() string {
	switch {
	case e.Eviction == wire.EvictedIncompatibleProtocol:
		return fmt.Sprintf("log in: incompatible_protocol: node speaks %s to %s, expected %s",
			versionText(e.ProtocolMin), versionText(e.ProtocolMax),
			versionText(protocol.ProtocolVersion))
	case e.Eviction != 0:
		return "log in: " + e.Eviction.String()
	}
	return "log in: " + e.Status.String()
}

func versionText(v uint32) string {
	return fmt.Sprintf("%d.%d.%d", v>>20, v>>10&1023, v&1023)
}

type phase uint8

const (
	offline phase = iota + 1
	registering
	ready
)

// open is a request without an outcome.
type open struct {
	Request
	operation wire.Operation
	checksum  wire.Checksum
	// number is that of the frame, session the one that it was last sent in; both are 0 before
	// the first send.
	number  wire.RequestNumber
	session wire.SessionNumber
	// inFlight: a copy is on the connection, and its answer may come. uncertain: a copy went
	// out whose answer will not come, or said nothing.
	inFlight, uncertain bool
	status              protocol.Status
}

// counted says that the client table counts the request (R18): it has a number of its own.
func (o *open) counted() bool {
	return protocol.PlaneOf(o.operation) == protocol.PlaneMetadata &&
		o.operation != wire.OperationLogout
}

// repeatable says that the request may be sent although a copy may have been executed, in
// whatever session.
func (o *open) repeatable() bool {
	return o.operation == wire.OperationNonReplicated || o.operation == wire.OperationLogout ||
		o.Repeat
}

// Session is one client as the cluster sees it: its logins, its numbers, and the request that
// is open. It has no connection and no clock; the caller has both, and feeds it.
//
// One request is open at a time. It ends with exactly one [Outcome], whatever the order of the
// inputs. The rules are R18 and client-protocol section 8.
type Session struct {
	config SessionConfig
	phase  phase
	// registration is the number of the last Register, session what it gave.
	registration wire.RequestNumber
	session      wire.SessionNumber
	// born is the op of the Register that made the client's row; 0 if no login has told.
	born   wire.Op
	userID uint32
	// next is the number of the next counted request; sequence of the last other one.
	next     wire.RequestNumber
	sequence wire.RequestNumber
	// fresh is false once a counted request was given up: whether its number was used is found
	// out by a new login only.
	fresh bool
	open  *open
	aside *open
	// broken is a rule that a test has switched off.
	broken defect
}

// NewSession returns a session without a connection.
func NewSession(config SessionConfig) *Session {
	return &Session{config: config, phase: offline, next: 1, fresh: true}
}

// Ready says that the session is logged in.
func (s *Session) Ready() bool { return s.phase == ready }

// Busy says that a request is open.
func (s *Session) Busy() bool { return s.open != nil }

// Number returns the session's number, 0 before the first login.
func (s *Session) Number() wire.SessionNumber { return s.session }

// Connected says that there is a connection: the session logs in on it, which gives it a new
// number (R18). Then it goes on with the request that is open.
func (s *Session) Connected() Output {
	s.phase = registering
	if !s.config.Unnumbered {
		s.registration++
	}
	return Output{Send: s.register()}
}

func (s *Session) register() []byte {
	return wire.AppendClientRequest(nil, &wire.Request{
		Client: s.config.Client, Number: s.registration, Operation: wire.OperationRegister,
		RequestChecksum: wire.ChecksumOf(s.config.Login), Body: s.config.Login,
	})
}

// Disconnected says that the connection is gone, for whatever reason; also that there was
// none. What was in flight on it stays open if a later login finds out, else it ends.
func (s *Session) Disconnected() Output {
	var out Output
	s.phase = offline
	if s.aside != nil {
		out.Answer = s.aside.end(Failed)
		s.aside = nil
	}
	o := s.open
	if o == nil {
		return out
	}
	o.uncertain = o.uncertain || o.inFlight && s.broken != brokenForgets
	o.inFlight = false
	if o.uncertain && !o.repeatable() && (!o.counted() || s.config.Unnumbered) &&
		s.broken != brokenRepeats {
		out.Done = s.finish(o.end(Unknown))
	}
	return out
}

// drop is what to do about a connection of no more use.
func (s *Session) drop() Output {
	out := s.Disconnected()
	out.Drop = true
	return out
}

// Submit opens a request. It is sent at once if the session is logged in, else after the
// login. The caller must not submit another before its outcome: that panics.
func (s *Session) Submit(r Request) Output {
	if s.open != nil {
		panic(fmt.Sprintf("submit %s: %s is open", r.Code, s.open.Code))
	}
	o, refused := s.newOpen(r)
	if refused != nil {
		return Output{Done: refused}
	}
	s.open = o
	if s.phase != ready {
		return Output{}
	}
	return s.proceed()
}

// errTooLarge is the cause of a failure that no node has seen.
var errTooLarge = errors.New("the request is larger than a frame may be")

func (s *Session) newOpen(r Request) (*open, *Outcome) {
	o := &open{Request: r, operation: r.Code.Operation()}
	switch {
	case o.operation == 0 || o.operation == wire.OperationRegister:
		o.status = protocol.StatusInvalidCommand
		return nil, o.end(Failed)
	case len(r.Body) > wire.MaxBodyBytes:
		refused := o.end(Failed)
		refused.Cause = errTooLarge
		return nil, refused
	}
	o.checksum = wire.ChecksumOf(append([]byte{uint8(o.operation)}, r.Body...))
	return o, nil
}

// Ask asks a question while the open request is not in flight, or while there is none. Its
// outcome is Output.Answer. It answers Failed at once if it cannot be sent now.
func (s *Session) Ask(r Request) Output {
	o, refused := s.newOpen(r)
	if refused != nil {
		return Output{Answer: refused}
	}
	if s.phase != ready || s.aside != nil || s.open != nil && s.open.inFlight ||
		o.operation != wire.OperationNonReplicated {
		return Output{Answer: o.end(Failed)}
	}
	s.aside = o
	return Output{Send: s.frame(o)}
}

// Retry says that a pause is over.
func (s *Session) Retry() Output {
	switch {
	case s.phase == registering:
		return Output{Send: s.register()} // Of equal number: it repeats the answer.
	case s.phase == ready && s.aside == nil && s.open != nil && !s.open.inFlight:
		return s.proceed()
	}
	return Output{}
}

// GiveUp ends the open request: the caller waits no longer.
func (s *Session) GiveUp() Output {
	o := s.open
	if o == nil {
		return Output{}
	}
	outcome := o.refused()
	if o.inFlight && !o.harmless() {
		outcome = o.end(Unknown)
	}
	// A late answer would come where the next one is expected.
	late := o.inFlight || outcome.Verdict == Unknown && s.phase != offline
	out := Output{Done: s.finish(outcome)}
	if late {
		out.Drop = s.drop().Drop
	}
	return out
}

// finish closes the open request. The number of a counted one that was never executed is used
// again, since the next must follow the last that was (R18); where that is unknown, a login
// has to tell.
func (s *Session) finish(outcome *Outcome) *Outcome {
	o := s.open
	s.open = nil
	switch {
	case !o.counted() || o.number == 0:
	case outcome.Verdict == Unknown && s.broken == brokenNumbers:
		s.next = o.number
	case outcome.Verdict == Unknown:
		s.fresh = false
	case outcome.Verdict == Failed && !outcome.Rejected:
		s.next = o.number
	}
	return outcome
}

// proceed sends the open request.
func (s *Session) proceed() Output {
	if s.open.counted() && !s.fresh {
		return s.drop() // A login tells which number is next.
	}
	return Output{Send: s.frame(s.open)}
}

// frame numbers a request, unless it has its number, and marks it as in flight.
func (s *Session) frame(o *open) []byte {
	if o.number == 0 {
		if o.counted() {
			o.number = s.next
			s.next++
		} else {
			s.sequence++
			o.number = s.sequence
		}
	}
	o.session, o.inFlight = s.session, true
	m := wire.Request{
		Client: s.config.Client, Session: s.session, Number: o.number, Operation: o.operation,
		RequestChecksum: o.checksum, UserID: s.userID, Body: o.Body,
	}
	if o.operation == wire.OperationNonReplicated {
		m.Code = uint32(o.Code)
	}
	return wire.AppendClientRequest(nil, &m)
}

// end is the outcome of a request that got no reply to give.
func (o *open) end(v Verdict) *Outcome {
	return &Outcome{Verdict: v, Code: o.Code, Status: o.status}
}

// refused is the outcome after a copy was refused: a failure, unless another copy may have been
// executed.
func (o *open) refused() *Outcome {
	if o.uncertain && !o.harmless() {
		return o.end(Unknown)
	}
	return o.end(Failed)
}

// harmless says that the request changes nothing.
func (o *open) harmless() bool { return o.operation == wire.OperationNonReplicated }
