package generate

import (
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// groupID is the one group of a trace of the model.
const groupID = "0"

// eventOf describes the step by action a from one state to the next.
func eventOf(step int, before *vsr.State, a vsr.Action, after *vsr.State) traces.Event {
	return traces.Event{
		Step: step, Group: groupID, Replica: a.Replica, Action: a.Name(),
		Args:  argsOf(before, a, after),
		After: vsr.Project(*after, a.Replica),
	}
}

// argsOf says what of the step is not in its action's name (see the package comment).
func argsOf(before *vsr.State, a vsr.Action, after *vsr.State) traces.Args {
	r := a.Replica
	primary := primaryOf(before, before.View(r))
	args := traces.Args{}
	switch a.Kind {
	case vsr.ActionClientRequest:
		concern(&args, after.Log(r), after.Log(r).Head())
		args.Request = uint64(after.Requests())
	case vsr.ActionReceivePrepare:
		concern(&args, after.Log(r), after.Log(r).Head())
		args.From = replica(primary)
	case vsr.ActionRepairPrepare:
		log := before.Log(r)
		if merged := before.Merged(r); merged != nil {
			log = merged.Log
		}
		concern(&args, log, vsr.Op(a.Arg))
		args.From = source(before, r, log[a.Arg-1])
	case vsr.ActionPrimaryCommit:
		op := after.CommitMax(r)
		concern(&args, after.Log(r), op)
		args.Commit = uint64(op)
		args.Quorum = preparedBy(before, r, after.Log(r)[op-1])
	case vsr.ActionReceiveCommit:
		args.Commit = uint64(a.Arg)
		args.From = replica(primary)
	case vsr.ActionWalkExecute, vsr.ActionPipelineExecute:
		concern(&args, after.Log(r), after.CommitMin(r))
	case vsr.ActionStallTruncate:
		concern(&args, before.Log(r), before.CommitMin(r)+1)
	case vsr.ActionStartViewChange, vsr.ActionReceiveStartViewChange, vsr.ActionRestart:
		args.View = uint32(after.View(r))
	case vsr.ActionSendDoViewChange, vsr.ActionMergeVotes, vsr.ActionBecomePrimary,
		vsr.ActionReceiveStartView, vsr.ActionRecover, vsr.ActionAnswerProbe:
		return viewArgsOf(before, a, after)
	}
	return args
}

// viewArgsOf is argsOf for the steps that hand a view's log from one replica to
// another.
func viewArgsOf(before *vsr.State, a vsr.Action, after *vsr.State) traces.Args {
	r := a.Replica
	args := traces.Args{View: uint32(before.View(r))}
	switch a.Kind { //nolint:exhaustive // argsOf has the others.
	case vsr.ActionSendDoViewChange:
		args.To = replica(primaryOf(before, before.View(r)))
	case vsr.ActionMergeVotes:
		merged := after.Merged(r)
		args.Quorum = vsr.ReplicaSet(a.Arg).Members()
		args.Op, args.Commit = uint64(merged.Log.Head()), uint64(merged.Commit)
	case vsr.ActionBecomePrimary:
		concern(&args, after.Log(r), after.Log(r).Head())
		args.Commit = uint64(after.CommitMax(r))
	case vsr.ActionReceiveStartView, vsr.ActionRecover:
		args.View = uint32(a.Arg)
		args.From = replica(primaryOf(before, vsr.View(a.Arg)))
		concern(&args, after.Log(r), after.Log(r).Head())
		args.Commit = adoptedCommit(before, a, after)
	case vsr.ActionAnswerProbe:
		args.To = replica(a.Arg)
		concern(&args, before.Log(r), before.Log(r).Head())
		args.Commit = uint64(before.CommitMax(r))
	}
	return args
}

// concern notes that an event is about an op of a log. Op 0, the head of an empty log,
// has no checksum.
func concern(args *traces.Args, log vsr.Log, op vsr.Op) {
	args.Op = uint64(op)
	if e, found := log.At(op); found {
		args.Checksum = e.String()
	}
}

func primaryOf(s *vsr.State, v vsr.View) int {
	return int(v) % s.Replicas()
}

func replica(r int) *int {
	return &r
}

// source is a replica other than r that holds the body of e, one that is up if there is
// any.
func source(s *vsr.State, r int, e vsr.Entry) *int {
	var from *int
	for other := range s.Replicas() {
		if other == r || !s.Bodies(other).Has(e) {
			continue
		}
		if s.Status(other) != vsr.StatusRecovering {
			return replica(other)
		}
		if from == nil {
			from = replica(other)
		}
	}
	return from
}

// preparedBy lists who holds e, as far as its primary p knows.
func preparedBy(s *vsr.State, p int, e vsr.Entry) []int {
	var by []int
	for r := range s.Replicas() {
		if r == p || s.PrepareOKs(s.View(p), r).Has(e) {
			by = append(by, r)
		}
	}
	return by
}

// adoptedCommit is the commit number that came with an adopted log. Where several logs
// could have been adopted, it is that of the log that was.
func adoptedCommit(before *vsr.State, a vsr.Action, after *vsr.State) uint64 {
	if a.Kind == vsr.ActionRecover {
		return uint64(after.CommitMax(a.Replica)) // A restart had left it at 0.
	}
	for _, m := range before.StartViews(vsr.View(a.Arg)) {
		known := max(before.CommitMax(a.Replica), m.Commit)
		if m.Log.Equal(after.Log(a.Replica)) && known == after.CommitMax(a.Replica) {
			return uint64(m.Commit)
		}
	}
	return 0
}
