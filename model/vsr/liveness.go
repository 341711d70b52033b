package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/explore"
)

// fairKinds are the actions that a live system keeps taking: the spec's FairStep. Of
// RepairPrepare only the steps whose source is up count (LiveRepair),
// of MergeVotes only the first merge.
var fairKinds = []ActionKind{
	ActionReceivePrepare, ActionPrimaryCommit, ActionReceiveCommit, ActionWalkExecute,
	ActionPipelineExecute, ActionRepairPrepare, ActionReceiveStartViewChange,
	ActionSendDoViewChange, ActionMergeVotes, ActionBecomePrimary, ActionReceiveStartView,
}

// Fairness is the fairness of the spec's LiveSpec: a class for each replica and kind of
// fair step, whatever the step's second parameter.
func Fairness(c Config) explore.Fairness[State, Action] {
	fair := explore.Fairness[State, Action]{
		Class: func(s State, a Action) int {
			kind := slices.Index(fairKinds, a.Kind)
			if kind < 0 || a.Kind == ActionRepairPrepare &&
				!repairPrepareGuard(&c, &s, a.Replica, Op(a.Arg), true).ok() ||
				a.Kind == ActionMergeVotes && s.merged[a.Replica] != nil {
				return -1
			}
			return kind*c.N + a.Replica
		},
	}
	for _, kind := range fairKinds {
		for r := range c.N {
			fair.Classes = append(fair.Classes, Action{Kind: kind, Replica: r}.Name()+
				"("+numberText(Op(r))+")")
		}
	}
	return fair
}

// LivenessNames lists the temporal properties of VSR.tla, in its order.
func LivenessNames() []string { return []string{"Progress", "ViewChangeCompletes"} }

// Liveness returns the temporal properties of VSR.tla, a conjunct for each replica.
func Liveness(c Config) []explore.LeadsTo[State] {
	var properties []explore.LeadsTo[State]
	for p := range c.N {
		properties = append(properties, Progress(c, p))
	}
	for p := range c.N {
		properties = append(properties, ViewChangeCompletes(c, p))
	}
	return properties
}

// Progress is VSR!Progress for primary p: once a quorum follows p, the whole log is
// committed and all who follow execute it, or the quorum is gone (R9, R10). Mutants
// narrow_repair, fill_is_duplicate, prepare_ok_once, commit_number_not_sent and
// same_view_sv break it.
func Progress(c Config, p int) explore.LeadsTo[State] {
	return explore.LeadsTo[State]{
		Name: "Progress",
		From: func(s State) bool { return s.stable(&c, p) },
		To:   func(s State) bool { return !s.stable(&c, p) || s.behind(p) < 0 },
	}
}

// ViewChangeCompletes is VSR!ViewChangeCompletes for new primary p: a view change that a
// quorum and p have entered ends, or p starves (R9, R13). Mutants repair_only_when_normal
// and join_is_silent break it.
func ViewChangeCompletes(c Config, p int) explore.LeadsTo[State] {
	return explore.LeadsTo[State]{
		Name: "ViewChangeCompletes",
		From: func(s State) bool { return s.changing(&c, p) },
		To:   func(s State) bool { return !s.changing(&c, p) || s.starved(&c, p) },
	}
}

// stable is VSR!Stable: a replication quorum follows primary p.
func (s *State) stable(c *Config, p int) bool {
	return s.isPrimary(p) &&
		s.statusCount(StatusNormal, s.view[p]) >= c.Quorums().Replication
}

// behind returns a replica that follows p, or p itself, and has not executed p's whole
// log; -1 if there is none, which is VSR!CaughtUp.
func (s *State) behind(p int) int {
	for r := range s.n {
		if s.status[r] == StatusNormal && s.view[r] == s.view[p] &&
			s.commitMin[r] != s.headers[p].Head() {
			return r
		}
	}
	return -1
}

// changing is VSR!Changing: a view change quorum and its primary p have entered a view's change.
func (s *State) changing(c *Config, p int) bool {
	return s.status[p] == StatusViewChange && s.primaryOf(s.view[p]) == p &&
		s.statusCount(StatusViewChange, s.view[p]) >= c.Quorums().ViewChange
}
