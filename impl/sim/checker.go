package sim

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// checker holds what the whole cluster has done against what it may do. It believes disks,
// executions and frames; of a core's events it takes only what the core claims.
type checker struct {
	s *simulation
	// committed is the one log: the checksum of each op that some primary has committed, op 1
	// first. states are the checksums of the state machine after each executed op.
	committed, states []wire.Checksum
	// committedIn is the view of the primary that committed each op first.
	committedIn []wire.View
	replicas    []watched
	// primaries says which views have been started, prepared which prepare a view has at an
	// op, started which prepare the StartViews of a view name at an op.
	primaries map[wire.View]bool
	prepared  map[viewOp]wire.Checksum
	started   map[viewOp]wire.Checksum
	// startedAt is the head of the log that the primary of a view has sent first.
	startedAt map[wire.View]wire.Op
	// newest is the highest view that a primary has started.
	newest wire.View
	// writes[key] is what wrote each value of a key, by op; acknowledged is the highest op
	// that some client knows to be executed.
	writes       [][]registerWrite
	acknowledged wire.Op
	// lost is how many disks were lost: so many copies fewer there may be of each op.
	lost int
	// moved says that a log has changed other than by growing: what is committed and promised
	// is looked for on the disks again.
	moved bool
	// asked are the questions whether a replica is in a view (R16, R19).
	asked map[asking]bool
}

type viewOp struct {
	view wire.View
	op   wire.Op
}

// watched is what is known of one replica.
type watched struct {
	last       vsr.State // after its last event
	view       wire.View // the highest it has been in, over all boots
	superblock vsr.Superblock
	durable    wire.View
	executed   wire.Op   // of this boot
	spoken     wire.View // the highest it has asked to change to
	voted      map[wire.View]bool
	votes      map[wire.View]frameID
	promises   promises
	transfer   transferring
	rejoining  rejoining
	adopting   adopting
	serving    serving
	turning    turning
	// doubted says of its votes whether the log was in doubt.
	doubted map[wire.View]bool
	// acked is what it has acknowledged and no log has superseded, over all boots and disks.
	acked map[wire.PrepareID]bool
}

func newChecker(s *simulation) *checker {
	c := &checker{
		s: s, replicas: make([]watched, s.options.Replicas),
		primaries: map[wire.View]bool{0: true}, prepared: map[viewOp]wire.Checksum{},
		started:   map[viewOp]wire.Checksum{},
		startedAt: map[wire.View]wire.Op{}, writes: make([][]registerWrite, keysMax),
		asked: map[asking]bool{},
	}
	for i := range c.replicas {
		c.replicas[i] = watched{
			last:  vsr.State{Status: vsr.StatusNormal},
			voted: map[wire.View]bool{}, votes: map[wire.View]frameID{},
			acked: map[wire.PrepareID]bool{},
		}
	}
	return c
}

// state returns a replica's state as of its last event.
func (c *checker) state(replica int) *vsr.State { return &c.replicas[replica].last }

// newestPrimary returns the primary of the newest view that has started.
func (c *checker) newestPrimary() int { return int(c.newest) % c.s.options.Replicas }

func (c *checker) disk(replica int) *disk { return &c.s.cluster.members[replica].disk }

// onEvent counts an event and checks what it claims.
func (c *checker) onEvent(replica int, e *vsr.Event) {
	r, w := c.s.result, &c.replicas[replica]
	before := w.last
	w.last = e.After
	r.Stops[e.After.Stop.String()]++
	c.followTransfer(replica, e)
	switch e.Action { //nolint:exhaustive // the other actions have nothing to check by themselves
	case vsr.EventAdmit:
		r.Admissions[e.Class.String()]++
		if e.Class == vsr.RefuseConflict {
			c.s.fail(FailPrimary, "replica %d: prepare %d of view %d contradicts its log of that "+
				"view", replica, e.Op, e.View)
		}
		return
	case vsr.EventRefuse:
		r.Refusals[e.Reason.String()]++
		if e.Reason == vsr.RefuseDivergence {
			c.s.fail(FailAgreement, "replica %d: a log from replica %d lacks what is committed",
				replica, e.From)
		}
		return
	case vsr.ActionPrimaryCommit:
		c.commit(replica, wire.PrepareID{Op: e.Op, Checksum: e.Checksum})
	case vsr.ActionBecomePrimary:
		c.becamePrimary(replica, e)
	case vsr.ActionSendDoViewChange:
		if w.voted[e.View] {
			c.s.fail(FailVote, "replica %d votes a second time in view %d", replica, e.View)
		}
		w.voted[e.View] = true
		c.doubts(replica, e.View)
	case vsr.ActionMergeVotes:
		c.merges(replica, e)
	case vsr.ActionRecover:
		c.adopts(replica, e.After.View)
		c.adoptsLog(replica, e)
	case vsr.EventRaiseHead:
		c.adoptsLog(replica, e)
	case vsr.ActionReceiveStartView:
		c.adoptsLog(replica, e)
		if before.Status == vsr.StatusRecovering {
			c.s.fail(FailIncarnation, "replica %d, recovering, takes a StartView of view %d that "+
				"answers no probe of its", replica, e.View)
		}
	}
	r.Actions[string(e.Action)]++
	c.moved = c.moved || movesLog(e.Action)
	c.checkClaims(replica, &e.After)
}

// movesLog reports whether an action changes a log other than by adding to it, or hands it on.
func movesLog(a vsr.Action) bool {
	switch a { //nolint:exhaustive // all others leave the log or add to it
	case vsr.ActionBecomePrimary, vsr.ActionReceiveStartView, vsr.ActionRecover,
		vsr.ActionRestart, vsr.ActionSendDoViewChange, vsr.ActionStallTruncate,
		vsr.EventTakeCheckpoint, vsr.EventInstall, vsr.EventRaiseHead:
		return true
	}
	return false
}

// checkClaims checks the state that a replica shows: views never go back, and nothing is
// known as committed that no primary has committed (CommitAgree).
func (c *checker) checkClaims(replica int, after *vsr.State) {
	w := &c.replicas[replica]
	if after.View < w.view {
		c.s.fail(FailMonotone, "replica %d is in view %d after view %d", replica, after.View, w.view)
	}
	w.view = after.View
	if int(after.CommitMax) > len(c.committed) {
		c.s.fail(FailAgreement, "replica %d knows op %d as committed, but only %d ops are",
			replica, after.CommitMax, len(c.committed))
	}
}

func (c *checker) becamePrimary(replica int, e *vsr.Event) {
	c.s.result.ViewChanges++
	if c.primaries[e.View] {
		c.s.fail(FailPrimary, "view %d is started a second time, by replica %d", e.View, replica)
	}
	c.primaries[e.View] = true
	c.supersedes(replica)
	c.newest = max(c.newest, e.View)
	if len(e.After.Hollow) > 0 {
		c.s.fail(FailHollow, "replica %d starts view %d without the bodies of ops %v", replica,
			e.View, e.After.Hollow)
	}
}

// commit compares what a primary commits with the one log, or adds to it: then a quorum must
// have it on disk (AckedDurable).
func (c *checker) commit(replica int, id wire.PrepareID) {
	switch n := wire.Op(len(c.committed)); {
	case id.Op > n+1:
		c.s.fail(FailAgreement, "replica %d commits op %d after op %d", replica, id.Op, n)
	case id.Op == n+1:
		c.committed = append(c.committed, id.Checksum)
		c.committedIn = append(c.committedIn, c.state(replica).View)
		c.checkDurable(id)
	case c.committed[id.Op-1] != id.Checksum:
		c.s.fail(FailAgreement, "replica %d commits %v, but %v was committed", replica, id,
			c.committed[id.Op-1])
	}
}

// checkDurable demands that a committed op is in the logs and journals of a quorum of disks.
func (c *checker) checkDurable(id wire.PrepareID) {
	holders := 0
	for replica := range c.replicas {
		d := c.disk(replica)
		if d.covers(id.Op) {
			holders++
		} else if placed := d.placed(); c.places(&placed, id) && d.read(id) != nil {
			holders++
		}
	}
	quorum := vsr.QuorumsOf(len(c.replicas)).Replication - c.lost
	if holders < quorum {
		c.s.fail(FailDurability, "op %d is committed, but %d disks hold it: expected %d", id.Op,
			holders, quorum)
	}
}

// executing is called before the replica's oldest execution runs: each boot executes each
// committed op once, in order, from a stored body (R5). It reports whether it can run.
func (c *checker) executing(replica int) bool {
	w, id := &c.replicas[replica], c.s.cluster.members[replica].executes[0]
	switch {
	case id.Op != w.executed+1:
		c.s.fail(FailExecution, "replica %d executes op %d after op %d", replica, id.Op, w.executed)
	case int(id.Op) > len(c.committed):
		c.s.fail(FailExecution, "replica %d executes op %d, which is not committed", replica, id.Op)
	case c.committed[id.Op-1] != id.Checksum:
		c.s.fail(FailAgreement, "replica %d executes %v, but %v was committed", replica, id,
			c.committed[id.Op-1])
	case c.disk(replica).read(id) == nil:
		c.s.fail(FailExecution, "replica %d executes op %d without its body", replica, id.Op)
	default:
		return true
	}
	return false
}

// executed compares the state after an execution with that of the first replica that executed
// the op.
func (c *checker) executed(replica int) {
	w := &c.replicas[replica]
	w.executed++
	state := c.s.cluster.Machine(replica).Checksum()
	switch n := wire.Op(len(c.states)); {
	case w.executed == n+1:
		c.states = append(c.states, state)
		c.noteWrites(replica, w.executed)
		c.countRequests(replica, w.executed)
	case c.states[w.executed-1] != state:
		c.s.fail(FailState, "replica %d has another state after op %d", replica, w.executed)
	default:
		c.s.result.Comparisons++
	}
}

// countRequests counts the requests of an op that is executed for the first time.
func (c *checker) countRequests(replica int, op wire.Op) {
	p := c.disk(replica).read(wire.PrepareID{Op: op, Checksum: c.committed[op-1]})
	if requests, err := wire.Unbatch(p); err == nil && len(requests) > 1 {
		c.s.result.Batched += len(requests)
	}
}

// replied checks that what a client is told has committed, and is what it asked for.
func (c *checker) replied(replica int, m *wire.Reply) {
	if m.Status != 0 {
		return
	}
	if m.Op == 0 || int(m.Op) > len(c.committed) {
		c.s.fail(FailReply, "replica %d answers with op %d, which is not committed", replica, m.Op)
		return
	}
	id := wire.PrepareID{Op: m.Op, Checksum: c.committed[m.Op-1]}
	if p := c.disk(replica).read(id); p == nil || !asks(p, m) {
		c.s.fail(FailReply, "replica %d answers request %d with op %d, which is another's", replica,
			m.Number, m.Op)
	}
	c.checkDurable(id)
}

// asks reports whether a prepare is of the request that a reply answers.
func asks(p *wire.Prepare, m *wire.Reply) bool {
	requests, err := wire.Unbatch(p)
	return err == nil && slices.ContainsFunc(requests, func(q *wire.Prepare) bool {
		return q.Header.Client == m.Client && q.Header.Request == m.Number
	})
}
