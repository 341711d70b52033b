package vsr

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
)

// Model is the spec at the given constants, ready to be explored: all actions, all
// invariants, and the goals that the constants allow. The constants must be valid
// ([Config.Validate]); a search of the whole graph needs them bounded.
func Model(c Config) explore.Model[State, Action] {
	return explore.Model[State, Action]{
		Name:      c.String(),
		Init:      func() []State { return []State{Init(c)} },
		Next:      func(s State, yield func(Action, State)) { Next(&c, &s, yield) },
		Key:       func(dst []byte, s State) []byte { return s.appendKey(dst) },
		Canonical: func(dst []byte, s State) []byte { return Canonical(dst, c, s) },
		Always:    Invariants(c),
		Sometimes: Goals(c),
		Format:    Format,
	}
}

// Next yields every successor of s: the spec's Next.
func Next(c *Config, s *State, yield Yield) {
	for r := range s.n {
		for kind := ActionKind(1); kind < actionEnd; kind++ {
			step(c, s, kind, r, yield)
		}
	}
}

// Step yields the successors of s by one action of one replica, whatever the action's
// second parameter: several where that parameter or a choice inside of the action
// leaves several. It yields nothing for a replica or an action that does not exist.
func Step(c Config, s State, kind ActionKind, replica int, yield func(Action, State)) {
	if replica >= 0 && replica < c.N {
		step(&c, &s, kind, replica, yield)
	}
}

// step dispatches an action, with each second parameter that can be enabled.
func step(c *Config, s *State, kind ActionKind, r int, yield Yield) {
	switch kind {
	case ActionClientRequest:
		ClientRequest(c, s, r, yield)
	case ActionReceivePrepare:
		ReceivePrepare(c, s, r, yield)
	case ActionPrimaryCommit:
		PrimaryCommit(c, s, r, yield)
	case ActionReceiveCommit:
		for k := s.commitMax[r] + 1; k <= s.messages(s.view[r]).commit; k++ {
			ReceiveCommit(c, s, r, k, yield)
		}
	case ActionWalkExecute:
		WalkExecute(c, s, r, yield)
	case ActionPipelineExecute:
		PipelineExecute(c, s, r, yield)
	case ActionStallTruncate:
		StallTruncate(c, s, r, yield)
	case ActionRepairPrepare:
		for op := Op(1); op <= s.wantedHead(r); op++ {
			RepairPrepare(c, s, r, op, yield)
		}
	case ActionStartViewChange:
		StartViewChange(c, s, r, yield)
	case ActionReceiveStartViewChange:
		for _, m := range s.network {
			ReceiveStartViewChange(c, s, r, m.view, yield)
		}
	case ActionSendDoViewChange:
		SendDoViewChange(c, s, r, yield)
	case ActionMergeVotes:
		if !mergeGuard(c, s, r).ok() {
			return
		}
		if s.merged[r] != nil {
			MergeVotes(c, s, r, s.votersOf(s.view[r]), yield)
		} else {
			for _, quorum := range c.voterSets() {
				MergeVotes(c, s, r, quorum, yield)
			}
		}
	case ActionBecomePrimary:
		BecomePrimary(c, s, r, yield)
	case ActionReceiveStartView:
		for _, m := range s.network {
			ReceiveStartView(c, s, r, m.view, yield)
		}
	case ActionRestart:
		Restart(c, s, r, yield)
	case ActionAnswerProbe:
		for prober := range s.n {
			AnswerProbe(c, s, r, prober, yield)
		}
	case ActionRecover:
		eachAnswerView(s, r, func(v View) { Recover(c, s, r, v, yield) })
	}
}

// eachAnswerView visits each view that r has an answer of once, ascending.
func eachAnswerView(s *State, r int, visit func(View)) {
	for i, m := range s.answers[r] {
		if i == 0 || s.answers[r][i-1].View != m.View {
			visit(m.View)
		}
	}
}

// Refuse says why action a is not enabled in s: the first guard that fails, with its
// values and what was expected. It returns "" if a is enabled.
func Refuse(c Config, s State, a Action) string {
	if a.Kind < 1 || a.Kind >= actionEnd {
		return fmt.Sprintf("action %d does not exist, expected 1 to %d", a.Kind, actionEnd-1)
	}
	if a.Replica < 0 || a.Replica >= c.N {
		return fmt.Sprintf("replica %d does not exist, expected 0 to %d", a.Replica, c.N-1)
	}
	if a.Arg < 0 || a.Arg > Unbounded {
		return fmt.Sprintf("parameter %d is out of range, expected 0 to %d", a.Arg, Unbounded)
	}
	return guard(&c, &s, a).String()
}

// guard asks the guards of a well-formed action.
func guard(c *Config, s *State, a Action) refusal {
	r := a.Replica
	switch a.Kind {
	case ActionClientRequest:
		return clientRequestGuard(c, s, r)
	case ActionReceivePrepare:
		return receivePrepareGuard(c, s, r)
	case ActionPrimaryCommit:
		return primaryCommitGuard(c, s, r)
	case ActionReceiveCommit:
		return receiveCommitGuard(c, s, r, Op(a.Arg))
	case ActionWalkExecute:
		return walkExecuteGuard(c, s, r)
	case ActionPipelineExecute:
		return pipelineExecuteGuard(c, s, r)
	case ActionStallTruncate:
		return stallTruncateGuard(c, s, r)
	case ActionRepairPrepare:
		return repairPrepareGuard(c, s, r, Op(a.Arg), false)
	case ActionStartViewChange:
		return startViewChangeGuard(c, s, r)
	case ActionReceiveStartViewChange:
		return receiveStartViewChangeGuard(c, s, r, View(a.Arg))
	case ActionSendDoViewChange:
		return sendDoViewChangeGuard(c, s, r)
	case ActionMergeVotes:
		if a.Arg >= 1<<c.N {
			return refuse("the set has members that are no replicas", "a view change quorum")
		}
		return mergeVotesGuard(c, s, r, ReplicaSet(a.Arg))
	case ActionBecomePrimary:
		return becomePrimaryGuard(c, s, r)
	case ActionReceiveStartView:
		return receiveStartViewGuard(c, s, r, View(a.Arg))
	case ActionRestart:
		return restartGuard(c, s, r)
	case ActionAnswerProbe:
		if a.Arg >= c.N {
			return refuse("replica %d does not exist", "one below %d", uint32(a.Arg), uint32(c.N))
		}
		return answerProbeGuard(c, s, r, a.Arg)
	case ActionRecover:
		return recoverGuard(c, s, r, View(a.Arg))
	}
	return refuse("the action does not exist", "one of the spec")
}

// Useless reports whether a is a send that is not enabled only because no replica can
// act on the message any more: a vote that nobody counts, an answer for a replica that
// does not recover or is ahead, an answer that it has. A real replica may well send
// it; in the model that is no step at all.
func Useless(c Config, s State, a Action) bool {
	if a.Replica < 0 || a.Replica >= c.N {
		return false
	}
	switch a.Kind { //nolint:exhaustive // The other actions send nothing, or change state.
	case ActionSendDoViewChange:
		return voteWantedGuard(&c, &s, a.Replica).ok() && !s.voteUseful(s.view[a.Replica])
	case ActionAnswerProbe:
		p, r := a.Replica, a.Arg
		if r < 0 || r >= c.N || p == r || !s.isPrimary(p) {
			return false
		}
		return s.status[r] != StatusRecovering || s.view[p] < s.view[r] ||
			hasAnswer(&s, r, answerOf(&s, p))
	}
	return false
}

// fairStepEnabled reports whether the spec's FairStep(r) is enabled.
func fairStepEnabled(c *Config, s *State, r int) bool {
	if s.commitMax[r] < s.messages(s.view[r]).commit && s.isBackup(r) ||
		walkExecuteGuard(c, s, r).ok() || pipelineExecuteGuard(c, s, r).ok() ||
		receivePrepareGuard(c, s, r).ok() || primaryCommitGuard(c, s, r).ok() ||
		sendDoViewChangeGuard(c, s, r).ok() || becomePrimaryGuard(c, s, r).ok() ||
		liveRepairEnabled(c, s, r) {
		return true
	}
	for _, m := range s.network {
		if receiveStartViewChangeGuard(c, s, r, m.view).ok() ||
			receiveStartViewGuard(c, s, r, m.view).ok() {
			return true
		}
	}
	if !firstMergeGuard(c, s, r).ok() {
		return false
	}
	for _, quorum := range c.voterSets() {
		if mergeVotesGuard(c, s, r, quorum).ok() {
			return true
		}
	}
	return false
}
