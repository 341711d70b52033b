package verify

import (
	"math/rand/v2"
	"slices"

	"github.com/viewstamp/viewstamp/traces"
)

// mutation is a trace with one thing made wrong.
type mutation struct {
	trace *traces.Trace
	// first and last are the lines, both included, at one of which the trace must be
	// rejected; equal if there is no doubt.
	first, last int
	what        string
}

// mutator makes one kind of mutation at an event, by its index. It returns false where
// the result may be a valid trace, so that nothing can be said.
type mutator func(t *traces.Trace, at int, random *rand.Rand) (mutation, bool)

// fields are the changes that mutate a state into another one. What a trace may leave
// open (stop, in_doubt, incarnation) is not among them.
var fields = []struct {
	name   string
	change func(s *traces.ReplicaState)
}{
	{"status", func(s *traces.ReplicaState) {
		if s.Status == traces.StatusNormal {
			s.Status = traces.StatusViewChange
		} else {
			s.Status = traces.StatusNormal
		}
	}},
	{"view", func(s *traces.ReplicaState) { s.View++ }},
	{"log_view", func(s *traces.ReplicaState) { s.LogView++ }},
	{"view_durable", func(s *traces.ReplicaState) { s.ViewDurable++ }},
	{"log_view_durable", func(s *traces.ReplicaState) { s.LogViewDurable++ }},
	{"op_head", func(s *traces.ReplicaState) { s.OpHead++ }},
	{"head_checksum", func(s *traces.ReplicaState) { s.HeadChecksum += "f" }},
	{"contiguous", func(s *traces.ReplicaState) { s.Contiguous++ }},
	{"hollow", func(s *traces.ReplicaState) {
		s.Hollow = append(slices.Clone(s.Hollow), s.OpHead+1)
	}},
	{"commit_min", func(s *traces.ReplicaState) { s.CommitMin++ }},
	{"commit_max", func(s *traces.ReplicaState) { s.CommitMax++ }},
	{"pipeline", func(s *traces.ReplicaState) {
		if len(s.Pipeline) == 0 {
			s.Pipeline = []uint64{1, s.OpHead + 1}
		} else {
			s.Pipeline = nil
		}
	}},
}

// changeField changes one field of the state after an event. The model then has
// another state there, whatever came before: the trace must be rejected at that line.
func changeField(t *traces.Trace, at int, random *rand.Rand) (mutation, bool) {
	field := fields[random.IntN(len(fields))]
	changed := *t
	changed.Events = slices.Clone(t.Events)
	e := &changed.Events[at]
	if field.name == "head_checksum" && e.After.OpHead == 0 {
		return mutation{}, false // An empty log has no head whose name could be wrong.
	}
	field.change(&e.After)
	return mutation{&changed, e.Line(), e.Line(), field.name + " changed"}, true
}

// dropEvent leaves an event out and numbers the rest anew. The next event of its
// replica must then be rejected at the latest, if it is one that cannot have made up
// for what the dropped one did.
func dropEvent(t *traces.Trace, at int, _ *rand.Rand) (mutation, bool) {
	e := t.Events[at]
	before, known := stateBefore(t.Events, at)
	next := nextOf(t.Events, at)
	if !known || next < 0 || !cannotMakeUp(before, e, t.Events[next]) {
		return mutation{}, false
	}
	dropped := *t
	dropped.Events = slices.Delete(slices.Clone(t.Events), at, at+1)
	renumber(dropped.Events)
	return mutation{
		&dropped, e.Line(), dropped.Events[next-1].Line(), e.Action + " dropped",
	}, true
}

// cannotMakeUp reports whether event next cannot lead from the state before dropped to
// its own: because it stutters, because its action never changes what dropped changed,
// or because both go on by exactly one.
func cannotMakeUp(before traces.ReplicaState, dropped, next traces.Event) bool {
	if dropped.Stutter {
		return false // It changed nothing.
	}
	if next.Stutter {
		return !before.Equal(next.After)
	}
	if counts(dropped.Action) != "" && counts(dropped.Action) == counts(next.Action) {
		return true
	}
	allowed, known := changes[next.Action]
	if !known {
		return false
	}
	for _, diff := range traces.Diff(before, next.After) {
		if !slices.Contains(allowed, diff.Field) {
			return true
		}
	}
	return false
}

// counts names what an action raises by exactly one, empty if nothing.
func counts(action string) string {
	switch action {
	case traces.ActionClientRequest, traces.ActionReceivePrepare:
		return "op_head"
	case traces.ActionWalkExecute:
		return "commit_min"
	}
	return ""
}

// changes lists what actions can change of their replica's state, for those that
// cannot change everything.
var changes = map[string][]string{
	traces.ActionClientRequest: {
		"op_head", "head_checksum", "contiguous", "hollow", "pipeline", "stop",
	},
	traces.ActionReceivePrepare: {"op_head", "head_checksum", "contiguous", "hollow", "stop"},
	traces.ActionPrimaryCommit:  {"commit_min", "commit_max", "pipeline", "stop"},
	traces.ActionReceiveCommit:  {"commit_max", "stop"},
	traces.ActionWalkExecute:    {"commit_min", "pipeline", "stop"},
	traces.ActionRepairPrepare:  {"contiguous", "hollow", "stop"},
	traces.ActionAnswerProbe:    {"stop"},
}

// swapEvents swaps an event with its right neighbour. The trace must be rejected at one
// of the two lines if they are of one replica and change its state, or if the second
// is an effect of the first. Other neighbours may well have happened the other way
// round.
func swapEvents(t *traces.Trace, at int, _ *rand.Rand) (mutation, bool) {
	if at+1 >= len(t.Events) {
		return mutation{}, false
	}
	first, second := t.Events[at], t.Events[at+1]
	if first.Replica == second.Replica {
		before, known := stateBefore(t.Events, at)
		same := before.Equal(first.After) && first.After.Equal(second.After)
		if !known || same || sameStep(first, second) {
			return mutation{}, false
		}
	} else if !causes(first, second) {
		return mutation{}, false
	}
	swapped := *t
	swapped.Events = slices.Clone(t.Events)
	swapped.Events[at], swapped.Events[at+1] = second, first
	renumber(swapped.Events)
	return mutation{
		&swapped, first.Line(), second.Line(), first.Action + " swapped with " + second.Action,
	}, true
}

// sameStep reports whether two events are one step taken twice, such as a restart of
// what had just been restarted: only the incarnation tells them apart.
func sameStep(first, second traces.Event) bool {
	second.After.Incarnation = first.After.Incarnation
	return first.Action == second.Action && first.After.Equal(second.After)
}

// causes reports whether the second of two neighbours is certain to need the first: the
// message that it receives did not exist before.
func causes(first, second traces.Event) bool {
	sameView := first.After.View == second.After.View
	switch second.Action {
	case traces.ActionReceivePrepare:
		return first.Action == traces.ActionClientRequest && sameView &&
			first.Args.Checksum == second.Args.Checksum
	case traces.ActionReceiveCommit:
		return first.Action == traces.ActionPrimaryCommit && sameView &&
			first.Args.Op == second.Args.Commit
	case traces.ActionReceiveStartView:
		return first.Action == traces.ActionBecomePrimary && sameView
	}
	return false
}

// stateBefore is the state of an event's replica before it, false if no earlier event
// tells.
func stateBefore(events []traces.Event, at int) (traces.ReplicaState, bool) {
	for i := at - 1; i >= 0; i-- {
		if events[i].Replica == events[at].Replica {
			return events[i].After, true
		}
	}
	return traces.ReplicaState{}, false
}

// nextOf is the index of the next event of the same replica, -1 if there is none.
func nextOf(events []traces.Event, at int) int {
	for i := at + 1; i < len(events); i++ {
		if events[i].Replica == events[at].Replica {
			return i
		}
	}
	return -1
}

func renumber(events []traces.Event) {
	for i := range events {
		events[i].Step = i + 1
	}
}
