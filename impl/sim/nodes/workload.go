package nodes

import (
	"strconv"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// workload is what the clients of a group ask of its machine.
type workload interface {
	// machine returns a new one, for a process that boots.
	machine(p *process, w watching) statemachine.Machine
	// begin chooses what a client asks for: the request and its place in the history.
	begin(c *client)
	// end takes the result of what the client asked for, and returns what is wrong with it.
	end(c *client, result []byte) string
	// ask chooses what a client reads: its place in the history, the body, and the code, which
	// it returns; told takes the answer, and returns what is wrong with it.
	ask(c *client) (code uint32)
	told(c *client, answer []byte) string
	// String is the name in words.
	String() string
}

// workloads are those of the groups that do not replicate the catalogue, which the first of
// several groups does, as in a server.
var workloads = []workload{register{}, partitionLog{}}

// workloadOf returns that of a group.
func (s *simulation) workloadOf(group wire.GroupID) workload {
	return s.plan.shape.workloads[group]
}

// register is one map of values: read, write, compare and set.
type register struct{}

// String returns the name.
func (register) String() string { return "register" }

func (register) machine(_ *process, w watching) statemachine.Machine {
	return &registerMachine{
		Register: statemachine.NewRegister().(*statemachine.Register), //nolint:forcetypeassert // it is
		watching: w,
	}
}

// begin draws an operation. Values are unique, so that a read shows who wrote.
func (register) begin(c *client) {
	chance, o := c.s.chances.clients, &c.operation
	key := uint64(chance.IntN(c.s.plan.shape.keys))
	fresh := uint64(o.Call)
	o.Key, c.model = o.Key+"."+strconv.FormatUint(key, 10), lin.Register
	switch chance.IntN(5) {
	case 0:
		o.Kind = lin.Read
		c.request.Operation = statemachine.RegisterRead
		c.request.Body = statemachine.RegisterBody(key)
	case 1, 2:
		o.Kind, o.Input.Value = lin.Write, value(fresh)
		c.request.Operation = statemachine.RegisterWrite
		c.request.Body = statemachine.RegisterBody(key, fresh)
	default:
		o.Kind, o.Input.From, o.Input.To = lin.CAS, value(c.seen[key]), value(fresh)
		c.request.Operation = statemachine.RegisterCAS
		c.request.Body = statemachine.RegisterBody(key, c.seen[key], fresh)
	}
}

func (register) end(c *client, result []byte) string {
	code, answer, ok := statemachine.ParseRegisterResult(result)
	if !ok || code == statemachine.ResultInvalid {
		return "no result of a register"
	}
	switch c.operation.Kind { //nolint:exhaustive // a register has three kinds
	case lin.Read:
		c.operation.Output.Value = value(answer)
	case lin.CAS:
		c.operation.Output.OK = code == statemachine.ResultOK
	default: // a write has no output
	}
	c.seen[uint64(c.request.Body[0])] = answer
	return ""
}

func (register) ask(c *client) uint32 {
	o, key := &c.operation, uint64(c.s.chances.clients.IntN(c.s.plan.shape.keys))
	o.Key, c.model, o.Kind = o.Key+"."+strconv.FormatUint(key, 10), lin.Register, lin.Read
	c.request.Body = statemachine.RegisterBody(key)
	return statemachine.QueryRegister
}

func (r register) told(c *client, answer []byte) string { return r.end(c, answer) }

// value is a register's value as the history has it: one that was never written holds null
// there and 0 here.
func value(v uint64) lin.Value {
	if v == 0 {
		return lin.Value{}
	}
	return lin.Text(strconv.FormatUint(v, 10))
}
