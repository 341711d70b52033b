package logspace

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/explore"
)

// Fairness is the fairness of LogSpace!LiveSpec: a class for each group and action. Nobody owes
// a failure, nor a tick at which nothing can be done for what the log has asked for.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Fairness(c Config) explore.Fairness[State, Action] {
	m := newMachine(c)
	calls := ActionCalls(c)
	fair := explore.Fairness[State, Action]{Class: func(s State, a Action) int {
		if !m.owed(&s, a) {
			return -1
		}
		label := a.String()
		return slices.IndexFunc(calls, func(c ActionCall) bool { return c.Label == label })
	}}
	for _, call := range calls {
		fair.Classes = append(fair.Classes, call.Label)
	}
	return fair
}

// owed says whether a step out of s is one that a live node keeps taking: LogSpace!LivePrepare
// and LiveTick among them.
func (m *machine) owed(s *State, a Action) bool {
	x := &s.Group[a.Group]
	switch a.Kind {
	case FailCheckpoint:
		return false
	case Prepare:
		return !m.full(s, a.Group)
	case Tick:
		return m.dueAtTick(x) || x.Commit > x.Base || m.repeats(x) && !x.Owes
	case StoreHeld, Refuse, Execute, EndCheckpoint, EndWait, WriteState:
	}
	return true
}

// Progress is LogSpace!Progress: every request that is offered is executed. Mutants
// due_only_when_executed, asks_at_flushes_only, asks_at_files_only, state_not_repeated,
// no_reserve_for_state, ops_in_reserve, nothing_moved, wait_counts_ops, gone_group_kept and
// gone_asks_nobody break it.
//
// A configuration that Validate refuses is the caller's bug and panics.
func Progress(c Config) (properties []explore.LeadsTo[State]) {
	m := newMachine(c)
	for g := uint8(1); int(g) <= m.Groups; g++ {
		properties = append(properties, explore.LeadsTo[State]{
			Name: "Progress",
			From: func(s State) bool { return !m.done(&s, g) },
			To:   func(s State) bool { return m.done(&s, g) },
		})
	}
	return properties
}

// done is LogSpace!Done: nothing is owed to the clients of a group.
func (m *machine) done(s *State, g uint8) bool {
	return s.Group[g].Gone || int(s.Group[g].Commit) == m.offered(g)
}
