package nodes

import (
	"github.com/zeebo/xxh3"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// checker holds what all processes have done against what they may do. It believes disks,
// executions, frames and replies.
type checker struct {
	s      *simulation
	groups []*watched
	// answers counts what executing came to, by kind.
	answers [clienttable.NotAccepted + 1]int
	// bytes is memory of the answers of one op.
	bytes []byte
}

// watched is what is known of a group.
type watched struct {
	// log is the one log: what was executed at each op, op 1 first.
	log []executed
	// done is the highest op that each process has executed since its boot.
	done [processesMax]wire.Op
	// prepared is which prepare a view has at an op (one primary per view).
	prepared map[viewOp]wire.Checksum
	// needles are the first bytes of the frames of prepares: what a disk is searched for.
	needles map[wire.PrepareID][]byte
	// found is where each process's disk had them.
	found [processesMax]map[wire.PrepareID]memdisk.Found
	// acknowledged is the highest op that a client was told of.
	acknowledged wire.Op
	// requests are the ops at which requests reached a machine, places the requests of each op
	// in the order in which they did, by op.
	requests map[request]placed
	places   [][]request
	// batches are the ops that several requests share.
	batches batches
	// checkpoints are the pairings that superblocks had, by op.
	checkpoints map[wire.Op]wire.Checksum
	// views are the highest that each process has spoken for, durable what its superblock said
	// last.
	views   [processesMax]wire.View
	durable [processesMax]superblock.VsrState
	// promises are what each process speaks for.
	promises [processesMax]promises
	heads    heads
}

type viewOp struct {
	view wire.View
	op   wire.Op
}

// executed is what is compared of an op between replicas.
type executed struct {
	checksum wire.Checksum
	// answers stands for all bytes of the answers.
	answers xxh3.Uint128
	// state is the machine's and the client table's after the op; zero if nobody looked.
	state wire.Checksum
}

// needleBytes are the checksums of header and body: no two prepares share them.
const needleBytes = 32

func newChecker(s *simulation) checker {
	c := checker{s: s}
	for range s.plan.shape.policies {
		w := &watched{
			prepared: map[viewOp]wire.Checksum{}, needles: map[wire.PrepareID][]byte{},
			requests: map[request]placed{}, checkpoints: map[wire.Op]wire.Checksum{},
			heads: heads{},
		}
		for i := range w.found {
			w.found[i] = map[wire.PrepareID]memdisk.Found{}
		}
		c.groups = append(c.groups, w)
	}
	return c
}

// booting takes note that a process executes from its checkpoint on again.
func (c *checker) booting(p *process, group wire.GroupID) {
	c.groups[group].done[p.id] = 0
}

// restored takes note that a process goes on from a checkpoint, which covers the one log up to an
// op of it.
func (c *checker) restored(p *process, group wire.GroupID, id wire.PrepareID) {
	w := c.groups[group]
	if int(id.Op) > len(w.log) || w.log[id.Op-1].checksum != id.Checksum {
		c.s.fail(FailAgreement, "process %d, group %d: goes on from a checkpoint of %s, which nobody "+
			"executed", p.id, group, id)
	}
	w.done[p.id] = id.Op
}

// executed is called after a host has executed an op: each boot executes each op once, in
// order (R5), and all replicas the same ops with the same answers to the same state.
func (c *checker) executed(
	p *process, group wire.GroupID, h *wire.PrepareHeader, answers []clienttable.Answer,
) {
	w := c.groups[group]
	if h.Op != w.done[p.id]+1 {
		c.s.fail(FailExecution, "process %d, group %d: op %d is executed after op %d", p.id, group,
			h.Op, w.done[p.id])
		return
	}
	w.done[p.id] = h.Op
	got := executed{checksum: h.Checksum}
	c.bytes = c.bytes[:0]
	for i := range answers {
		c.answers[answers[i].Kind]++
		c.bytes = statemachine.AppendAnswer(c.bytes, answers[i])
	}
	got.answers = xxh3.Hash128(c.bytes)
	c.executedBatch(p, w, h, answers)
	if h.Op%c.s.plan.shape.stateEvery == 0 {
		got.state = p.sessions(group).Checksum()
	}
	if int(h.Op) > len(w.log) {
		w.log = append(w.log, got)
		return
	}
	first := &w.log[h.Op-1]
	switch {
	case first.checksum != got.checksum:
		c.s.fail(FailAgreement, "process %d, group %d: op %d is %v, others executed %v", p.id,
			group, h.Op, got.checksum, first.checksum)
	case first.answers != got.answers:
		c.s.fail(FailAnswer, "process %d, group %d: op %d has other answers than elsewhere: %v",
			p.id, group, h.Op, answers)
	case first.state != got.state:
		c.s.fail(FailState, "process %d, group %d: another state after op %d than elsewhere", p.id,
			group, h.Op)
	default:
		c.s.result.Comparisons++
	}
}

// sessions is the machine of a group behind its client table. A host that is being made has
// none yet, and executes nothing.
func (p *process) sessions(group wire.GroupID) *statemachine.Sessions {
	return p.hosts[group].Sessions()
}

// written compares the superblock of a process with what it said before: view, log view, commit
// point and checkpoint only rise (R1, R2, R17), but on a new disk.
func (c *checker) written(p *process) {
	for _, now := range p.storage.Groups() {
		w := c.groups[now.Group]
		was := w.durable[p.id]
		if now.View < was.View || now.LogView < was.LogView || now.CommitMax < was.CommitMax ||
			now.Checkpoint.Op < was.Checkpoint.Op {
			c.s.fail(FailMonotone, "process %d, group %d: its superblock says %+v after %+v", p.id,
				now.Group, now.VsrState, was)
		}
		w.durable[p.id] = now.VsrState
		if now.LogView > was.LogView {
			c.recorded(p, now.Group)
		}
		c.paired(p, now.Group, now.Checkpoint)
	}
}

// paired compares the checkpoints of replicas at the same op: they are equal to the byte.
func (c *checker) paired(p *process, group wire.GroupID, id wire.PrepareID) {
	w := c.groups[group]
	known, seen := w.checkpoints[id.Op]
	if seen && known != id.Checksum {
		c.s.fail(FailState, "process %d, group %d: its checkpoint at op %d differs from another's",
			p.id, group, id.Op)
	}
	w.checkpoints[id.Op] = id.Checksum
}

// forgets takes note of a new disk.
func (c *checker) forgets(p *process) {
	for _, w := range c.groups {
		w.durable[p.id], w.promises[p.id] = superblock.VsrState{}, promises{}
	}
}

// sent checks a message as it leaves its process.
func (c *checker) sent(p *process, group wire.GroupID, m wire.Message) {
	w := c.groups[group]
	switch m := m.(type) {
	case *wire.Prepare:
		w.see(m)
		w.heads.rise(m.Header.View, m.Header.Op)
		at := viewOp{m.Header.View, m.Header.Op}
		if known, ok := w.prepared[at]; ok && known != m.Header.Checksum {
			c.s.fail(FailPrimary, "process %d, group %d: op %d of view %d is prepared a second "+
				"time, differently", p.id, group, at.op, at.view)
		}
		w.batches.sent(c.s.result, w, m)
		w.prepared[at] = m.Header.Checksum
		c.stored(p, group, m.Header.ID(), "sends")
		c.promised(p, group, m.Header.View, m.Header.ID())
		c.served(p, group, m)
	case *wire.RepairPrepare:
		w.see(&m.Prepare)
		w.batches.repaired(c.s.result, &m.Prepare)
		c.served(p, group, &m.Prepare)
	case *wire.PrepareOK:
		c.stored(p, group, wire.PrepareID{Op: m.Op, Checksum: m.PrepareChecksum}, "promises")
		c.promised(p, group, m.View, wire.PrepareID{Op: m.Op, Checksum: m.PrepareChecksum})
		c.spoken(p, group, m.View, m.Command())
	case *wire.StartViewChange:
		c.durableFirst(p, group, m.View, m.Command())
		c.spoken(p, group, m.View, m.Command())
	case *wire.DoViewChange:
		c.voted(p, group, m)
		c.durableFirst(p, group, m.View, m.Command())
		c.spoken(p, group, m.View, m.Command())
	case *wire.StartView:
		w.heads.started(m)
		c.durableFirst(p, group, m.View, m.Command())
	case *wire.Request, *wire.Reply, *wire.Commit, *wire.RequestStartView,
		*wire.RequestPrepares, *wire.ConfirmView, *wire.ConfirmViewOK, *wire.RequestCheckpoint,
		*wire.CheckpointChunk:
	}
}

// see keeps what a prepare's frame begins with.
func (w *watched) see(p *wire.Prepare) {
	id := p.Header.ID()
	if w.needles[id] == nil {
		w.needles[id] = wire.AppendPrepareHeader(nil, &p.Header)[:needleBytes]
	}
}

// stored demands that a prepare which a process speaks for is on its disk as the group's policy
// demands (R3).
func (c *checker) stored(p *process, group wire.GroupID, id wire.PrepareID, verb string) {
	needle := c.groups[group].needles[id]
	if needle == nil || c.s.options.Calm || c.s.plan.atlas.mayLose(p) {
		return // nobody has seen its bytes, or they may rot
	}
	if !c.holds(p, group, id, needle) {
		c.s.fail(FailPromise, "process %d, group %d: %s op %d, which its disk has not", p.id, group,
			verb, id.Op)
	}
}

// holds says whether a process has an op as the group's policy demands: in its log, or covered by
// the checkpoint that its superblock names.
//
// Its bytes are compared each time that somebody speaks for it. Where they were the last time, or
// where the newest ones are, is looked at first: that saves the search of a log that has not
// changed in between, and decides nothing (memdisk.Holds).
func (c *checker) holds(p *process, group wire.GroupID, id wire.PrepareID, needle []byte) bool {
	w := c.groups[group]
	if id.Op <= w.durable[p.id].Checkpoint.Op {
		return true
	}
	near, known := w.found[p.id][id]
	if !known {
		near = p.newest
	}
	if !p.disk.Holds(datadir.Log, needle, !c.s.replicated(group), &near) {
		return false
	}
	if !known {
		p.newest = near
	}
	w.found[p.id][id] = near
	return true
}

// durableFirst demands that the view which a message speaks for is in the superblock (R1).
func (c *checker) durableFirst(
	p *process, group wire.GroupID, view wire.View, command wire.Command,
) {
	if p.dying {
		return
	}
	outcome, err := superblock.Read(p.disk, datadir.Superblock, datadir.Log)
	present, ok := outcome.(superblock.Present)
	if err != nil || !ok {
		c.s.fail(FailDurableFirst, "process %d: its superblock is not legible: %v", p.id, err)
		return
	}
	if state, _ := present.Record.Find(group); state.View < view {
		c.s.fail(FailDurableFirst, "process %d, group %d: sends %s of view %d; its superblock has "+
			"view %d", p.id, group, command, view, state.View)
	}
}

// spoken demands that a process never speaks for a view below one that it left, unless it has
// lost its disk.
func (c *checker) spoken(p *process, group wire.GroupID, view wire.View, command wire.Command) {
	w := c.groups[group]
	if view < w.views[p.id] && p.disks == 1 {
		c.s.fail(FailMonotone, "process %d, group %d: sends %s of view %d after view %d", p.id,
			group, command, view, w.views[p.id])
	}
	w.views[p.id] = max(w.views[p.id], view)
}

// replied checks that what a client is told has executed.
func (c *checker) replied(p *process, m *wire.Reply) {
	switch {
	case m.Status != 0:
		c.s.result.Replies[statusName(m.Status)]++
		return
	case m.Operation == wire.OperationNonReplicated:
		c.read(p, m)
		return
	}
	w := c.groups[m.Group]
	if m.Op == 0 || int(m.Op) > len(w.log) {
		c.s.fail(FailReply, "process %d, group %d: answers with op %d, which nobody executed", p.id,
			m.Group, m.Op)
		return
	}
	w.acknowledged = max(w.acknowledged, m.Op)
	if !c.s.options.Calm {
		c.acknowledged(p, m)
	}
}

// acknowledged demands that what a client is told is on the disks of a quorum as the policy
// demands. Disks that may rot or were lost are believed.
func (c *checker) acknowledged(p *process, m *wire.Reply) {
	w := c.groups[m.Group]
	id := wire.PrepareID{Op: m.Op, Checksum: w.log[m.Op-1].checksum}
	needle := w.needles[id]
	if needle == nil {
		return
	}
	holders := 0
	for _, other := range c.s.processes {
		if c.s.plan.atlas.mayLose(other) || c.holds(other, m.Group, id, needle) {
			holders++
		}
	}
	if holders < vsr.QuorumsOf(len(c.s.processes)).Replication {
		c.s.fail(FailDurability, "process %d, group %d: op %d is acknowledged, but %d disks hold it",
			p.id, m.Group, m.Op, holders)
	}
}
