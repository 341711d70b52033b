package client

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Receive takes a whole frame from the connection. A reply that is not the one expected, such
// as a duplicate, is passed over. The frame must not be changed afterwards: an outcome's
// payload is a part of it.
func (s *Session) Receive(frame []byte) Output {
	from, err := wire.DecodeFromNode(frame)
	switch {
	case err != nil:
		return s.drop()
	case s.phase == offline:
		return Output{}
	case from.Eviction != nil:
		return s.onEviction(from.Eviction)
	case s.phase == registering:
		return s.onLoginReply(from.Reply)
	case s.aside != nil && s.matches(s.aside, from.Reply):
		return s.onAnswer(from.Reply)
	case s.open != nil && s.open.inFlight &&
		(s.broken == brokenMatch || s.matches(s.open, from.Reply)):
		return s.onReply(from.Reply)
	}
	return Output{}
}

// matches says that the reply is to this request. A zero checksum compares with anything, as
// upstream's nodes leave it out where nothing is counted.
func (s *Session) matches(o *open, r *wire.Reply) bool {
	return r.Client == s.config.Client && r.Number == o.number && r.Operation == o.operation &&
		(r.RequestChecksum == o.checksum || r.RequestChecksum.IsZero()) && !s.unborn(o, r)
}

// unborn says that the reply is to a request of a row that is gone: its op lies below the birth of
// the present one. Numbers begin anew with a row, so that an equal request can have had an equal
// number in the one before, and a node may still hold its reply when this one is asked (R18).
//
// Spec Sessions Fits; mutant reply_matched_by_number, and of this code client_reply_before_birth.
func (s *Session) unborn(o *open, r *wire.Reply) bool {
	return o.counted() && r.Status == 0 && r.Op < s.born && s.broken != brokenUnborn
}

// onAnswer ends the question that was asked aside. The open request goes on after a pause.
func (s *Session) onAnswer(r *wire.Reply) Output {
	o := s.aside
	s.aside = nil
	if o.status = protocol.Status(r.Status); o.status != 0 {
		return Output{Answer: o.end(Failed)}
	}
	return Output{Answer: o.success(r.Op, r.Body)}
}

func (o *open) success(op wire.Op, payload []byte) *Outcome {
	return &Outcome{Verdict: Succeeded, Code: o.Code, Payload: payload, Op: op}
}

// onReply ends the open request, or makes it wait.
func (s *Session) onReply(r *wire.Reply) Output {
	o := s.open
	o.inFlight = false
	o.status = protocol.Status(r.Status)
	switch o.status { //nolint:exhaustive // The others are alike.
	case protocol.StatusOK:
		return Output{Done: s.finish(o.read(r))}
	case protocol.StatusNotAccepted, protocol.StatusDiskFull: // This copy entered no log.
		return Output{Pause: o.status}
	case protocol.StatusNotCommitted:
		o.uncertain = true
		if !o.counted() && !o.repeatable() { // Nobody would notice a second execution.
			return Output{Done: s.finish(o.end(Unknown))}
		}
		return Output{Pause: o.status}
	case protocol.StatusAlreadyApplied: // With which result, nobody knows any more.
		return Output{Done: s.finish(o.end(Unknown))}
	case protocol.StatusUnauthenticated, protocol.StatusInvalidSession,
		protocol.StatusStaleClient: // The node does not know the session; a login may help.
		return s.drop()
	default:
		return Output{Done: s.finish(o.refused())}
	}
}

// read makes an outcome of the reply to an executed request.
func (o *open) read(r *wire.Reply) *Outcome {
	if !protocol.Framed(o.operation) {
		return o.success(r.Op, r.Body)
	}
	var result protocol.Result
	if err := protocol.Decode(r.Body, &result); err != nil {
		outcome := o.end(Unknown)
		outcome.Op, outcome.Cause = r.Op, fmt.Errorf("read reply: %w", err)
		return outcome
	}
	if len(result.Rejections) == 0 {
		return o.success(r.Op, result.Payload)
	}
	o.status = result.Rejections[0].Status
	outcome := o.end(Failed)
	outcome.Op, outcome.Rejected = r.Op, true
	return outcome
}

// onEviction ends the session, and with it perhaps the request or all hope of a login.
func (s *Session) onEviction(e *wire.Eviction) Output {
	if e.Client != s.config.Client {
		return Output{}
	}
	if s.phase == registering {
		return s.loginEvicted(e)
	}
	o := s.open
	if o == nil || !o.inFlight {
		return s.drop()
	}
	switch e.Reason { //nolint:exhaustive // The others are alike.
	case wire.EvictedInvalidOperation, wire.EvictedInvalidBody, wire.EvictedInvalidBodySize:
		// The node could not prepare it.
		o.inFlight = false
		outcome := o.refused()
		outcome.Eviction = e.Reason
		out := Output{Done: s.finish(outcome)}
		out.Drop = s.drop().Drop
		return out
	default:
		return s.drop() // Another copy of it may be in a log, so that it is uncertain.
	}
}
