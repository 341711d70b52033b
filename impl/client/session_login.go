package client

import (
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// loginEvicted decides whether another login can do better.
func (s *Session) loginEvicted(e *wire.Eviction) Output {
	switch e.Reason { //nolint:exhaustive // The others are alike.
	case wire.EvictedInvalidCredentials, wire.EvictedInvalidToken, wire.EvictedUserInactive,
		wire.EvictedIncompatibleProtocol, wire.EvictedMalformedLogin, wire.EvictedReleaseTooLow,
		wire.EvictedReleaseTooHigh:
		return s.loginFailed(&LoginError{
			Eviction: e.Reason, ProtocolMin: e.ProtocolMin, ProtocolMax: e.ProtocolMax,
		})
	default:
		return s.drop()
	}
}

func (s *Session) loginFailed(failed *LoginError) Output {
	out := Output{LoginFailed: failed}
	if o := s.open; o != nil {
		o.status = failed.Status
		outcome := o.refused()
		outcome.Eviction, outcome.Cause = failed.Eviction, failed
		out.Done = s.finish(outcome)
	}
	out.Drop = s.drop().Drop
	return out
}

// onLoginReply takes the session that a Register got.
func (s *Session) onLoginReply(r *wire.Reply) Output {
	if r.Operation != wire.OperationRegister || r.Client != s.config.Client ||
		r.Number != s.registration {
		return Output{}
	}
	switch status := protocol.Status(r.Status); status { //nolint:exhaustive // The others are alike.
	case protocol.StatusOK:
	case protocol.StatusNotAccepted, protocol.StatusDiskFull, protocol.StatusNotCommitted,
		protocol.StatusAlreadyApplied:
		if s.open != nil && status.Open() { // Why it waits, should its caller give up.
			s.open.status = status
		}
		return Output{Pause: status}
	default:
		return s.loginFailed(&LoginError{Status: status})
	}
	var result protocol.Result
	var login protocol.LoginReply
	if protocol.Decode(r.Body, &result) != nil {
		return s.drop()
	}
	if len(result.Rejections) > 0 {
		return s.loginFailed(&LoginError{Status: result.Rejections[0].Status})
	}
	if protocol.Decode(result.Payload, &login) != nil || login.Session == 0 {
		return s.drop()
	}
	s.session, s.userID, s.phase = login.Session, login.UserID, ready
	out := Output{LoggedIn: &login}
	out.Done = s.settle(login.Standing)
	if s.open != nil {
		next := s.proceed()
		out.Send, out.Drop = next.Send, next.Drop
	}
	return out
}

// settle decides what a new session means for the request that was open in an earlier one.
//
// With a standing: at or above the client's last session, born tells that the row, and with it
// the numbers, has been there all along. Then the watermark decides: at or above the request's
// number, the number was executed, and sending it again gets the kept reply; below, it never
// was and never will be under the old session, and is sent under the new one. Without, or with
// a new row, what may have been executed is unknown.
func (s *Session) settle(standing *protocol.Standing) *Outcome {
	o := s.open
	kept := standing != nil && o != nil && o.session != 0 &&
		(standing.Born <= o.session || s.broken == brokenBorn)
	s.born = 0
	if standing != nil {
		s.next, s.born = standing.Watermark+1, wire.Op(standing.Born)
	}
	s.fresh = true
	switch {
	case o == nil || o.session == 0:
		return nil
	case o.counted() && kept && standing.Watermark >= o.number:
		return nil
	case o.counted() && kept:
		o.uncertain = false
		o.number = 0
		return nil
	case o.uncertain && !o.repeatable() && s.broken != brokenRepeats:
		o.number = 0 // It counts in no row that there is.
		return s.finish(o.end(Unknown))
	}
	o.number = 0
	return nil
}
