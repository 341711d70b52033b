package nodes

import (
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// machine is a register that tells the checker what reaches it: most requests change nothing
// when they are executed a second time, so that no state and no answer would show it.
type machine struct {
	*statemachine.Register
	check   *checker
	process int
	group   wire.GroupID
	op      wire.Op // the last that it executed
}

func (s *simulation) newMachine(p *process, group wire.GroupID) statemachine.Machine {
	return &machine{
		Register: statemachine.NewRegister().(*statemachine.Register), //nolint:forcetypeassert // it is
		check:    &s.check, process: p.id, group: group,
	}
}

// Execute implements statemachine.Machine.
func (m *machine) Execute(p *wire.Prepare) []byte {
	m.check.reached(m, &p.Header)
	m.op = p.Header.Op
	return m.Register.Execute(p)
}

// request identifies what a client has asked for.
type request struct {
	client  wire.ClientID
	session wire.SessionNumber
	number  wire.RequestNumber
}

// reached is called before an op is executed by a machine: each op reaches it once per boot, in
// order (R5), and each number of a session at one op only (R18).
func (c *checker) reached(m *machine, h *wire.PrepareHeader) {
	if h.Op <= m.op {
		c.s.fail(FailExecution, "process %d, group %d: op %d reaches the machine after op %d",
			m.process, m.group, h.Op, m.op)
	}
	w := c.groups[m.group]
	asked := request{h.Client, h.Session, h.Request}
	if op, known := w.requests[asked]; known && op != h.Op {
		c.s.fail(FailExecution, "process %d, group %d: request %d of client %d is executed at op %d "+
			"and at op %d", m.process, m.group, h.Request, h.Client.Lo, op, h.Op)
	}
	w.requests[asked] = h.Op
}
