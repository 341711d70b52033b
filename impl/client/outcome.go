package client

import (
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Verdict says what is known of a request.
type Verdict uint8

// The verdicts. There is no fourth: each request gets one of them.
const (
	// Succeeded: it was executed, once, and did what it asks.
	Succeeded Verdict = iota + 1
	// Failed: it had no effect and never will have one.
	Failed
	// Unknown: it may have had its effect, may have it later, or never.
	Unknown
)

// String returns the name in lower case.
func (v Verdict) String() string {
	switch v {
	case Succeeded:
		return "succeeded"
	case Failed:
		return "failed"
	case Unknown:
		return "unknown"
	}
	return fmt.Sprintf("verdict(%d)", uint8(v))
}

// Outcome is what became of a request.
type Outcome struct {
	Verdict Verdict
	// Code is the request's.
	Code protocol.Code
	// Payload is the reply, if it succeeded.
	Payload []byte
	// Status is the reason of a failure, or the last that was heard of an unknown outcome; 0
	// if nothing was.
	Status protocol.Status
	// Rejected says that a failure was decided by the state machine, and so by all replicas.
	Rejected bool
	// Eviction is why the session or the login ended, if that decided the outcome.
	Eviction wire.EvictionReason
	// Op is where the request was executed, as far as the reply says.
	Op wire.Op
	// Cause is what went wrong on this side of the connection, nil if nothing did.
	Cause error
}

// Err returns nil for a success, else an [*Error].
func (o Outcome) Err() error {
	if o.Verdict == Succeeded {
		return nil
	}
	return &Error{Outcome: o}
}

// Error is an outcome that is no success.
type Error struct{ Outcome Outcome }

// Error returns one line: what was asked, whether it may have happened, and why.
func (e *Error) Error() string {
	what := "nothing was done"
	if e.Outcome.Verdict == Unknown {
		what = "outcome unknown"
	}
	return fmt.Sprintf("%s: %s: %s", e.Outcome.Code, what, e.Outcome.reason())
}

func (o Outcome) reason() string {
	switch {
	case o.Eviction != 0:
		return o.Eviction.String()
	case o.Cause != nil && o.Status != 0:
		return o.Status.String() + "; " + o.Cause.Error()
	case o.Cause != nil:
		return o.Cause.Error()
	case o.Status != 0:
		return o.Status.String()
	}
	return "no answer in time"
}

// Unwrap returns the cause, so that errors.Is finds a cancelled context.
func (e *Error) Unwrap() error { return e.Outcome.Cause }

// Is makes errors.Is compare with [ErrUnknown] and with a [protocol.Status] as [StatusError].
func (e *Error) Is(target error) bool {
	if target == ErrUnknown {
		return e.Outcome.Verdict == Unknown
	}
	status, ok := target.(StatusError)
	return ok && e.Outcome.Verdict == Failed && e.Outcome.Status == protocol.Status(status)
}

// ErrUnknown is in the tree of every error whose request may have had its effect.
var ErrUnknown = errors.New("outcome unknown")

// StatusError is a status to compare an error with:
//
//	errors.Is(err, client.StatusError(protocol.StatusStreamExists))
type StatusError protocol.Status

// Error returns the status for people.
func (s StatusError) Error() string { return protocol.Status(s).String() }

// outcomeOf finds the outcome in an error's tree.
func outcomeOf(err error) (Outcome, bool) {
	var e *Error
	if errors.As(err, &e) {
		return e.Outcome, true
	}
	return Outcome{}, false
}
