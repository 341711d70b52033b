package sessions

import (
	"fmt"
	"math/bits"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of Sessions.tla, in the order of its cfgs. The comments of the
// module name the mutants that break each.
func (m *machine) invariants() []explore.Property[State] {
	var all []explore.Property[State]
	for _, p := range []struct {
		name  string
		check func(s *State) error
	}{
		{"AtMostOnce", m.atMostOnce},
		{"NumberOnce", m.numberOnce},
		{"PositiveExecuted", m.positiveExecuted},
		{"RefusedNever", m.refusedNever},
		{"ReplyRight", m.replyRight},
		{"GoneIsForeign", m.goneIsForeign},
		{"TablesEqual", m.tablesEqual},
		{"CapacityAgreed", m.capacityAgreed},
		{"OwnerOnly", m.ownerOnly},
		{"DeadStaysDead", m.deadStaysDead},
		{"OverTrue", m.overTrue},
		{"OnlyEviction", m.onlyEviction},
		{"NoStuck", m.noStuck},
	} {
		all = append(all, explore.Property[State]{
			Name: p.name, Check: func(s State) error { return p.check(&s) },
		})
	}
	return all
}

// at is the message at an op of the log.
func (m *machine) at(s *State, op int) *Message { return &m.all[s.Log[op-1]] }

// eachPair visits each pair of ops that executed until visit returns an error.
func (m *machine) eachPair(s *State, visit func(i, j int) error) error {
	for first := s.Executed; first != 0; first &= first - 1 {
		i := bits.TrailingZeros8(first)
		for second := first & (first - 1); second != 0; second &= second - 1 {
			if err := visit(i, bits.TrailingZeros8(second)); err != nil {
				return err
			}
		}
	}
	return nil
}

// atMostOnce is Sessions!AtMostOnce: a payload executes at most once.
func (m *machine) atMostOnce(s *State) error {
	return m.eachPair(s, func(i, j int) error {
		a, b := m.at(s, i), m.at(s, j)
		if a.Client == b.Client && a.Payload == b.Payload && a.Payload > 0 {
			return fmt.Errorf("payload %d of client %d executed at op %d and at op %d",
				a.Payload, a.Client, i, j)
		}
		return nil
	})
}

// numberOnce is Sessions!NumberOnce: a number executes at most once in its session.
func (m *machine) numberOnce(s *State) error {
	return m.eachPair(s, func(i, j int) error {
		a, b := m.at(s, i), m.at(s, j)
		if a.Client == b.Client && a.Session == b.Session && a.Number == b.Number {
			return fmt.Errorf("number %d of session %d of client %d executed at op %d and at op %d",
				a.Number, a.Session, a.Client, i, j)
		}
		return nil
	})
}

// executions returns the ops at which that payload of the client executed.
func (m *machine) executions(s *State, client, payload uint8) uint8 {
	var ops uint8
	for rest := s.Executed; rest != 0; rest &= rest - 1 {
		op := bits.TrailingZeros8(rest)
		if a := m.at(s, op); a.Client == client && a.Payload == payload {
			ops |= 1 << op
		}
	}
	return ops
}

// positiveExecuted is Sessions!PositiveExecuted: a positive answer names the op that
// executed this very payload.
func (m *machine) positiveExecuted(s *State) error {
	for c := range uint8(m.Clients) {
		for rest := s.Confirmed[c]; rest != 0; rest &= rest - 1 {
			bit := bits.TrailingZeros32(rest)
			payload, op := uint8(bit/8+1), uint8(bit%8)
			ops := m.executions(s, c+1, payload)
			if op == 0 && ops == 0 || op != 0 && ops&(1<<op) == 0 {
				return fmt.Errorf("client %d took payload %d for executed at op %d, "+
					"it executed at the ops %08b", c+1, payload, op, ops)
			}
		}
	}
	return nil
}

// refusedNever is Sessions!RefusedNever: what was definitely refused never executes.
func (m *machine) refusedNever(s *State) error {
	for c := range uint8(m.Clients) {
		for rest := s.Refused[c]; rest != 0; rest &= rest - 1 {
			payload := uint8(bits.TrailingZeros8(rest))
			if ops := m.executions(s, c+1, payload); ops != 0 {
				return fmt.Errorf("client %d took payload %d for never executed, "+
					"it executed at op %d", c+1, payload, bits.TrailingZeros8(ops))
			}
		}
	}
	return nil
}

// replyRight is Sessions!ReplyRight: each reply that a replica would give to a message
// is that of its execution.
func (m *machine) replyRight(s *State) error {
	for c := range m.Clients {
		sent := s.Sent.and(&m.requests[c+1])
		for id, ok := sent.pop(); ok; id, ok = sent.pop() {
			msg := &m.all[id]
			for r := range m.N {
				a := m.answer(s, r, msg)
				if a.kind != replied {
					continue
				}
				right := a.payload == msg.Payload && s.Executed&(1<<a.op) != 0
				if right {
					at := m.at(s, int(a.op))
					right = at.Payload == msg.Payload && at.Client == msg.Client
				}
				if !right {
					return fmt.Errorf("r%d replies to %s with payload %d of op %d",
						r, msg, a.payload, a.op)
				}
			}
		}
	}
	return nil
}

// goneIsForeign is Sessions!GoneIsForeign: only a second process can push out a reply
// that is still wanted.
func (m *machine) goneIsForeign(s *State) error {
	if m.Misuse {
		return nil
	}
	for c := range uint8(m.Clients) {
		x := &s.Client[c]
		if x.Phase != On {
			continue
		}
		for i, number := range x.Open {
			if number == 0 {
				continue
			}
			msg := request(c+1, x.Session, number, uint8(i+1))
			for r := range m.N {
				if m.answer(s, r, &msg).kind == gone {
					return fmt.Errorf("r%d calls the reply to %s gone, which is open", r, msg)
				}
			}
		}
	}
	return nil
}

func request(client, session, number, payload uint8) Message {
	return Message{
		Kind: RequestKind, Client: client, Session: session, Number: number, Payload: payload,
	}
}

// tablesEqual is Sessions!TablesEqual: tables at the same op are equal, slot by slot,
// and a checkpoint is such a table.
func (m *machine) tablesEqual(s *State) error {
	for r := range m.N {
		for q := range r {
			if s.CommitMin[r] == s.CommitMin[q] && s.Table[r].Rows != s.Table[q].Rows {
				return fmt.Errorf("r%d and r%d differ at op %d", q, r, s.CommitMin[r])
			}
		}
		if s.CommitMin[r] == s.CheckpointOp && s.Table[r].Rows != s.CheckpointTable.Rows {
			return fmt.Errorf("r%d differs from the checkpoint at op %d", r, s.CheckpointOp)
		}
	}
	return nil
}

// capacityAgreed is Sessions!CapacityAgreed: replicas at the same op have the same
// slots, used or not.
func (m *machine) capacityAgreed(s *State) error {
	for r := range m.N {
		slots := s.Table[r].Slots
		for q := range r {
			if s.CommitMin[r] == s.CommitMin[q] && slots != s.Table[q].Slots {
				return fmt.Errorf("r%d has %d slots and r%d has %d, both at op %d",
					q, s.Table[q].Slots, r, slots, s.CommitMin[r])
			}
		}
		if s.CommitMin[r] == s.CheckpointOp && slots != s.CheckpointTable.Slots {
			return fmt.Errorf("r%d has %d slots at op %d, the checkpoint %d",
				r, slots, s.CheckpointOp, s.CheckpointTable.Slots)
		}
	}
	return nil
}

// ownerOnly is Sessions!OwnerOnly: a row is bound by Registers of its owner alone, and
// nobody else is told of its session.
func (m *machine) ownerOnly(s *State) error {
	boundBy := func(op, user uint8) bool {
		a := m.at(s, int(op))
		return a.Kind == RegisterKind && a.User == user
	}
	for r := range m.N {
		t := &s.Table[r]
		for i := range t.Rows {
			w := &t.Rows[i]
			if w.Client == 0 {
				continue
			}
			if !boundBy(w.Session, w.Owner) || !boundBy(w.Born, w.Owner) {
				return fmt.Errorf("r%d: the row of client %d belongs to user %d, "+
					"another user's Register bound it at op %d", r, w.Client, w.Owner, w.Session)
			}
			asked := s.Sent.and(&m.asking[w.Client])
			for id, ok := asked.pop(); ok; id, ok = asked.pop() {
				a := m.answerFrom(t, s.CommitMin[r], &m.all[id])
				if a.kind == sessionGiven && !boundBy(a.session, m.all[id].User) {
					return fmt.Errorf("r%d tells user %d of session %d of client %d",
						r, m.all[id].User, a.session, w.Client)
				}
			}
		}
	}
	return nil
}

// deadStaysDead is Sessions!DeadStaysDead: nothing executes in a session after its end.
func (m *machine) deadStaysDead(s *State) error {
	for i := range int(s.LogLength) {
		for rest := s.Ended[i]; rest != 0; rest &= rest - 1 {
			e := endingAt(bits.TrailingZeros64(rest))
			for later := s.Executed &^ (1<<(i+1) - 1); later != 0; later &= later - 1 {
				op := bits.TrailingZeros8(later)
				if a := m.at(s, op); a.Client == e.Client && a.Session == e.Session {
					return fmt.Errorf("session %d of client %d was %s at op %d, "+
						"yet %s executed at op %d", e.Session, e.Client, e.Why, i+1, a, op)
				}
			}
		}
	}
	return nil
}

// overTrue is Sessions!OverTrue: "over" is said only of sessions that have ended.
func (m *machine) overTrue(s *State) error {
	var ended [ClientsMax + 1]uint8 // Sets of sessions.
	for i := range int(s.LogLength) {
		for rest := s.Ended[i]; rest != 0; rest &= rest - 1 {
			e := endingAt(bits.TrailingZeros64(rest))
			ended[e.Client] |= 1 << e.Session
		}
	}
	for c := uint8(1); int(c) <= m.Clients; c++ {
		for session := uint8(1); int(session) <= m.MaxOp; session++ {
			for r := range m.N {
				if ended[c]&(1<<session) == 0 && m.isOver(s, r, c, session) {
					return fmt.Errorf("r%d calls session %d of client %d over, "+
						"which has not ended", r, session, c)
				}
			}
		}
	}
	return nil
}

// onlyEviction is Sessions!OnlyEviction: a client that uses a session loses it to
// eviction alone.
func (m *machine) onlyEviction(s *State) error {
	for i := range int(s.LogLength) {
		for rest := s.Ended[i]; rest != 0; rest &= rest - 1 {
			e := endingAt(bits.TrailingZeros64(rest))
			x := &s.Client[e.Client-1]
			if x.Phase == On && x.Session == e.Session && e.Why != Evicted {
				return fmt.Errorf("client %d uses session %d, which was %s at op %d",
					e.Client, e.Session, e.Why, i+1)
			}
		}
	}
	return nil
}

// noStuck is Sessions!NoStuck: where the whole log is executed, whatever a client waits
// for gets an answer that it takes, at once or by the next op.
func (m *machine) noStuck(s *State) error {
	for c := range uint8(m.Clients) {
		msg, waits := m.waitsFor(s, c)
		if !waits {
			continue
		}
		for r := range m.N {
			if s.CommitMin[r] != s.LogLength {
				continue
			}
			a := m.answer(s, r, &msg)
			if a.kind == prepare || a.kind == sessionGiven && m.Shape == Upstream {
				t, op := s.Table[r], s.CommitMin[r]+1
				victims := m.victimsFor(&t, &msg)
				m.executeOn(&t, op, &msg, victims.pop())
				a = m.answerFrom(&t, op, &msg)
			}
			if !m.settles(&s.Client[c], a, &msg) {
				return fmt.Errorf("client %d waits for ever: r%d has no answer to %s that it takes",
					c+1, r, msg)
			}
		}
	}
	return nil
}

// waitsFor is Sessions!WaitsFor: the message that the client waits for an answer to.
func (m *machine) waitsFor(s *State, c uint8) (Message, bool) {
	x := &s.Client[c]
	switch x.Phase {
	case Registering:
		return m.asksFor(s, c), true
	case On:
		number, payload, open := x.oldest()
		return request(c+1, x.Session, number, payload), open
	case New, SessionOver, Out, Taken:
	}
	return Message{}, false
}

// settles is Sessions!Settles.
func (m *machine) settles(x *Client, a answer, msg *Message) bool {
	switch a.kind {
	case sessionGiven:
		return m.Shape == Numbered || a.session > x.Session
	case taken:
		return true
	case over:
		return a.session == x.Session
	case silent, prepare, replied, gone, refusal:
	}
	return msg.Kind == RequestKind && m.fits(x, a, msg.Number, msg.Payload)
}
