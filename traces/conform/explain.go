package conform

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// explanation is one model state that explains the trace so far.
type explanation struct {
	state vsr.State
	bound *binding
	// perhaps are bodies that a replica may have stored unseen before it crashed (unseen.go).
	perhaps [vsr.NMax][]vsr.Entry
	// hole is how far up a replica may know no headers (hole.go), adopted how far it was when
	// the replica took its log over, in the numbers of the trace.
	hole, adopted [vsr.NMax]vsr.Op
	// transfers says that a replica is fetching a checkpoint: then its walk stops for it.
	transfers [vsr.NMax]bool
}

// at returns the explanation with another state.
func (x explanation) at(s vsr.State) *explanation {
	x.state = s
	return &x
}

// matches returns the explanation with the event's checksums bound, if the state's projection
// of the replica is the event's.
func (x explanation) matches(e traces.Event) (explanation, bool) {
	log := x.state.Log(e.Replica)
	if head, ok := log.At(log.Head()); ok && e.After.OpHead == uint64(log.Head()) {
		bound, ok := x.bound.with(e.After.HeadChecksum, head)
		if !ok {
			return x, false
		}
		x.bound = bound
	}
	ok := len(x.diff(e)) == 0
	x.hole[e.Replica] = min(x.hole[e.Replica], holeOf(e.After)) // It only closes.
	return x, ok
}

// diff compares the model's projection (want) with the event's (got).
func (x explanation) diff(e traces.Event) []traces.FieldDiff {
	want, got := vsr.Project(x.state, e.Replica), e.After
	log := x.state.Log(e.Replica)
	if head, ok := log.At(log.Head()); ok {
		want.HeadChecksum = x.bound.name(head)
	}
	// What the model has no counterpart of, or the trace does not say.
	want.Incarnation, want.InDoubt = got.Incarnation, got.InDoubt
	if got.HeadChecksum == "" && got.OpHead > 0 {
		want.HeadChecksum = ""
	}
	if got.Stop == "" || got.Stop == traces.StopTransferring && x.transfers[e.Replica] {
		want.Stop = got.Stop
	}
	if got.Stop == traces.StopChecksumMismatch && want.Stop == traces.StopMissingBody {
		want.Stop = got.Stop // one reason in the model
	}
	overHole(&want, got, x.hole[e.Replica])
	return traces.Diff(want, got)
}

// agrees reports whether a step's parameters are the event's, binding the checksum of the op
// that it concerns. Parameters that the event does not give are free.
func (x explanation) agrees(a vsr.Action, e traces.Event) (explanation, bool) {
	args := e.Args
	after := x.state
	switch a.Kind { //nolint:exhaustive // The others have no parameters but the replica.
	case vsr.ActionClientRequest, vsr.ActionReceivePrepare:
		log := after.Log(a.Replica)
		return x.concerns(log.Head(), log, args)
	case vsr.ActionPrimaryCommit:
		return x.concerns(after.CommitMax(a.Replica), after.Log(a.Replica), args)
	case vsr.ActionWalkExecute:
		return x.concerns(after.CommitMin(a.Replica), after.Log(a.Replica), args)
	case vsr.ActionRepairPrepare:
		log := after.Log(a.Replica)
		if m := after.Merged(a.Replica); m != nil {
			log = m.Log
		}
		return x.concerns(vsr.Op(a.Arg), log, args)
	case vsr.ActionReceiveCommit:
		return x, args.Commit == 0 || args.Commit == uint64(a.Arg)
	case vsr.ActionReceiveStartViewChange, vsr.ActionReceiveStartView, vsr.ActionRecover:
		return x, args.View == 0 || args.View == uint32(a.Arg)
	case vsr.ActionAnswerProbe:
		return x, args.To == nil || *args.To == a.Arg
	case vsr.ActionMergeVotes:
		m := after.Merged(a.Replica)
		quorum := vsr.ReplicaSet(a.Arg).Members()
		return x, args.Quorum == nil || slices.Equal(args.Quorum, quorum) &&
			args.Op == uint64(m.Log.Head()) && args.Commit == uint64(m.Commit)
	}
	return x, true
}

// concerns checks the op and checksum of an event against the log that the step speaks of.
func (x explanation) concerns(op vsr.Op, log vsr.Log, args traces.Args) (explanation, bool) {
	if args.Op != 0 && args.Op != uint64(op) {
		return x, false
	}
	entry, ok := log.At(op)
	if !ok {
		return x, false
	}
	bound, ok := x.bound.with(args.Checksum, entry)
	x.bound = bound
	return x, ok
}

// explain returns the explanations after an event.
func (c *checker) explain(e traces.Event) []explanation {
	if e.Stutter {
		return c.stutter(e)
	}
	kind, err := vsr.ParseActionKind(e.Action)
	if err != nil {
		return nil // the reader refuses unknown actions
	}
	var next []explanation
	for _, x := range c.now {
		switch kind { //nolint:exhaustive // The others are steps of the model, and no more.
		case vsr.ActionRestart:
			x = c.forgotten(x, e.Replica)
			for _, unseen := range c.unseen(x, e) {
				next = append(next, c.step(c.wider(unseen, e), kind, e)...)
			}
		case vsr.ActionReceiveCommit:
			next = append(next, c.heard(x, e)...)
		}
		x = c.voted(c.wider(c.parked(x, e), e), e)
		next = append(next, c.step(c.settle(x, kind, e), kind, e)...)
		if after, ok := c.late(x, e); ok {
			next = append(next, c.filter([]explanation{after}, e)...)
		}
		if c.useless(x, kind, e) {
			next = append(next, c.filter([]explanation{x}, e)...)
		}
	}
	return c.distinct(next)
}

// stutter returns the explanations after an event that is finer than the model's steps, or of
// a checkpoint.
func (c *checker) stutter(e traces.Event) []explanation {
	var next []explanation
	for _, x := range c.now {
		x = c.wider(c.parked(x, e), e)
		switch e.Action {
		case traces.EventStartTransfer, traces.EventResumeTransfer:
			x.transfers[e.Replica] = c.compact
		case traces.EventAbandonTransfer, traces.EventInstall:
			x.transfers[e.Replica] = false
		}
		if c.compact && e.Action == traces.EventAbandonTransfer {
			next = append(next, x) // Told amid the change that ends it: the next event has the state.
		} else if !ofCheckpoints(e) {
			if e.Action == traces.EventRepairHeader {
				x = x.recall(x.state.Log(e.Replica), e)
			}
			next = append(next, c.filter([]explanation{x}, e)...)
		} else if after, because := c.checkpoint(x, e); because == "" {
			next = append(next, after)
		}
	}
	return next
}

// filter keeps the explanations whose projection is the event's.
func (c *checker) filter(all []explanation, e traces.Event) []explanation {
	var kept []explanation
	for _, x := range all {
		if matched, ok := x.matches(e); ok {
			kept = append(kept, matched)
		}
	}
	return kept
}

// settle recalls bodies that were left open before a step that gives the replica the log which
// shows them.
func (c *checker) settle(x explanation, kind vsr.ActionKind, e traces.Event) explanation {
	if len(x.perhaps[e.Replica]) == 0 {
		return x
	}
	switch kind { //nolint:exhaustive // The others take no log over.
	case vsr.ActionBecomePrimary:
		if m := x.state.Merged(e.Replica); m != nil {
			return x.recall(m.Log, e)
		}
	case vsr.ActionReceiveStartView, vsr.ActionRecover:
		settled := x
		vsr.Step(c.config, x.state, kind, e.Replica, func(_ vsr.Action, s vsr.State) {
			log := s.Log(e.Replica)
			if uint64(log.Head()) == e.After.OpHead && uint32(s.View(e.Replica)) == e.After.View {
				settled = x.recall(log, e)
			}
		})
		return settled
	}
	return x
}

// step takes the model's steps of one kind that agree with the event.
func (c *checker) step(x explanation, kind vsr.ActionKind, e traces.Event) []explanation {
	var next []explanation
	vsr.Step(c.config, x.state, kind, e.Replica, func(a vsr.Action, s vsr.State) {
		switch kind { //nolint:exhaustive // The others are steps of the model, and no more.
		case vsr.ActionReceiveStartView, vsr.ActionRecover:
			s = c.told(s, e)
		case vsr.ActionRestart:
			var ok bool
			if s, ok = c.based(x, s, e); !ok {
				return
			}
		}
		after, ok := x.at(s).agrees(a, e)
		if !ok {
			return
		}
		if after, ok = after.matches(e); ok {
			next = append(next, after)
		}
	})
	return next
}

// useless reports whether the event sends what nobody can act on any more.
func (c *checker) useless(x explanation, kind vsr.ActionKind, e traces.Event) bool {
	a := vsr.Action{Kind: kind, Replica: e.Replica}
	if kind == vsr.ActionAnswerProbe {
		if e.Args.To == nil {
			return false
		}
		a.Arg = *e.Args.To
	}
	return vsr.Useless(c.config, x.state, a)
}

// distinct drops explanations with equal states.
func (c *checker) distinct(all []explanation) []explanation {
	if len(all) < 2 {
		return all
	}
	seen := map[string]bool{}
	var kept []explanation
	for _, x := range all {
		key := string(c.key(nil, x.state)) + fmt.Sprint(x.perhaps, x.hole, x.adopted)
		if !seen[key] {
			seen[key] = true
			kept = append(kept, x)
		}
	}
	return kept
}
