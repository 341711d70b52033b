package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/model/explore"
)

// situation is a goal, with the constants under which it can be reached.
type situation struct {
	name    string
	allowed func(c Config) bool
	// reached takes the state by value, so that a call through this field does not put
	// the state on the heap.
	reached func(c *Config, s State) bool
}

// situations are what the protocol is about: a search that never sees them proves
// nothing about them. Whether the constants allow each was itself found by searching.
var situations = []situation{
	{"a hollow op is adopted", among(2, adoptsHollow), hollowAdopted},
	{"a hollow op is filled", among(2, adoptsHollow), hollowFilled},
	{"a new primary waits for a body of its merged log", among(2, from(1, 1, 0)), repairsBeforeStart},
	{"the merge of votes cuts an op off", among(3, from(1, 1, 1)), mergeCutsOp},
	{"two log views compete in a merge", among(2, from(1, 2, 0)), logViewsCompete},
	{"a view starts with an op of an earlier view", from(1, 1, 0), viewInheritsOp},
	{"an inherited op is committed", from(1, 1, 0), inheritedCommitted},
	{"an op is acknowledged above a hole", among(2, acknowledgesAboveHole), acknowledgedAboveHole},
	{"a journal holds two entries of one op", among(3, keepsReplaced), twoEntries},
	{"an old commit number can still arrive", among(2, from(2, 0, 0)), lateCommit},
	{"a replica that had crashed votes", among(3, from(1, 1, 1)), crashedReplicaVotes},
	{"a crashed replica has recovered and caught up", recovers, recoveredAndCaughtUp},
	{"a crashed replica has two answers to choose from", among(2, answersDiffer), twoAnswers},
	{"a new primary starves", among(2, from(1, 1, 1)), starves},
}

// from allows a situation from the given bounds on.
func from(maxRequest, maxView, maxCrash int) func(Config) bool {
	return func(c Config) bool {
		return c.MaxRequest >= maxRequest && c.MaxView >= maxView && c.MaxCrash >= maxCrash
	}
}

// among allows a situation in groups of at least that many replicas.
func among(replicas int, allowed func(Config) bool) func(Config) bool {
	return func(c Config) bool { return c.N >= replicas && allowed(c) }
}

// recovers: a replica alone comes back by its own vote in the next view.
func recovers(c Config) bool {
	return c.N > 1 && from(1, 0, 1)(c) || from(1, 1, 1)(c)
}

// adoptsHollow: a log is adopted in a view change or by a recovering replica.
func adoptsHollow(c Config) bool {
	return from(1, 1, 0)(c) || from(1, 0, 1)(c)
}

// acknowledgesAboveHole: under LazyLogView that would be mutant ack_over_hole.
func acknowledgesAboveHole(c Config) bool {
	return !c.LazyLogView && c.MaxRequest >= 2 && adoptsHollow(c)
}

// keepsReplaced: under LazyLogView an adoption drops what it does not stand on.
func keepsReplaced(c Config) bool {
	return !c.LazyLogView && from(2, 1, 0)(c)
}

func answersDiffer(c Config) bool {
	return from(1, 0, 1)(c) || from(0, 1, 1)(c)
}

// Goals returns what a complete search at the given constants must reach: every action
// that they allow (each is "take NAME"), and every situation that they allow. The
// goals are those of the clean protocol, whatever c.Bugs is.
func Goals(c Config) []explore.Goal[State] {
	c = c.Clean()
	var goals []explore.Goal[State]
	for _, kind := range LiveActions(c) {
		goals = append(goals, explore.Goal[State]{
			Name:    "take " + kind.String(),
			Reached: func(s State) bool { return canStep(&c, &s, kind) },
		})
	}
	for _, situation := range situations {
		if situation.allowed(c) {
			goals = append(goals, explore.Goal[State]{
				Name:    situation.name,
				Reached: func(s State) bool { return situation.reached(&c, s) },
			})
		}
	}
	return goals
}

// LiveActions lists the actions that some state within the bounds of the clean
// protocol enables. StallTruncate is none of them: only mutants take it.
func LiveActions(c Config) []ActionKind {
	others := c.N > 1 // Somebody to send to.
	requests, views, crashes := c.MaxRequest > 0, c.MaxView > 0, c.MaxCrash > 0
	var kinds []ActionKind
	for _, kind := range ActionKinds() {
		var live bool
		switch kind {
		case ActionClientRequest, ActionPrimaryCommit:
			live = requests
		case ActionReceivePrepare, ActionReceiveCommit:
			live = requests && others
		case ActionWalkExecute:
			// Where the primary executes by itself, the walk is that of backups.
			live = requests && (others || c.Drivers == Walk)
		case ActionPipelineExecute:
			// The pipeline's driver is left with what PrimaryCommit could not execute at
			// once: a new primary whose own commit_max is ahead of the merged commit.
			live = c.Drivers == WalkAndPipeline && requests && views && others
		case ActionStallTruncate:
			live = false
		case ActionRepairPrepare:
			live = requests && (views || crashes) && others
		case ActionStartViewChange, ActionSendDoViewChange, ActionMergeVotes,
			ActionBecomePrimary:
			live = views
		case ActionReceiveStartViewChange, ActionReceiveStartView:
			live = views && others
		case ActionRestart:
			live = crashes
		case ActionAnswerProbe, ActionRecover:
			live = crashes && others
		}
		if live {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// canStep reports whether any replica can take an action. A search that visits the
// state then takes it.
func canStep(c *Config, s *State, kind ActionKind) bool {
	taken := false
	for r := range s.n {
		step(c, s, kind, r, func(Action, State) { taken = true })
	}
	return taken
}

func hollowAdopted(c *Config, s State) bool {
	for r := range s.n {
		if s.isBackup(r) && s.hasHole(c, r) {
			return true
		}
	}
	return false
}

// hollowFilled: the very state in which a backup that adopted a hollow op gets its
// body; the search takes that step.
func hollowFilled(c *Config, s State) bool {
	for r := range s.n {
		for op := Op(1); s.isBackup(r) && op <= s.headers[r].Head(); op++ {
			if repairPrepareGuard(c, &s, r, op, false).ok() {
				return true
			}
		}
	}
	return false
}

func repairsBeforeStart(c *Config, s State) bool {
	for p := range s.n {
		if s.merged[p] != nil && !becomePrimaryGuard(c, &s, p).ok() {
			return true
		}
	}
	return false
}

// eachMerge visits the votes of each quorum that a new primary can merge.
func eachMerge(c *Config, s *State, visit func(votes []*Vote) bool) bool {
	for p := range s.n {
		for _, quorum := range c.voterSets() {
			if s.merged[p] == nil && mergeVotesGuard(c, s, p, quorum).ok() &&
				visit(votesOf(s, s.view[p], quorum)) {
				return true
			}
		}
	}
	return false
}

func mergeCutsOp(c *Config, s State) bool {
	return eachMerge(c, &s, func(votes []*Vote) bool {
		merged, canonical := decide(c, votes, nil)
		return merged.Log.Head() < canonical.Head()
	})
}

func logViewsCompete(c *Config, s State) bool {
	return eachMerge(c, &s, func(votes []*Vote) bool {
		return slices.ContainsFunc(votes, func(vote *Vote) bool {
			return vote.LogView != votes[0].LogView
		})
	})
}

func viewInheritsOp(_ *Config, s State) bool {
	for _, m := range s.network {
		for _, start := range m.startViews {
			if start.Log.Head() > start.Commit {
				return true
			}
		}
	}
	return false
}

// inheritedCommitted: a view started with an uncommitted op and has committed it.
func inheritedCommitted(_ *Config, s State) bool {
	for _, m := range s.network {
		for _, start := range m.startViews {
			if m.commit > start.Commit && m.commit <= start.Log.Head() {
				return true
			}
		}
	}
	return false
}

func acknowledgedAboveHole(c *Config, s State) bool {
	for _, m := range s.network {
		for r, vouched := range m.prepareOKs {
			if n := len(vouched); n > 0 && s.isBackup(r) && s.view[r] == m.view &&
				vouched[n-1].Op > s.contiguous(c, r)+1 {
				return true
			}
		}
	}
	return false
}

func twoEntries(_ *Config, s State) bool {
	for r := range s.n {
		for i := 1; i < len(s.bodies[r]); i++ {
			if s.bodies[r][i-1].Op == s.bodies[r][i].Op {
				return true
			}
		}
	}
	return false
}

func lateCommit(_ *Config, s State) bool {
	for r := range s.n {
		if s.isBackup(r) && s.commitMax[r]+1 < s.messages(s.view[r]).commit {
			return true
		}
	}
	return false
}

// crashedReplicaVotes: the primary of a view that sent a commit number has voted for a
// later view and knows of no commit. Only a restart forgets it.
func crashedReplicaVotes(_ *Config, s State) bool {
	for _, m := range s.network {
		for r, vote := range m.votes {
			if vote != nil && s.commitMax[r] == 0 && s.primaryOf(vote.LogView) == r &&
				s.messages(vote.LogView).commit > 0 {
				return true
			}
		}
	}
	return false
}

func recoveredAndCaughtUp(_ *Config, s State) bool {
	if s.restarts == 0 || s.acknowledged.Head() == 0 {
		return false
	}
	for r := range s.n {
		if s.status[r] != StatusNormal || s.commitMin[r] != s.acknowledged.Head() {
			return false
		}
	}
	return true
}

func twoAnswers(_ *Config, s State) bool {
	for r := range s.n {
		if len(s.answers[r]) > 1 {
			return true
		}
	}
	return false
}

func starves(c *Config, s State) bool {
	for p := range s.n {
		if s.starved(c, p) {
			return true
		}
	}
	return false
}
