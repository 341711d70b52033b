package nodes

import (
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// watching tells the checker what reaches a machine: most requests change nothing when they are
// executed a second time, so that no state and no answer would show it.
type watching struct {
	check   *checker
	process int
	group   wire.GroupID
	at      placed // the last that was executed
}

// placed is an op and the place in it of a request that reached the machine, from 0.
type placed struct {
	op    wire.Op
	place int
}

type registerMachine struct {
	*statemachine.Register
	watching
}

// Execute implements statemachine.Machine.
func (m *registerMachine) Execute(p *wire.Prepare) []byte {
	m.reached(&p.Header)
	return m.Register.Execute(p)
}

type partitionMachine struct {
	*partition.Machine
	watching
}

// Execute implements statemachine.Machine.
func (m *partitionMachine) Execute(p *wire.Prepare) []byte {
	m.reached(&p.Header)
	return m.Machine.Execute(p)
}

type metadataMachine struct {
	*metadata.Machine
	watching
}

// Execute implements statemachine.Machine.
func (m *metadataMachine) Execute(p *wire.Prepare) []byte {
	m.reached(&p.Header)
	return m.Machine.Execute(p)
}

func (s *simulation) newMachine(p *process, group wire.GroupID) statemachine.Machine {
	return s.workloadOf(group).machine(p, watching{check: &s.check, process: p.id, group: group})
}

// request identifies what a client has asked for.
type request struct {
	client  wire.ClientID
	session wire.SessionNumber
	number  wire.RequestNumber
}

// reached is called before a request is executed by a machine: each op reaches it once per boot, in
// order (R5), and each number of a session at one place of one op only (R18). A batch reaches it
// request by request; one that comes twice is at two places of it. Most reach several processes at
// the same place: that one is looked at first.
func (w *watching) reached(h *wire.PrepareHeader) {
	s := w.check.s
	if h.Op < w.at.op {
		s.fail(FailExecution, "process %d, group %d: op %d reaches the machine after op %d",
			w.process, w.group, h.Op, w.at.op)
	}
	if h.Op == w.at.op {
		w.at.place++
	} else {
		w.at = placed{op: h.Op}
	}
	of := w.check.groups[w.group]
	known, asked := of.requests, request{h.Client, h.Session, h.Request}
	for int(h.Op) >= len(of.places) {
		of.places = append(of.places, nil)
	}
	places := &of.places[h.Op]
	if w.at.place < len(*places) && (*places)[w.at.place] == asked {
		return // where it reached another process
	}
	if w.at.place == len(*places) {
		*places = append(*places, asked)
	}
	if at, again := known[asked]; again && at != w.at {
		s.fail(FailExecution, "process %d, group %d: request %d of client %d is executed at op %d "+
			"and at op %d, places %d and %d", w.process, w.group, h.Request, h.Client.Lo, at.op,
			w.at.op, at.place, w.at.place)
	}
	known[asked] = w.at
}
