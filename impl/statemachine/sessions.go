package statemachine

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Sessions is a machine behind a client table: a request reaches the machine if and only if
// the table says so, and what it came to is kept, so that a client which asks again hears the
// same (R18). Each prepare of the group goes through it, in op order.
//
// It is itself a [Machine], whose results are answers as [AppendAnswer] writes them, and a
// [Snapshotter]. Use it from one goroutine at a time.
type Sessions struct {
	machine Machine
	table   *clienttable.Table
	// snapshot is memory of the last one that was only looked at.
	snapshot []byte
}

// NewSessions puts a table before a machine that has executed nothing. A machine that is no
// [Snapshotter], and a configuration that is not valid, are the caller's bugs and panic.
func NewSessions(machine Machine, config clienttable.Config) *Sessions {
	if _, ok := machine.(Snapshotter); !ok {
		panic(fmt.Sprintf("statemachine: %T before sessions: expected a Snapshotter", machine))
	}
	return &Sessions{machine: machine, table: clienttable.New(config)}
}

// Machine returns the machine behind the table.
func (s *Sessions) Machine() Machine { return s.machine }

// Table returns the client table, to be looked at.
func (s *Sessions) Table() *clienttable.Table { return s.table }

// Op returns the op that was executed last, 0 before the first.
func (s *Sessions) Op() wire.Op { return s.table.Op() }

// Execute lets the table decide about a prepare and the machine execute it if it shall. It
// returns the answer for the client, encoded; it is of kind Silent where no client waits. For a
// prepare that several requests share it returns one behind the other what each would get.
//
// Source: R18; Sessions!ExecuteOn.
func (s *Sessions) Execute(p *wire.Prepare) []byte {
	var answers []byte
	s.Decide(p, func(_ *wire.Prepare, a clienttable.Answer) { answers = AppendAnswer(answers, a) })
	return answers
}

// Decide is [Sessions.Execute] with the answers as they are, each with its request, which is the
// callee's for the call. The requests of a batch are executed one by one, in their order, each as
// if it had the op to itself: nobody sees a state between them, so that a checkpoint, a crash or a
// transfer has the whole of an op or nothing of it. A body that is no batch panics: none gets into
// a log.
func (s *Sessions) Decide(p *wire.Prepare, yield func(*wire.Prepare, clienttable.Answer)) {
	execute := s.table.Execute
	err := wire.EachRequest(p, func(q *wire.Prepare) {
		yield(q, s.decide(q, execute(q.Header.Op, MessageOf(&q.Header))))
		execute = s.table.ExecuteAlso
	})
	if err != nil {
		panic(fmt.Sprintf("statemachine: op %d of a log: %v", p.Header.Op, err))
	}
}

func (s *Sessions) decide(p *wire.Prepare, result clienttable.Result) clienttable.Answer {
	op := p.Header.Op
	s.end(result.Ended)
	switch result.Outcome {
	case clienttable.Execute:
		return s.table.Complete(op, s.machine.Execute(p))
	case clienttable.Passed:
		s.machine.Execute(p)
	case clienttable.Bound, clienttable.Rebound, clienttable.LoggedOut, clienttable.Ignored,
		clienttable.Resized:
	}
	return result.Answer
}

// end tells the machine whose sessions have ended.
func (s *Sessions) end(ended []clienttable.Ended) {
	machine, ok := s.machine.(SessionEnder)
	for _, e := range ended {
		if ok && e.End != clienttable.ByRebind {
			machine.SessionEnded(e.Client)
		}
	}
}

// Answer says what a replica that is no primary tells a client about a request; see
// [clienttable.Table.Answer].
func (s *Sessions) Answer(m *wire.Request) clienttable.Answer {
	return s.table.Answer(MessageOfRequest(m))
}

// Judge says what a primary does about a request, given what it has prepared and not executed;
// see [clienttable.Preflight.Judge].
func (s *Sessions) Judge(p *clienttable.Preflight, m *wire.Request) clienttable.Answer {
	return p.Judge(s.table, MessageOfRequest(m))
}

// Query asks the machine, if it is a [Querier]; nil if it is not.
func (s *Sessions) Query(code uint32, body []byte) []byte {
	if q, ok := s.machine.(Querier); ok {
		return q.Query(code, body)
	}
	return nil
}

// Unreadable says why the last answer of Query is not the state's; nil if it is.
func (s *Sessions) Unreadable() error {
	if f, ok := s.machine.(Fallible); ok {
		return f.Unreadable()
	}
	return nil
}

// Checksum covers machine and table: of the table's snapshot the checksum at its end, which stands
// for the rest.
func (s *Sessions) Checksum() wire.Checksum {
	s.snapshot = s.table.AppendSnapshot(s.snapshot[:0])
	sum := s.machine.Checksum()
	b := binary.LittleEndian.AppendUint64(s.snapshot[len(s.snapshot)-clienttable.ChecksumBytes:],
		sum.Lo)
	return wire.ChecksumOf(binary.LittleEndian.AppendUint64(b, sum.Hi))
}

// MessageOf is what the table reads of a prepare.
func MessageOf(h *wire.PrepareHeader) clienttable.Message {
	return message(clienttable.Message{
		Client: h.Client, User: clienttable.UserID(h.UserID), Session: h.Session,
		Number: h.Request, Checksum: h.RequestChecksum,
	}, h.Operation)
}

// MessageOfRequest is what the table reads of a request: the same as of the prepare that the
// request would become.
func MessageOfRequest(m *wire.Request) clienttable.Message {
	return message(clienttable.Message{
		Client: m.Client, User: clienttable.UserID(m.UserID), Session: m.Session,
		Number: m.Number, Checksum: m.RequestChecksum,
	}, m.Operation)
}

func message(m clienttable.Message, operation wire.Operation) clienttable.Message {
	m.Kind = clienttable.Request
	switch operation { //nolint:exhaustive // all others are the machines'
	case wire.OperationRegister:
		m.Kind = clienttable.Register
	case wire.OperationLogout:
		m.Kind = clienttable.Logout
	}
	return m
}
