package sim

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// A client's read that does not go through the log travels as a NonReplicated request, whose
// code is the level.
func readRequest(request wire.Request, level vsr.ReadLevel) wire.Request {
	request.Operation, request.Code = wire.OperationNonReplicated, uint32(level)
	return request
}

// readUnderWay is a read that waits at a replica.
type readUnderWay struct {
	id      uint64
	request *wire.Request
}

// queryRegister reads a key of a machine: executing a read changes nothing.
func queryRegister(m statemachine.Machine, key uint64) uint64 {
	result := m.Execute(&wire.Prepare{
		Header: wire.PrepareHeader{Operation: statemachine.RegisterRead},
		Body:   statemachine.RegisterBody(key),
	})
	_, value, _ := statemachine.ParseRegisterResult(result)
	return value
}

// takeRead hands a client's read to its replica.
func (s *simulation) takeRead(replica int, m *wire.Request) {
	p := &s.processes[replica]
	s.readIDs++
	p.asked = append(p.asked, readUnderWay{id: s.readIDs, request: m})
	level := vsr.ReadLevel(m.Code)
	if s.mislabelled {
		level = vsr.ReadLocal
	}
	s.input(replica, vsr.ReadRequest{ID: s.readIDs, Level: level})
}

// endRead takes a read from those that wait. One that does not wait is the core's mistake: the
// answer is nobody's.
func (s *simulation) endRead(replica int, id uint64) *wire.Request {
	p := &s.processes[replica]
	i := slices.IndexFunc(p.asked, func(r readUnderWay) bool { return r.id == id })
	if i < 0 {
		s.fail(FailRead, "replica %d answers read %d, which does not wait", replica, id)
		return &wire.Request{Client: wire.ClientID{Lo: 1}}
	}
	request := p.asked[i].request
	p.asked = slices.Delete(p.asked, i, i+1)
	return request
}

// endReads answers and refuses what the replica's last input has ended.
func (s *simulation) endReads(replica int) {
	for _, ready := range s.readsReady {
		s.answerRead(replica, ready)
	}
	for _, refused := range s.readsRefused {
		s.refuseRead(replica, refused)
	}
	s.readsReady, s.readsRefused = s.readsReady[:0], s.readsRefused[:0]
}

// answerRead answers a read from the state that the machine has come to.
func (s *simulation) answerRead(replica int, ready vsr.ReadReady) {
	op, machine := s.cluster.Applied(replica), s.cluster.Machine(replica)
	if op < ready.Op {
		s.fail(FailRead, "replica %d says that op %d is executed, its machine is at op %d",
			replica, ready.Op, op)
	}
	s.result.Reads[ready.Level.String()]++
	request := s.endRead(replica, ready.ID)
	key, _ := statemachine.ParseRegisterKey(request.Body)
	s.sendReply(replica, &wire.Reply{
		Cluster: ClusterID, Replica: wire.ReplicaID(replica), Client: request.Client, Op: op,
		Commit: op, Number: request.Number, Operation: request.Operation,
		Body: statemachine.RegisterBody(queryRegister(machine, key)),
	})
}

// refuseRead tells the client to ask another replica.
func (s *simulation) refuseRead(replica int, refused vsr.ReadRefused) {
	request := s.endRead(replica, refused.ID)
	s.sendReply(replica, &wire.Reply{
		Cluster: ClusterID, Replica: wire.ReplicaID(replica), Client: request.Client,
		Number: request.Number, Operation: request.Operation, Status: vsr.ReplyNotPrimary,
	})
}

// beginRead makes the client's next operation a read of a level. It remembers what the answer
// must show: every op that a client knows to be executed by now. A healed cluster owes more than
// reads: its clients ask for no local ones, and the first of each goes through the log.
func (c *client) beginRead(key uint64, level vsr.ReadLevel) {
	c.operation.Kind = lin.Read
	c.request.Body = statemachine.RegisterBody(key)
	if c.s.healed && c.answered == 0 {
		c.request.Operation = statemachine.RegisterRead
		return
	}
	if c.s.healed {
		level = vsr.ReadLinearizable
	}
	c.request = readRequest(c.request, level)
	c.level, c.floor = level, c.s.check.acknowledged
	if level == vsr.ReadLocal {
		c.target = c.s.random.IntN(c.s.options.Replicas)
	}
}

// onReadReply takes the answer to a read that did not go through the log.
func (c *client) onReadReply(m *wire.Reply) {
	value, ok := statemachine.ParseRegisterKey(m.Body)
	if !ok {
		c.s.fail(FailReply, "read %d of client %d: no value in the reply: %x", m.Number, c.id(),
			m.Body)
		return
	}
	c.s.check.readSeen(m.Op, value, c)
	if c.level == vsr.ReadLocal { // it may be old: no part of the history
		c.rest()
		return
	}
	c.finish(value)
}

// registerWrite is a write that a committed op did.
type registerWrite struct {
	op    wire.Op
	value uint64
}

// noteWrites keeps which op wrote what, when an op is executed for the first time: the value of
// each key after it is what the machine says that executed it.
func (c *checker) noteWrites(replica int, op wire.Op) {
	m := c.s.cluster.Machine(replica)
	for key := range uint64(c.s.plan.shape.keys) {
		value, writes := queryRegister(m, key), c.writes[key]
		if n := len(writes); n == 0 && value != 0 || n > 0 && writes[n-1].value != value {
			c.writes[key] = append(writes, registerWrite{op: op, value: value})
		}
	}
}

// valueAt is the value of a key after an op.
func (c *checker) valueAt(key uint64, op wire.Op) uint64 {
	value := uint64(0)
	for _, w := range c.writes[key] {
		if w.op > op {
			break
		}
		value = w.value
	}
	return value
}

// readSeen checks what a client is told. Every answer is the log's at the op that it names
// (ReadReal, SerializablePrefix); a linearizable one shows every op that any client knew to be
// executed when the read began (ReadFresh, ReadOrder).
func (c *checker) readSeen(op wire.Op, value uint64, by *client) {
	key := parseKey(by.operation.Key)
	switch {
	case int(op) > len(c.states):
		c.s.fail(FailRead, "client %d is shown op %d, which nobody has executed", by.id(), op)
	case c.valueAt(key, op) != value:
		c.s.fail(FailRead, "client %d is shown %d for key %d at op %d: expected %d", by.id(),
			value, key, op, c.valueAt(key, op))
	case by.level == vsr.ReadLocal:
	case op < by.floor:
		c.s.fail(FailRead, "client %d is shown op %d, and op %d was acknowledged before its "+
			"read began", by.id(), op, by.floor)
	default:
		c.acknowledged = max(c.acknowledged, op)
	}
}
