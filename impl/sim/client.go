package sim

import (
	"strconv"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// clientsMax bounds the clients of a run.
const clientsMax = 64

// denialTicks is how long a client waits after a denial before it asks the next replica.
const denialTicks = 5

// client has one request outstanding. A request without an answer stays open in the history
// and is never sent again, since it may take effect at any time; the client then goes on as
// another one, under a new id.
type client struct {
	s      *simulation
	place  int // among the run's clients
	lives  int // requests given up
	number wire.RequestNumber
	target int // the replica it believes to be the primary
	// operation is the outstanding request as the history has it.
	operation lin.Operation
	busy      bool
	request   wire.Request
	deadline  int // tick at which the request is given up
	sendAt    int // tick at which to send or begin; zero while an answer is awaited
	// seen is the last value it knows of each key.
	seen map[uint64]uint64
	// answered counts requests that were begun and answered in the healed phase; begunHealed
	// says that the outstanding one was.
	answered    int
	begunHealed bool
	// level is that of a read which does not go through the log, else zero; floor is the op
	// that its answer must show.
	level vsr.ReadLevel
	floor wire.Op
}

func newClient(s *simulation, place int) *client {
	return &client{
		s: s, place: place, target: place % s.options.Replicas, seen: map[uint64]uint64{},
		sendAt: s.random.between(1, s.plan.shape.thinkTicks),
	}
}

// id is unique to a client and life; it is the history's client, too.
func (c *client) id() int { return c.lives*clientsMax + c.place }

// clientOf returns the place of the client that an id belongs to.
func clientOf(id wire.ClientID) int { return int(id.Lo-1) % clientsMax }

// tick begins, sends or gives up, as the time demands.
func (c *client) tick() {
	now := c.s.schedule.now
	switch {
	case c.busy && now >= c.deadline:
		c.giveUp()
	case c.sendAt == 0 || now < c.sendAt:
	case c.busy:
		c.send()
	case c.s.wantsRequest(c):
		c.begin()
		c.send()
	}
}

// begin chooses the next operation. Values are unique, so that a read shows who wrote.
func (c *client) begin() {
	s := c.s
	key := uint64(s.random.IntN(s.plan.shape.keys))
	call := s.history.moment()
	c.operation = lin.Operation{
		Client: c.id(), ID: uint64(call), Key: strconv.FormatUint(key, 10), Call: call,
	}
	c.request = wire.Request{
		Cluster: ClusterID, Client: wire.ClientID{Lo: uint64(c.id()) + 1}, Session: 1,
	}
	fresh := uint64(call)
	c.level = 0
	switch s.random.IntN(7) {
	case 0:
		c.operation.Kind = lin.Read
		c.request.Operation = statemachine.RegisterRead
		c.request.Body = statemachine.RegisterBody(key)
	case 1, 2:
		c.beginRead(key, vsr.ReadLinearizable)
	case 3:
		c.beginRead(key, vsr.ReadLocal)
	case 4, 5:
		c.operation.Kind = lin.Write
		c.operation.Input.Value = value(fresh)
		c.request.Operation = statemachine.RegisterWrite
		c.request.Body = statemachine.RegisterBody(key, fresh)
	default:
		c.operation.Kind = lin.CAS
		c.operation.Input.From, c.operation.Input.To = value(c.seen[key]), value(fresh)
		c.request.Operation = statemachine.RegisterCAS
		c.request.Body = statemachine.RegisterBody(key, c.seen[key], fresh)
	}
	c.busy, c.begunHealed = true, s.healed
	c.deadline = s.schedule.now + s.plan.shape.patience
	s.history.begun++
}

// value is a register's value as the history has it: a register that was never written holds
// null there and 0 here.
func value(v uint64) lin.Value {
	if v == 0 {
		return lin.Value{}
	}
	return lin.Text(strconv.FormatUint(v, 10))
}

func (c *client) send() {
	c.number++
	c.request.Number = c.number
	c.sendAt = 0
	request := c.request
	c.s.request(c.place, c.target, &request)
}

// giveUp leaves the request open and becomes another client.
func (c *client) giveUp() {
	if c.leaveOpen() {
		c.s.result.Abandoned++
	}
	c.lives++
	c.tryNext()
	c.rest()
}

// leaveOpen puts an operation without an answer into the history, and reports whether it is a
// part of it: a local read is none.
func (c *client) leaveOpen() bool {
	if c.level == vsr.ReadLocal {
		return false
	}
	c.operation.Open = true
	c.s.history.add(c.operation)
	return true
}

func (c *client) rest() {
	c.busy = false
	c.sendAt = c.s.schedule.now + c.s.random.between(1, c.s.plan.shape.thinkTicks)
}

func (c *client) tryNext() { c.target = (c.target + 1) % c.s.options.Replicas }

// onReply takes an answer to the outstanding request; others are of the past. A denial says
// that the request is in no log, so it can be sent again under the next number.
func (c *client) onReply(m *wire.Reply) {
	if !c.busy || c.sendAt != 0 || m.Client != c.request.Client || m.Number != c.number {
		return
	}
	if m.Status != 0 {
		c.tryNext()
		c.sendAt = c.s.schedule.now + denialTicks
		return
	}
	if c.level != 0 {
		c.onReadReply(m)
		return
	}
	c.s.check.acknowledged = max(c.s.check.acknowledged, m.Op)
	result, answer, ok := statemachine.ParseRegisterResult(m.Body)
	if !ok || result == statemachine.ResultInvalid {
		c.s.fail(FailReply, "request %d of client %d: no result in the reply: %x", m.Number,
			c.id(), m.Body)
		return
	}
	switch c.operation.Kind { //nolint:exhaustive // a register has three kinds
	case lin.CAS:
		c.operation.Output.OK = result == statemachine.ResultOK
	default: // a read's is the answer, a write has none
	}
	c.finish(answer)
}

// finish puts the answered operation into the history.
func (c *client) finish(answer uint64) {
	if c.operation.Kind == lin.Read {
		c.operation.Output.Value = value(answer)
	}
	c.seen[parseKey(c.operation.Key)] = answer
	c.operation.Return = c.s.history.moment()
	c.s.history.add(c.operation)
	c.s.result.Operations++
	if c.begunHealed {
		c.answered++
	}
	c.rest()
}

func parseKey(key string) uint64 {
	n, _ := strconv.ParseUint(key, 10, 64) // it was formatted here
	return n
}
