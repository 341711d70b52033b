package vsr

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
)

// follow takes labelled steps from the initial state.
func follow(t *testing.T, c Config, labels ...string) State {
	t.Helper()
	s := Init(c)
	for _, label := range labels {
		s = take(t, c, s, label)
	}
	return s
}

func TestRefuseNamesTheGuard(t *testing.T) {
	t.Parallel()
	c := bound(2, 2, 1, Walk)
	viewChange := []string{
		"ClientRequest(0)", "StartViewChange(1)", "ReceiveStartViewChange(2,1)",
	}
	voted := append(viewChange[:3:3], "ReceiveStartViewChange(0,1)",
		"SendDoViewChange(0)", "SendDoViewChange(1)", "MergeVotes(1,{0,1})")
	recovering := []string{"ClientRequest(0)", "Restart(2)"}
	for name, tc := range map[string]struct {
		steps []string
		a     Action
		want  string
	}{
		"a request to a backup": {
			nil, Action{ActionClientRequest, 1, 0}, "r1 is a backup of view 0, expected its primary",
		},
		"a request too many": {
			[]string{"ClientRequest(0)", "ClientRequest(0)"},
			Action{ActionClientRequest, 0, 0},
			"there were 2 requests, expected fewer than MaxRequest",
		},
		"a prepare that nobody sent": {
			nil,
			Action{ActionReceivePrepare, 1, 0},
			"no prepare of op 1 was sent in view 0, expected one of the op above the head of r1",
		},
		"a prepare for the primary": {
			nil,
			Action{ActionReceivePrepare, 0, 0},
			"r0 is the primary of view 0, expected a backup",
		},
		"a commit without a quorum": {
			[]string{"ClientRequest(0)"},
			Action{ActionPrimaryCommit, 0, 0},
			"op 1 was prepared by 1 replicas, expected a replication quorum",
		},
		"a commit of nothing": {
			nil,
			Action{ActionPrimaryCommit, 0, 0},
			"commit_max of r0 is 0, expected an op of its log above it",
		},
		"a commit number that was not sent": {
			nil,
			Action{ActionReceiveCommit, 1, 2},
			"the highest commit number sent in view 0 is 0, expected one not below 2",
		},
		"a commit number that is known": {
			nil,
			Action{ActionReceiveCommit, 1, 0},
			"commit_max of r1 is 0, expected one below the commit number",
		},
		"a walk with nothing to do": {
			nil,
			Action{ActionWalkExecute, 0, 0},
			"r0 executed up to 0 and commit_max is 0, expected a committed op to execute",
		},
		"the other driver": {
			nil,
			Action{ActionPipelineExecute, 0, 0},
			"the commit walk is the only driver, expected drivers walk_and_pipeline",
		},
		"a truncation": {
			nil, Action{ActionStallTruncate, 0, 0}, "a stall truncates nothing, expected a mutant (R6)",
		},
		"a repair beyond the log": {
			nil, Action{ActionRepairPrepare, 1, 1}, "r1 has no log that it repairs at op 1, " +
				"expected an op of a backup's log or of a new primary's merged log",
		},
		"a repair of what is there": {
			[]string{"ClientRequest(0)", "ReceivePrepare(1)"},
			Action{ActionRepairPrepare, 1, 1},
			"r1 stores the body of op 1, expected a missing body",
		},
		"a view change that nobody wants": {
			nil,
			Action{ActionReceiveStartViewChange, 0, 2},
			"no StartViewChange for view 2 was sent, expected one",
		},
		"a view change that is old": {
			nil,
			Action{ActionReceiveStartViewChange, 0, 0},
			"r0 is in view 0, expected a view below the one that is announced",
		},
		"a vote in normal status": {
			nil,
			Action{ActionSendDoViewChange, 0, 0},
			"r0 is in status normal, expected status view_change",
		},
		"a vote that one replica wants": {
			[]string{"StartViewChange(1)"},
			Action{ActionSendDoViewChange, 1, 0},
			"1 replicas sent StartViewChange for view 1, expected a view change quorum",
		},
		"a second vote": {
			voted,
			Action{ActionSendDoViewChange, 1, 0},
			"r1 has voted for view 1, expected no vote yet",
		},
		"a merge by a backup": {
			viewChange,
			Action{ActionMergeVotes, 2, 0b101},
			"r2 is a backup of view 1, expected its new primary",
		},
		"a merge of too few": {
			viewChange,
			Action{ActionMergeVotes, 1, 0b010},
			"the set has 1 members, expected a view change quorum",
		},
		"a merge without itself": {
			viewChange,
			Action{ActionMergeVotes, 1, 0b101},
			"the quorum is without r1, expected one with the new primary itself",
		},
		"a merge without a vote": {
			viewChange,
			Action{ActionMergeVotes, 1, 0b011},
			"r0 has not voted for view 1, expected the votes of the whole quorum",
		},
		"a second merge": {
			voted,
			Action{ActionMergeVotes, 1, 0b011},
			"r1 has merged the votes for view 1, expected no merged log yet",
		},
		"a start before the merge": {
			viewChange,
			Action{ActionBecomePrimary, 1, 0},
			"r1 has no merged log, expected the votes of a quorum merged",
		},
		"a start without the bodies": {
			voted,
			Action{ActionBecomePrimary, 1, 0},
			"r1 lacks the body of op 1 of its merged log, expected every body (R13)",
		},
		"a start view that nobody sent": {
			nil,
			Action{ActionReceiveStartView, 0, 1},
			"no StartView of view 1 was sent, expected one",
		},
		"an answer from a backup": {
			recovering,
			Action{ActionAnswerProbe, 1, 2},
			"r1 is a backup of view 0, expected its primary",
		},
		"an answer to nobody": {
			nil,
			Action{ActionAnswerProbe, 0, 1},
			"r1 is in status normal, expected one that probes",
		},
		"an answer twice": {
			append(recovering[:2:2], "AnswerProbe(0,2)"),
			Action{ActionAnswerProbe, 0, 2},
			"r2 has this answer of r0, expected one that differs",
		},
		"a recovery without an answer": {
			recovering,
			Action{ActionRecover, 2, 0},
			"r2 has no answer of view 0 to its probe, expected one",
		},
		"a recovery of nobody": {
			nil, Action{ActionRecover, 2, 0}, "r2 is in status normal, expected status recovering",
		},
		"a restart too many": {
			recovering,
			Action{ActionRestart, 0, 0},
			"there were 1 restarts, expected fewer than MaxCrash",
		},
		"an enabled step": {nil, Action{ActionClientRequest, 0, 0}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, Refuse(c, follow(t, c, tc.steps...), tc.a))
		})
	}
}

func TestRefuseUnderLazyLogView(t *testing.T) {
	t.Parallel()
	c := lazy(bound(3, 1, 1, Walk))
	// Replica 2 recovers with a log of two ops and no body; a third is on its way.
	s := follow(t, c, "ClientRequest(0)", "ClientRequest(0)", "Restart(2)", "AnswerProbe(0,2)",
		"Recover(2,0)", "ClientRequest(0)")
	assert.Equal(t, "r2 lacks the body of op 1, expected a log without holes (LazyLogView)",
		Refuse(c, s, Action{ActionReceivePrepare, 2, 0}))
	assert.Equal(t, "op 2 is not the lowest hole of r2, expected op 1 (LazyLogView)",
		Refuse(c, s, Action{ActionRepairPrepare, 2, 2}))
	assert.Empty(t, Refuse(c, s, Action{ActionRepairPrepare, 2, 1}))
}

func TestUselessSends(t *testing.T) {
	t.Parallel()
	c := bound(2, 3, 2, Walk)
	left := follow(t, c, "StartViewChange(0)", "ReceiveStartViewChange(2,1)",
		"ReceiveStartViewChange(1,1)", "StartViewChange(1)")
	recovering := follow(t, c, "Restart(2)")
	answered := take(t, c, recovering, "AnswerProbe(0,2)")
	ahead := follow(t, c, "StartViewChange(2)", "Restart(2)")
	for name, tc := range map[string]struct {
		s    State
		a    Action
		want bool
	}{
		"a vote for a primary that has left the view": {left, Action{ActionSendDoViewChange, 2, 0}, true},
		"a vote for a primary that has not": {
			follow(t, c, "StartViewChange(0)", "ReceiveStartViewChange(2,1)"),
			Action{ActionSendDoViewChange, 2, 0},
			false,
		},
		"a vote before a quorum wants one": {
			follow(t, c, "StartViewChange(2)"), Action{ActionSendDoViewChange, 2, 0}, false,
		},
		"a vote in normal status":           {Init(c), Action{ActionSendDoViewChange, 2, 0}, false},
		"an answer to a recovering replica": {recovering, Action{ActionAnswerProbe, 0, 2}, false},
		"the same answer again":             {answered, Action{ActionAnswerProbe, 0, 2}, true},
		"another answer": {
			take(t, c, answered, "ClientRequest(0)"), Action{ActionAnswerProbe, 0, 2}, false,
		},
		"an answer to a replica that recovered": {
			take(t, c, answered, "Recover(2,0)"), Action{ActionAnswerProbe, 0, 2}, true,
		},
		"an answer to a replica that is ahead": {ahead, Action{ActionAnswerProbe, 0, 2}, true},
		"an answer by a backup":                {recovering, Action{ActionAnswerProbe, 1, 2}, false},
		"an answer to itself":                  {recovering, Action{ActionAnswerProbe, 0, 0}, false},
		"a step that sends nothing":            {Init(c), Action{ActionWalkExecute, 0, 0}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, Useless(c, tc.s, tc.a))
			if tc.want {
				assert.NotEmpty(t, Refuse(c, tc.s, tc.a), "what is useless is no step")
			}
		})
	}
}

// A mutant can leave several StartViews of one view; each is a step of its own.
func TestEveryChoiceIsAStep(t *testing.T) {
	t.Parallel()
	c := with(bound(2, 1, 1, Walk), VolatileView)
	s := Init(c)
	s.status[2] = StatusViewChange
	s.view = [NMax]View{1, 1, 1}
	one, other := Log{{1, 0, 1}}, Log{{1, 1, 2}}
	m := s.editMessages(1)
	m.startViews = withMember(nil, StartView{Log: one}, StartView.compare)
	m.startViews = withMember(m.startViews, StartView{Log: other}, StartView.compare)
	m.startViews = withMember(m.startViews, StartView{Log: other}, StartView.compare)
	var heads []string
	Step(c, s, ActionReceiveStartView, 2, func(_ Action, next State) {
		heads = append(heads, next.headers[2][0].String())
	})
	assert.Equal(t, []string{"1.0.1", "1.1.2"}, heads)

	s.status[1], s.view[1] = StatusRecovering, 0
	s.answers[1] = []Answer{{View: 0, Log: one}, {View: 0, Log: other}, {View: 1, Log: one}}
	labels := map[string]int{}
	Step(c, s, ActionRecover, 1, func(a Action, _ State) { labels[a.String()]++ })
	assert.Equal(t, map[string]int{"Recover(1,0)": 2, "Recover(1,1)": 1}, labels)
}

func newRandom(seed uint64) *rand.Rand {
	//nolint:forbidigo // The one constructor of these tests: seeded by the caller.
	return rand.New(rand.NewPCG(seed, 1))
}

// A trace of the production system has hundreds of ops and tens of views.
func TestLongBehavioursNeedNoBounds(t *testing.T) {
	t.Parallel()
	for _, drivers := range []Drivers{Walk, WalkAndPipeline} {
		c := bound(Unbounded, Unbounded, Unbounded, drivers)
		random := newRandom(uint64(drivers))
		path := explore.Walk(Model(c), random, 3000, func(a Action) int {
			switch a.Kind {
			case ActionStartViewChange, ActionRestart:
				return 1
			case ActionClientRequest:
				return 6
			default:
				return 30
			}
		})
		last := path[len(path)-1].State
		require.Len(t, path, 3001)
		assert.Greater(t, last.Acknowledged().Head(), Op(50))
		assert.Greater(t, last.View(0), View(20))
		assert.Less(t, len(last.network), 10, "old views are collected")
		for i := 0; i < len(path); i += 50 {
			require.Empty(t, broken(c, path[i].State))
			require.NotEmpty(t, path[i].State.appendKey(nil))
			require.NotEmpty(t, Canonical(nil, c, path[i].State))
		}
	}
}
