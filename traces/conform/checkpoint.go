package conform

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// checkpoints is what the events of a group have said about checkpoints so far (R17, R21). The
// model has none: it goes on with whole logs, and what is released counts as stored and executed.
// Ops are in the numbers of the trace.
type checkpoints struct {
	// floor is each replica's newest checkpoint: it never goes on from a lower one.
	floor [vsr.NMax]vsr.Op
	// target is what a replica is fetching, 0 if nothing: a crash may have hidden its Install.
	target [vsr.NMax]vsr.Op
	// taken and installed count the events.
	taken, installed int
}

// ofCheckpoints reports whether an event is judged here.
func ofCheckpoints(e traces.Event) bool {
	return e.Stutter && (namesCheckpoint(e) || e.Action == traces.EventRaiseHead)
}

// namesCheckpoint reports whether an event's op and checksum are those of a checkpoint that must
// be part of what is agreed.
func namesCheckpoint(e traces.Event) bool {
	switch e.Action {
	case traces.EventTakeCheckpoint, traces.EventStartTransfer, traces.EventInstall:
		return e.Stutter
	}
	return false
}

// see takes note of an event that is explained.
func (k *checkpoints) see(e traces.Event) {
	if e.Action == traces.ActionRestart {
		k.floor[e.Replica] = max(k.floor[e.Replica], vsr.Op(e.After.CommitMin))
		k.target[e.Replica] = 0
	}
	if !e.Stutter {
		return
	}
	switch e.Action {
	case traces.EventTakeCheckpoint:
		k.floor[e.Replica] = max(k.floor[e.Replica], vsr.Op(e.Args.Op))
		k.taken++
	case traces.EventStartTransfer, traces.EventResumeTransfer:
		k.target[e.Replica] = vsr.Op(e.Args.Op)
	case traces.EventAbandonTransfer:
		k.target[e.Replica] = 0
	case traces.EventInstall:
		k.floor[e.Replica] = max(k.floor[e.Replica], vsr.Op(e.Args.Op))
		k.target[e.Replica] = 0
		k.installed++
	}
}

// lower is an op of the trace in the numbers of the explanations, 0 if it is put aside.
func (c *checker) lower(op vsr.Op) vsr.Op {
	return op - min(op, c.past.offset())
}

// raise is the way back; 0 stays 0.
func (c *checker) raise(op vsr.Op) vsr.Op {
	if op == 0 {
		return 0
	}
	return op + c.past.offset()
}

// checkpoint returns the explanation after an event of a checkpoint, or why it is none.
func (c *checker) checkpoint(x explanation, e traces.Event) (explanation, string) {
	if !c.compact {
		return x, "the header does not say that there are checkpoints"
	}
	if e.Action == traces.EventRaiseHead {
		s, ok := x.state.WithHead(e.Replica, vsr.Op(e.Args.Op), vsr.Op(e.Args.Commit))
		if !ok || x.state.Status(e.Replica) != vsr.StatusNormal {
			return x, fmt.Sprintf("the primary of view %d has no log up to op %d, commit %d",
				e.After.View, e.Args.Op, e.Args.Commit)
		}
		return x.at(s).shows(e)
	}
	op := vsr.Op(e.Args.Op)
	log, executed := x.state.Log(e.Replica), x.state.CommitMin(e.Replica)
	if m := x.state.Merged(e.Replica); m != nil {
		log = m.Log
	}
	entry, ok := log.At(op)
	if !ok {
		return x, fmt.Sprintf("op %d is none of the replica's log", op)
	}
	bound, ok := x.bound.with(e.Args.Checksum, entry)
	if !ok {
		return x, fmt.Sprintf("op %d of the log is %s, not %s", op, x.bound.name(entry),
			e.Args.Checksum)
	}
	x.bound = bound
	switch known := c.committed(x); {
	case e.Action == traces.EventTakeCheckpoint && op > executed:
		return x, fmt.Sprintf("a checkpoint is of an executed op, but only %d are", executed)
	case e.Action != traces.EventTakeCheckpoint && op <= executed:
		return x, fmt.Sprintf("the replica has executed op %d: it needs no checkpoint of it", op)
	case op > known:
		return x, fmt.Sprintf("a checkpoint is of a committed op, but only %d are", known)
	}
	if e.Action == traces.EventInstall {
		x.state = x.state.WithInstalled(e.Replica, op)
	}
	return x.shows(e)
}

// shows is matches with what differs.
func (x explanation) shows(e traces.Event) (explanation, string) {
	after, ok := x.matches(e)
	if !ok {
		return x, texts(after.diff(e))
	}
	return after, ""
}

// parked returns the explanation in which a new primary has made its merged log durable before
// it starts its view, if the event shows that: it fetches a checkpoint of what others released.
func (c *checker) parked(x explanation, e traces.Event) explanation {
	m, view := x.state.Merged(e.Replica), x.state.View(e.Replica)
	if m == nil || !c.compact || uint32(view) != e.After.LogView ||
		e.After.Status == traces.StatusNormal || x.state.LogView(e.Replica) == view {
		return x
	}
	x.hole[e.Replica] = holeOf(e.After)
	x.adopted[e.Replica] = max(x.adopted[e.Replica], c.raise(x.hole[e.Replica]))
	return *x.at(x.state.WithMergedDurable(e.Replica))
}

// late returns the explanation after the body of an op has landed that lies below the replica's
// own checkpoint, and whether the event tells of that: its write was under way when the checkpoint
// took the place of the log up to there, and what lies there counts as stored already. Of an op
// that is forgotten the checksum is not compared (take).
func (c *checker) late(x explanation, e traces.Event) (explanation, bool) {
	op := vsr.Op(e.Args.Op)
	if !c.landsLate(e, op+c.past.offset()) {
		return x, false
	}
	entry, ok := x.state.Log(e.Replica).At(op)
	if !ok {
		return x, false
	}
	x.bound, ok = x.bound.with(e.Args.Checksum, entry)
	return x, ok
}

// landsLate reports whether an event tells of a body below the replica's own checkpoint; op is
// the event's in the numbers of the trace.
func (c *checker) landsLate(e traces.Event, op vsr.Op) bool {
	return c.compact && !e.Stutter && e.Action == traces.ActionRepairPrepare && e.Args.Op > 0 &&
		op <= c.seen.floor[e.Replica]
}

// committed is the highest op that has been committed.
func (c *checker) committed(x explanation) vsr.Op { return x.state.Acknowledged().Head() }

// voted returns the explanation in which votes speak of what is committed as such, though their
// senders had not executed it, if the event of a merge shows that.
func (c *checker) voted(x explanation, e traces.Event) explanation {
	op := vsr.Op(e.Args.Commit)
	if !c.compact || e.Action != traces.ActionMergeVotes || op == 0 || op > c.committed(x) {
		return x
	}
	var voters vsr.ReplicaSet
	for _, r := range e.Args.Quorum {
		voters |= 1 << r
	}
	return *x.at(x.state.WithVotesFrom(x.state.View(e.Replica), voters, op))
}

// told returns the state of a replica that has adopted a log: the commit number that it was told
// is at least where the log that it was sent began.
func (c *checker) told(s vsr.State, e traces.Event) vsr.State {
	op := vsr.Op(e.Args.Commit)
	if !c.compact || op > s.Acknowledged().Head() {
		return s
	}
	return s.WithKnown(e.Replica, op)
}

// heard returns the explanations of a primary that adopts the commit number of a backup, which
// has released what it would have to acknowledge: some other replica knows it for the same log.
func (c *checker) heard(x explanation, e traces.Event) []explanation {
	r, k := e.Replica, vsr.Op(e.Args.Commit)
	own := x.state.Log(r)
	entry, ok := own.At(k)
	if !ok || !c.compact || !x.state.Acts(r) || k <= x.state.CommitMax(r) {
		return nil
	}
	for q := range c.config.N {
		its, ok := x.state.Log(q).At(k)
		if q == r || x.state.CommitMax(q) < k || !ok || its != entry {
			continue
		}
		if after, ok := x.at(x.state.WithCommit(r, k)).matches(e); ok {
			return []explanation{after}
		}
	}
	return nil
}

// installedUnseen returns the explanation in which the checkpoint that a replica was fetching was
// in its place before it crashed, if that is what it goes on from.
func (c *checker) installedUnseen(x explanation, e traces.Event) []explanation {
	r := e.Replica
	target, log := c.lower(c.seen.target[r]), x.state.Log(r)
	if uint64(target) != e.After.CommitMin || target <= x.state.CommitMin(r) ||
		target > log.Head() || target > c.committed(x) {
		return nil
	}
	return []explanation{*x.at(x.state.WithInstalled(r, target))}
}

// raisedUnseen returns the explanation in which a backup had taken over headers of its view's log
// before it crashed, if its log is longer afterwards.
func (c *checker) raisedUnseen(x explanation, e traces.Event) []explanation {
	r, head := e.Replica, vsr.Op(e.After.OpHead)
	if !c.compact || x.state.Status(r) != vsr.StatusNormal || x.state.Acts(r) ||
		head <= x.state.Log(r).Head() {
		return nil
	}
	s, ok := x.state.WithHead(r, head, 0)
	if !ok {
		return nil
	}
	raised := *x.at(s)
	raised.adopted[r] = max(raised.adopted[r], c.raise(holeOf(e.After)))
	raised.state = s.WithBodies(r, raised.storedUnseen(e))
	return []explanation{raised}
}

// based returns the state of a replica that has just restarted and goes on from its checkpoint;
// false if it cannot be that one. x is before the restart. What lies below the log's base is
// known to be committed, though it may not have been executed yet.
func (c *checker) based(x explanation, s vsr.State, e traces.Event) (vsr.State, bool) {
	if !c.compact {
		return s, true
	}
	r := e.Replica
	executed, known := vsr.Op(e.After.CommitMin), vsr.Op(e.After.CommitMax)
	before := x.state.CommitMin(r)
	if next, ok := x.state.Log(r).At(before + 1); ok && next.Op <= x.state.CommitMax(r) &&
		x.state.Bodies(r).Has(next) {
		before = next.Op // It was being executed.
	}
	if executed < c.lower(c.seen.floor[r]) || known < executed || executed > before ||
		known > max(before, x.hole[r]) {
		return s, false
	}
	if known == 0 {
		return s, true
	}
	return s.WithBase(r, executed, known), true
}
