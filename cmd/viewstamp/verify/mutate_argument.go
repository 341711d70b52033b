package verify

import (
	"math/rand/v2"
	"slices"

	"github.com/viewstamp/viewstamp/traces"
)

// arguments are the parameters of each action and what makes each of them wrong. The state
// after the event stays as it is, so that only the parameter can give the event away.
var arguments = map[string][]func(e *traces.Event){
	traces.ActionClientRequest:  {anotherOp, anotherChecksum},
	traces.ActionReceivePrepare: {anotherOp, anotherChecksum},
	traces.ActionPrimaryCommit:  {anotherOp, anotherChecksum},
	traces.ActionWalkExecute:    {anotherOp, anotherChecksum},
	traces.ActionRepairPrepare:  {anotherOp, anotherChecksum},
	traces.ActionReceiveCommit:  {anotherCommit},
	traces.ActionMergeVotes:     {anotherOp, anotherCommit, anotherQuorum},

	traces.ActionReceiveStartViewChange: {anotherView},
	traces.ActionReceiveStartView:       {anotherView},
	traces.ActionRecover:                {anotherView},
	traces.ActionAnswerProbe:            {answerToItself},
}

func anotherOp(e *traces.Event)       { e.Args.Op++ }
func anotherChecksum(e *traces.Event) { e.Args.Checksum += "f" }
func anotherCommit(e *traces.Event)   { e.Args.Commit++ }
func anotherView(e *traces.Event)     { e.Args.View++ }
func answerToItself(e *traces.Event)  { e.Args.To = &e.Replica }

// anotherQuorum swaps a member for the replica that has not voted, of three.
func anotherQuorum(e *traces.Event) {
	quorum := slices.Clone(e.Args.Quorum)
	for i, member := range quorum {
		if member != e.Replica {
			quorum[i] = 3 - e.Replica - member
			break
		}
	}
	slices.Sort(quorum)
	e.Args.Quorum = quorum
}

// allVoted reports whether all replicas have voted in the view of the event at an index. Any
// quorum may then have been the one that decided.
func allVoted(t *traces.Trace, at int) bool {
	voted := map[int]bool{}
	for _, e := range t.Events[:at] {
		if e.Action == traces.ActionSendDoViewChange && e.After.View == t.Events[at].After.View {
			voted[e.Replica] = true
		}
	}
	return len(voted) == t.Header.Replicas
}

// changeArgument changes one parameter of an event. No step with that parameter leads to the
// state after the event: the trace must be rejected at that line.
func changeArgument(t *traces.Trace, at int, random *rand.Rand) (mutation, bool) {
	of := arguments[t.Events[at].Action]
	if len(of) == 0 || t.Events[at].Action == traces.ActionMergeVotes && allVoted(t, at) {
		return mutation{}, false
	}
	changed := *t
	changed.Events = slices.Clone(t.Events)
	e := &changed.Events[at]
	of[random.IntN(len(of))](e)
	return mutation{&changed, e.Line(), e.Line(), e.Action + " with a changed argument"}, true
}
