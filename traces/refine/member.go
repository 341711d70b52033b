package refine

import (
	"fmt"
	"slices"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/transfer"
	"github.com/viewstamp/viewstamp/traces"
)

// member is one state of one replica with its disk and what its host has under way. It is
// immutable but for what is remembered of its steps; equal members are one.
type member struct {
	id    int
	core  *vsr.Replica // never stepped: a step takes a clone
	state vsr.State
	// footing is there if the bounds have checkpoints or wipes, projected what Transfer.tla has of
	// it if the search is held against that module.
	footing   vsr.Footing
	projected transfer.Replica
	disk      disk
	writes    []write
	reads     []vsr.Read
	executes  []wire.PrepareID
	boots     uint64
	// applied is what the state machine has executed last, checkpointing what the host has under
	// way of checkpoints.
	applied       wire.PrepareID
	checkpointing checkpointing
	// cause began the change that is under way, if one is.
	cause *message
	// broken says what the core found wrong with itself when it got here.
	broken string
	hash   xxh3.Uint128

	mutex    sync.Mutex
	outcomes map[stimulus]*outcome
}

// stimulus is one thing that can happen to a member.
type stimulus struct {
	kind    kind
	arg     int
	timer   vsr.Timer
	message *message
}

// outcome is what comes of it.
type outcome struct {
	next   *member
	sent   []*message
	events []traces.Event // of the specification's actions
	// released: the log up to an op was let go, which is that op.
	released wire.Op
	// committed are the prepares that a primary has committed by it.
	committed []wire.PrepareID
	// accepted: a request was given an op.
	accepted bool
	did      string // the actions in one text
	// all are the events that VSR.tla does not know of, too.
	all []vsr.Event
	// mismatch says why the step is none of Transfer.tla, or nothing.
	mismatch string
}

// do returns what comes of a stimulus. A core is deterministic, so it is asked once.
func (s *system) do(m *member, in stimulus) *outcome {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if out, known := m.outcomes[in]; known {
		return out
	}
	out := s.step(m, in)
	m.outcomes[in] = out
	return out
}

// step carries out a stimulus on a clone.
func (s *system) step(m *member, in stimulus) *outcome {
	n := &member{
		id: m.id, disk: m.disk, boots: m.boots, cause: m.cause, applied: m.applied,
		checkpointing: m.checkpointing,
		writes:        slices.Clip(m.writes), reads: slices.Clip(m.reads),
		executes: slices.Clip(m.executes),
	}
	out := &outcome{}
	switch in.kind { //nolint:exhaustive // The others are inputs of a core.
	case kindCrash:
		s.crash(m, n, in.arg, out)
	case kindWipe:
		n.disk = disk{wiped: s.bounds.Host != ForgottenMark}
		s.crash(m, n, 0, out)
	default:
		n.core = m.core.Clone()
		if input := s.inputOf(n, in); input != nil {
			s.input(n, input, out)
		}
		if !s.bounds.Full {
			s.finishAll(n, out)
		}
	}
	switch {
	case n.broken != "" || !n.core.InTransition():
		n.cause = nil
	case !m.core.InTransition() || in.kind == kindCrash:
		n.cause = in.message
	}
	out.next = s.intern(n)
	if s.transfer != nil && out.next.broken == "" {
		out.mismatch = s.transfer.mismatch(m, out.next, in, out)
	}
	for i, e := range out.events {
		if i > 0 {
			out.did += "+"
		}
		out.did += e.Action
	}
	return out
}

// inputOf turns a stimulus into the core's input, and takes what it finishes from the host.
func (s *system) inputOf(n *member, in stimulus) vsr.Input {
	switch in.kind { //nolint:exhaustive // The others are no inputs of a core.
	case kindDeliver:
		return vsr.Receive{Message: in.message.content}
	case kindRequest:
		return vsr.Receive{Message: s.request(in.arg)}
	case kindExpire:
		return vsr.Expire{Timer: in.timer, Attempts: in.arg}
	case kindExecute:
		id := n.executes[0]
		n.executes = slices.Clone(n.executes[1:])
		n.applied = id
		return vsr.Executed{ID: id}
	case kindWrite:
		return n.finishWrite(in.arg)
	case kindRead:
		return n.finishRead()
	case kindCheckpoint:
		n.beginCheckpoint()
		return nil
	case kindPart:
		return s.finishPart(n)
	case kindChunk:
		return s.finishChunk(n)
	}
	return vsr.LeaveView{}
}

// finishWrite lands write i, and with a record those that were begun before it.
func (n *member) finishWrite(i int) vsr.Input {
	w := n.writes[i]
	n.writes = slices.Delete(slices.Clone(n.writes), i, i+1)
	n.disk = n.disk.land(w)
	n.checkpointing = n.checkpointing.land(w)
	return w.done()
}

func (n *member) finishRead() vsr.Input {
	read := n.reads[0]
	n.reads = slices.Clone(n.reads[1:])
	return vsr.PreparesRead{Prepares: n.disk.read(read.IDs), To: read.To}
}

// finishAll finishes all writes and reads, in order, and what comes of them.
func (s *system) finishAll(n *member, out *outcome) {
	for n.broken == "" {
		switch {
		case len(n.writes) > 0 && n.rebases(n.writes[0]):
			return
		case len(n.checkpointing.reads) > 0:
			s.input(n, s.finishChunk(n), out)
		case len(n.writes) > 0:
			s.input(n, n.finishWrite(0), out)
		case len(n.reads) > 0:
			s.input(n, n.finishRead(), out)
		default:
			return
		}
	}
}

// crash boots n from m's disk, on which the first writes of those under way have landed.
func (s *system) crash(m, n *member, landed int, out *outcome) {
	for _, w := range m.writes[:landed] {
		n.disk = n.disk.land(w)
	}
	n.disk.booted = true
	n.writes, n.reads, n.executes, n.checkpointing = nil, nil, nil, checkpointing{}
	s.boot(n, out)
}

func (s *system) boot(n *member, out *outcome) {
	n.boots++
	defer n.catch()
	found := n.disk.recovered()
	if i := len(n.disk.snapshots); i > 0 { // also one that the superblock does not name yet (R17)
		n.disk.pairing = n.disk.snapshots[i-1]
		found.Base, found.Timestamp = n.disk.pairing, s.timestamp(n.disk.pairing)
	}
	n.applied = found.Base
	core, err := vsr.New(s.config(n), found)
	if err != nil {
		n.broken = err.Error()
		return
	}
	n.core = core
	s.note(n.id, core.BootEvents(), out)
	core.ForgetTime()
}

// catch turns a panic of the core into a broken member.
func (n *member) catch() {
	if contradiction := recover(); contradiction != nil {
		n.broken = fmt.Sprint(contradiction)
	}
}

// input steps the core of n, which nobody else has, and takes up the effects.
func (s *system) input(n *member, in vsr.Input, out *outcome) {
	defer n.catch()
	before := n.disk
	effects := n.core.Step(in)
	s.note(n.id, effects.Events, out)
	s.remember(&effects)
	for i := range effects.StorePrepares {
		p := effects.StorePrepares[i]
		out.accepted = true
		n.writes = append(n.writes, write{prepare: &p})
	}
	if effects.StoreState != nil {
		n.writes = append(n.writes, write{state: effects.StoreState})
	}
	if effects.StoreSuperblock != nil {
		n.writes = append(n.writes, write{superblock: effects.StoreSuperblock})
	}
	for _, read := range effects.Reads {
		n.read(vsr.Read{IDs: slices.Clone(read.IDs), To: read.To})
	}
	n.executes = append(n.executes, effects.Executes...)
	s.takeCheckpoints(n, &effects)
	out.released = max(out.released, effects.Release)
	for _, e := range effects.Messages {
		if reason := before.untrue(e.Message); reason != "" && n.broken == "" {
			n.broken = reason
		}
		out.sent = append(out.sent, s.message(int(e.To), e.Message))
	}
	n.core.ForgetTime()
}

// read begins a read, unless an equal one is under way: its answer will do.
func (n *member) read(wanted vsr.Read) {
	for _, read := range n.reads {
		if read.To == wanted.To && slices.Equal(read.IDs, wanted.IDs) {
			return
		}
	}
	n.reads = append(n.reads, wanted)
}

// note takes up the events of a step.
func (s *system) note(replica int, events []vsr.Event, out *outcome) {
	for _, e := range events {
		s.cover(e)
		if !e.Stutter {
			out.events = append(out.events, record.Event(replica, e))
			if s.transfer != nil {
				out.all = append(out.all, e)
			}
		}
		if e.Action == vsr.ActionPrimaryCommit {
			out.committed = append(out.committed, wire.PrepareID{Op: e.Op, Checksum: e.Checksum})
		}
	}
}

// intern gives a new member its identity, and returns the one that is equal if there is one.
func (s *system) intern(n *member) *member {
	key := []byte{byte(n.id), byte(n.boots)}
	key = n.disk.appendKey(key)
	key = append(key, byte(len(n.writes)), byte(len(n.reads)), byte(len(n.executes)))
	for _, w := range n.writes {
		key = w.appendKey(key)
	}
	for _, read := range n.reads {
		key = append(key, byte(read.To), byte(len(read.IDs)))
		for _, id := range read.IDs {
			key = appendID(key, id)
		}
	}
	for _, id := range n.executes {
		key = appendID(key, id)
	}
	key = n.checkpointing.appendKey(appendID(key, n.applied))
	if n.cause != nil {
		key = append(key, n.cause.frame...)
	}
	if n.broken != "" {
		key = append(key, n.broken...)
	} else {
		key = n.core.AppendKey(key)
		n.state = n.core.State()
		if s.bounds.beyondVSR() {
			n.footing = n.core.Footing()
			if s.transfer != nil {
				n.projected = s.transfer.replica(n)
			}
		}
	}
	n.hash = xxh3.Hash128(key)
	s.mutex.Lock()
	known, ok := s.members[n.hash]
	if !ok {
		n.outcomes = map[stimulus]*outcome{}
		s.members[n.hash] = n
		known = n
	}
	s.mutex.Unlock()
	if ok && s.onEqual != nil {
		s.onEqual(known, n)
	}
	return known
}
