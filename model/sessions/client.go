package sessions

// The actions of clients. Client c is element c of the state's arrays and client c+1
// in messages and labels.

// register is Sessions!Register: the client asks for a session, at any time.
func (m *machine) register(s *State, c uint8, yield func(Action, State)) {
	if int(s.Client[c].Registration) == m.MaxRegister || s.Client[c].Phase == Taken {
		return
	}
	t := *s
	x := &t.Client[c]
	x.Phase = Registering
	x.Registration++
	t.Sent.add(m.id(m.asksFor(&t, c)))
	yield(Action{Kind: Register, Client: c + 1}, t)
}

// asksFor is Sessions!AsksFor: the Register that the client waits for an answer to.
func (m *machine) asksFor(s *State, c uint8) Message {
	msg := Message{
		Kind: RegisterKind, Client: c + 1, User: ownUser,
		Registration: s.Client[c].Registration,
	}
	if m.Shape == Upstream {
		msg.Registration = 0
	}
	return msg
}

// takeSession is Sessions!TakeSession: the session comes with born and the watermark,
// which decides the open requests if the row has been there since the last session.
func (m *machine) takeSession(s *State, c uint8, yield func(Action, State)) {
	x := &s.Client[c]
	if x.Phase != Registering {
		return
	}
	msg := m.asksFor(s, c)
	for r := range m.N {
		a := m.answer(s, r, &msg)
		if a.kind != sessionGiven || m.Shape == Upstream && a.session <= x.Session {
			continue
		}
		for _, refuse := range []bool{false, true} {
			if refuse && m.Shape == Upstream {
				continue
			}
			t := *s
			m.settle(&t, c, a, refuse)
			yield(Action{
				Kind: TakeSession, Client: c + 1, Replica: uint8(r), Refuse: refuse,
			}, t)
		}
	}
}

// settle is what the client makes of a new session and of its open requests.
func (m *machine) settle(t *State, c uint8, a answer, refuse bool) {
	x := &t.Client[c]
	if m.Shape == Upstream { // It is told the session only.
		x.Phase, x.Session = On, a.session
		clear(x.Open[:])
		if m.bug.numbersStartAgain {
			x.Number = 0
		}
		return
	}
	known := x.Session > 0 && (a.born <= x.Session || m.bug.birthIgnored)
	x.Phase, x.Session, x.Born, x.Number = On, a.session, a.born, a.watermark
	for i, number := range x.Open {
		payload := uint8(i + 1)
		switch {
		case number == 0:
		case !known: // The outcome stays unknown.
			x.Open[i] = 0
		case refuse && number > a.watermark: // It never executes.
			x.Open[i] = 0
			t.Refused[c] |= 1 << payload
		default: // Sent again, under the same number.
			x.Number = max(x.Number, number)
			t.Sent.add(m.id(Message{
				Kind: RequestKind, Client: c + 1, Session: a.session,
				Number: number, Payload: payload,
			}))
		}
	}
}

// learnTaken is Sessions!LearnTaken: a replica says that the id is another user's.
func (m *machine) learnTaken(s *State, c uint8, yield func(Action, State)) {
	if s.Client[c].Phase != Registering {
		return
	}
	msg := m.asksFor(s, c)
	for r := range m.N {
		if m.answer(s, r, &msg).kind != taken {
			continue
		}
		t := *s
		t.Client[c].Phase = Taken
		clear(t.Client[c].Open[:])
		yield(Action{Kind: LearnTaken, Client: c + 1, Replica: uint8(r)}, t)
	}
}

// intruderRegister is Sessions!IntruderRegister: another user registers under the
// client's id, with any number.
func (m *machine) intruderRegister(s *State, c uint8, yield func(Action, State)) {
	for n := uint8(1); m.Intruders && int(n) <= m.MaxRegister; n++ {
		id := m.id(Message{Kind: RegisterKind, Client: c + 1, Registration: n, User: otherUser})
		if s.Sent.has(id) {
			continue
		}
		t := *s
		t.Sent.add(id)
		yield(Action{Kind: IntruderRegister, Client: c + 1, Number: n}, t)
	}
}

// sendRequest is Sessions!SendRequest: the next number, within the window.
func (m *machine) sendRequest(s *State, c uint8, yield func(Action, State)) {
	if x := &s.Client[c]; x.Phase != On || int(x.Payload) == m.MaxRequest {
		return
	}
	t := *s
	x := &t.Client[c]
	x.Number++
	x.Payload++
	if m.bug.clientSkipsNumber {
		clear(x.Open[:])
	}
	count := 0
	for _, number := range x.Open {
		if number == 0 {
			continue
		}
		count++
		if !m.bug.windowCountsOpen && int(x.Number)-int(number) >= m.Window {
			return
		}
	}
	if m.bug.windowCountsOpen && count >= m.Window {
		return
	}
	x.Open[x.Payload-1] = x.Number
	t.Sent.add(m.id(Message{
		Kind: RequestKind, Client: c + 1, Session: x.Session,
		Number: x.Number, Payload: x.Payload,
	}))
	yield(Action{Kind: SendRequest, Client: c + 1}, t)
}

// foreignRequest is Sessions!ForeignRequest: a second process sends its own bytes
// under the client's session.
func (m *machine) foreignRequest(s *State, c uint8, yield func(Action, State)) {
	if !m.Misuse || s.Client[c].Phase != On {
		return
	}
	for n := uint8(1); int(n) <= m.MaxRequest; n++ {
		t := *s
		t.Sent.add(m.id(Message{
			Kind: RequestKind, Client: c + 1, Session: s.Client[c].Session, Number: n,
		}))
		yield(Action{Kind: ForeignRequest, Client: c + 1, Number: n}, t)
	}
}

// takeAnswer is Sessions!TakeAnswer: what a replica answers to some message settles an
// open request.
func (m *machine) takeAnswer(s *State, c uint8, yield func(Action, State)) {
	x := &s.Client[c]
	if _, _, open := x.oldest(); x.Phase != On || !open {
		return
	}
	for r := range m.N {
		sent := s.Sent.and(&m.requests[c+1])
		for id, ok := sent.pop(); ok; id, ok = sent.pop() {
			a := m.answer(s, r, &m.all[id])
			for i, number := range x.Open {
				payload := uint8(i + 1)
				if number == 0 || !m.fits(x, a, number, payload) {
					continue
				}
				t := *s
				t.Client[c].Open[i] = 0
				switch {
				case a.kind == replied:
					t.Confirmed[c] |= confirmedBit(payload, a.op)
				case a.kind == refusal:
					t.Refused[c] |= 1 << payload
				case m.bug.goneIsSuccess:
					t.Confirmed[c] |= confirmedBit(payload, 0)
				}
				yield(Action{
					Kind: TakeAnswer, Client: c + 1, Replica: uint8(r), Number: number,
					Message: m.all[id],
				}, t)
			}
		}
	}
}

// learnOver is Sessions!LearnOver: a replica says that the client's session has ended.
func (m *machine) learnOver(s *State, c uint8, yield func(Action, State)) {
	x := &s.Client[c]
	if x.Phase != On {
		return
	}
	for r := range m.N {
		if !m.isOver(s, r, c+1, x.Session) {
			continue
		}
		t := *s
		t.Client[c].Phase = SessionOver
		if m.bug.overIsRefusal {
			for i, number := range x.Open {
				if number != 0 {
					t.Refused[c] |= 1 << (i + 1)
				}
			}
			clear(t.Client[c].Open[:])
		}
		yield(Action{Kind: LearnOver, Client: c + 1, Replica: uint8(r)}, t)
	}
}

// logout is Sessions!Logout: the client gives its session back, and with it what is
// open.
func (m *machine) logout(s *State, c uint8, yield func(Action, State)) {
	if !m.Logouts || s.Client[c].Phase != On {
		return
	}
	t := *s
	t.Client[c].Phase = Out
	clear(t.Client[c].Open[:])
	t.Sent.add(m.id(Message{Kind: LogoutKind, Client: c + 1, Session: s.Client[c].Session}))
	yield(Action{Kind: Logout, Client: c + 1}, t)
}
