package sessions

// Answer is what a replica says to a message: a record of Sessions!AnswerFrom. Fields that its
// kind has no use for are zero.
type Answer struct {
	// Kind is the word of the module: silent, prepare, session, reply, gone, refused, over or
	// taken.
	Kind                     string
	Session, Born, Watermark uint8
	Number, Payload, Op      uint8
}

// String is the kind as the module writes it.
func (k answerKind) String() string {
	switch k {
	case silent:
		return "silent"
	case prepare:
		return "prepare"
	case sessionGiven:
		return "session"
	case replied:
		return "reply"
	case gone:
		return "gone"
	case refusal:
		return "refused"
	case over:
		return "over"
	case taken:
		return "taken"
	}
	return ""
}

// Observer looks into the states of a configuration: at what they hold by number only, and at
// what follows from them. It is for whoever compares another client table with this one.
type Observer struct{ m *machine }

// NewObserver returns the observer of the states of Model(c).
//
// A configuration that Validate refuses is the caller's bug and panics.
func NewObserver(c Config) Observer { return Observer{newMachine(c)} }

// Sent calls visit with each message that clients have sent, in the order of the
// configuration's list.
func (o Observer) Sent(s *State, visit func(Message)) {
	sent := s.Sent
	for id, ok := sent.pop(); ok; id, ok = sent.pop() {
		visit(o.m.all[id])
	}
}

// Committed returns the message at an op, from 1 to the length of the log.
func (o Observer) Committed(s *State, op uint8) Message { return *o.m.at(s, int(op)) }

// Executed reports whether some replica executed a request at the op.
func (o Observer) Executed(s *State, op uint8) bool { return s.Executed&(1<<op) != 0 }

// Endings returns the sessions that executing the op ended at some replica, in the order of
// clients.
func (o Observer) Endings(s *State, op uint8) []Ending {
	var all []Ending
	for bit := range ClientsMax * OpMax * whyMax {
		if s.Ended[op-1]&(1<<bit) != 0 {
			all = append(all, endingAt(bit))
		}
	}
	return all
}

// Answer returns what replica r says to a message: Sessions!Answer.
func (o Observer) Answer(s *State, r int, message Message) Answer {
	a := o.m.answer(s, r, &message)
	return Answer{
		Kind: a.kind.String(), Session: a.session, Born: a.born, Watermark: a.watermark,
		Number: a.number, Payload: a.payload, Op: a.op,
	}
}

// Checksum is Sessions!Checksum: it tells a second process's payload from the client's.
func Checksum(payload uint8) uint8 { return checksum(payload) }
