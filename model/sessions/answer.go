package sessions

// answerKind is what a replica says to a message.
type answerKind uint8

const (
	// silent: nothing, prepare: it would prepare the message. Neither reaches a client.
	silent answerKind = iota + 1
	prepare
	// sessionGiven answers a Register.
	sessionGiven
	// replied: executed, with the reply. gone: executed, the reply is no longer kept,
	// or other bytes executed under the number.
	replied
	gone
	// refusal: never executed, and never will be.
	refusal
	// over: the session has ended.
	over
	// taken: the client's id belongs to another user.
	taken
)

// answer is an answer of a replica. Fields that its kind has no use for are zero.
type answer struct {
	kind                     answerKind
	session, born, watermark uint8
	number, payload, op      uint8
}

// answerFrom is Sessions!AnswerFrom: what a replica with table t that has executed op
// k says to msg. Preflight of a primary is the same look into the table.
func (m *machine) answerFrom(t *Table, k uint8, msg *Message) answer {
	w := t.row(msg.Client)
	if msg.Kind == RegisterKind {
		switch {
		case w == nil:
			return answer{kind: prepare}
		case w.Owner != msg.User && !m.bug.sessionToldToAnyone:
			return answer{kind: taken}
		case msg.Registration > w.Registration:
			return answer{kind: prepare}
		case msg.Registration < w.Registration:
			return answer{kind: silent}
		}
		return answer{
			kind: sessionGiven, session: w.Session, born: w.Born, watermark: w.BoundWatermark,
		}
	}
	if w == nil || w.Session != msg.Session {
		if m.saysOver(k, msg.Session) {
			return answer{kind: over, session: msg.Session}
		}
		return answer{kind: silent}
	}
	if msg.Kind == LogoutKind {
		return answer{kind: prepare}
	}
	return m.answerRequest(w, k, msg)
}

// saysOver is the condition of Sessions!Over: a replica that has executed op k may
// call a session over that it has heard of.
func (m *machine) saysOver(k, session uint8) bool {
	return !m.bug.deadSessionUnanswered && (session <= k || m.bug.preflightOnStalePrimary)
}

// answerRequest is Sessions!AnswerRequest: the answer to a request of the row's
// session.
func (m *machine) answerRequest(w *Row, k uint8, msg *Message) answer {
	refused := answer{
		kind: refusal, session: msg.Session, number: msg.Number, payload: msg.Payload,
	}
	switch {
	case msg.Number > w.Watermark+1 && !m.gaps():
		return answer{kind: silent}
	case msg.Number > w.Watermark:
		switch {
		case m.bug.replyCachedBeforeCommit:
			return answer{
				kind: replied, session: msg.Session, number: msg.Number,
				payload: msg.Payload, op: k + 1,
			}
		case m.bug.refusalWhileInFlight:
			return refused
		}
		return answer{kind: prepare}
	}
	reply, ok := w.cached(msg.Number)
	switch {
	case !ok:
		return answer{kind: gone, session: msg.Session, number: msg.Number}
	case checksum(reply.Payload) == checksum(msg.Payload) || m.bug.checksumIgnored:
		return answer{
			kind: replied, session: reply.Session, number: reply.Number,
			payload: reply.Payload, op: reply.Op,
		}
	}
	return refused
}

// answer is Sessions!Answer: what replica r says to msg now.
func (m *machine) answer(s *State, r int, msg *Message) answer {
	return m.answerFrom(&s.Table[r], s.CommitMin[r], msg)
}

// isOver is Sessions!IsOver: r calls that session of c over when asked by some message
// that was sent in it.
func (m *machine) isOver(s *State, r int, c, session uint8) bool {
	if !m.saysOver(s.CommitMin[r], session) || !s.Sent.meets(&m.ofSession[c][session]) {
		return false
	}
	w := s.Table[r].row(c)
	return w == nil || w.Session != session
}

// fits is Sessions!Fits: is a about the open request with that number and payload?
func (m *machine) fits(x *Client, a answer, number, payload uint8) bool {
	switch a.kind {
	case replied:
		return a.number == number &&
			(checksum(a.payload) == checksum(payload) || m.bug.replyWithoutChecksum) &&
			(a.session >= x.Born || m.bug.replyMatchedByNumber)
	case gone:
		return a.number == number && a.session == x.Session
	case refusal:
		return a.number == number && a.session == x.Session &&
			checksum(a.payload) == checksum(payload)
	case silent, prepare, sessionGiven, over, taken:
	}
	return false
}
