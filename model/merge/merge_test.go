package merge_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/explore/exploretest"
	"github.com/viewstamp/viewstamp/model/merge"
)

type (
	state  = merge.State
	action = merge.Action
	model  = explore.Model[state, action]
	config = merge.Config
)

// small is the bound that the others change: three replicas, one op, one view change.
var small = config{
	N: 3, Policy: merge.Replicated, Together: true, MaxOp: 1, MaxView: 1, MaxRequest: 1,
}

// with is small with changes.
func with(change func(c *config)) config {
	c := small
	change(&c)
	return c
}

func check(t *testing.T, m model) *explore.Result[state, action] {
	t.Helper()
	result, err := explore.Check(context.Background(), m, explore.Options{})
	require.NoError(t, err)
	return result
}

func TestCleanBoundsHaveTheStatesThatTLCFinds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config                       config
		distinct, transitions, depth int
	}{
		"four replicas": {with(func(c *config) { c.N = 4 }), 3143, 9444, 15},
		"two views, a journal of slots": {
			with(func(c *config) { c.MaxView, c.MaxRequest, c.OneSlot = 2, 2, true }), 7109, 18984, 18,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := check(t, merge.Model(tc.config))
			require.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Equal(t, tc.distinct, result.Distinct)
			assert.Equal(t, tc.transitions, result.Transitions)
			assert.Equal(t, tc.depth, result.Depth)
			require.NotEmpty(t, result.Goals)
			for goal, reached := range result.Goals {
				assert.True(t, reached, "%s is never reached", goal)
			}
		})
	}
}

// A rotten copy, a parked primary that fetches it, and the loss of where it came from: the
// merge is done again with all votes, and keeps what the new primary holds.
func TestAFetchedBodyOutlivesItsSource(t *testing.T) {
	t.Parallel()
	c := with(func(c *config) { c.MaxRot, c.MaxPower, c.MaxLoss = 1, 1, 1 })
	story := []string{
		"ClientRequest(0)", "ReceivePrepare(1)", "PrimaryCommit(0)", "Rot(1,1)",
		"SendDoViewChange({1,2},1)", "MergeVotes(1,{1,2})", "RepairMerged(1,1)", "PowerLoss(0,0)",
		"SendDoViewChange({0},1)", "MergeVotes(1,{0,1,2})",
	}
	m := merge.Model(c)
	s := exploretest.Walk(t, m, append(story, "BecomePrimary(1)")...)
	assert.Equal(t, uint8(1), s.ViewLog[1].Length)

	c.Bugs = []merge.Bug{merge.RedoForgetsFetched}
	m = merge.Model(c)
	s = exploretest.Walk(t, m, append(story, "BecomePrimary(1)")...)
	assert.Zero(t, s.ViewLog[1].Length)
	err := exploretest.Pick(t, m, "CommittedKept")[0].Check(s)
	require.ErrorContains(t, err, "op 1 of view 0, committed in view 0, is not in the log of view 1")
}

// What was fetched may rot before the start: the parked primary looks again.
func TestAParkedPrimaryFetchesAgainWhatRots(t *testing.T) {
	t.Parallel()
	story := []string{
		"ClientRequest(0)", "ReceivePrepare(2)", "SendDoViewChange({1,2},1)", "MergeVotes(1,{1,2})",
		"RepairMerged(1,1)", "Rot(1,1)",
	}
	m := merge.Model(with(func(c *config) { c.MaxRot = 1 }))
	s := exploretest.Walk(t, m, story...)
	m.Next(s, func(a action, _ state) { assert.NotEqual(t, merge.BecomePrimary, a.Kind) })
	s = exploretest.Walk(t, m, append(story, "RepairMerged(1,1)", "BecomePrimary(1)")...)
	assert.Equal(t, merge.Stored, s.Replicas[1].Log.Bodies[0])
}

// Doubt outlives restarts, and ends with an adoption.
func TestDoubtEndsOnlyWithAnAdoption(t *testing.T) {
	t.Parallel()
	c := with(func(c *config) { c.MaxPower, c.MaxLoss, c.MaxRestart = 1, 1, 1 })
	m := merge.Model(c)
	story := []string{"ClientRequest(0)", "ReceivePrepare(1)", "PowerLoss(1,0)", "Restart(1)"}
	s := exploretest.Walk(t, m, story...)
	assert.False(t, s.Replicas[1].Trusted)
	s = exploretest.Walk(t, m, append(story, "ReceiveStartView(1,0)")...)
	assert.True(t, s.Replicas[1].Trusted)
	assert.Equal(t, merge.Doubtful, s.Replicas[1].Log.Bodies[0])
}

// A wiped replica takes no part before it holds a current log, and then not either if it
// may have voted for a later view.
func TestAWipedReplicaStaysOutWhileItsOldVoteMayCount(t *testing.T) {
	t.Parallel()
	m := merge.Model(with(func(c *config) { c.MaxWipe = 1 }))
	s := exploretest.Walk(t, m, "SendDoViewChange({1,2},1)", "Wipe(2)")
	m.Next(s, func(a action, _ state) {
		assert.False(t, a.Replica == 2 && a.Kind == merge.ReceiveStartView, "it takes %s", a)
		assert.False(t, a.Kind == merge.SendDoViewChange && a.Set == 1<<2, "it takes %s", a)
	})
	s = exploretest.Walk(t, m, "Wipe(2)", "ReceiveStartView(2,0)")
	assert.Equal(t, merge.Normal, s.Replicas[2].Status)
}

func TestEveryStepHasItsCallAndItsLabel(t *testing.T) {
	t.Parallel()
	taken := map[merge.ActionKind]int{}
	for name, c := range map[string]config{
		"rot and wiped disks": with(func(c *config) { c.MaxRot, c.MaxWipe = 1, 1 }),
		"restarts": with(func(c *config) {
			c.N, c.Together, c.MaxPower, c.MaxLoss, c.MaxRestart = 2, false, 1, 1, 1
		}),
		"two views": with(func(c *config) { c.MaxView, c.MaxRequest = 2, 2 }),
	} {
		labels, operators := map[string]bool{}, map[string]bool{}
		for _, call := range merge.ActionCalls(c) {
			assert.False(t, labels[call.Label], "%s: label %s occurs twice", name, call.Label)
			assert.False(t, operators[call.Operator], "%s: operator %s twice", name, call.Operator)
			labels[call.Label], operators[call.Operator] = true, true
		}
		m := merge.Model(c)
		exploretest.Each(m, func(s state) {
			m.Next(s, func(a action, _ state) {
				taken[a.Kind]++
				require.True(t, labels[a.String()], "%s: step %s is not listed", name, a)
			})
		})
	}
	for _, kind := range merge.ActionKinds() {
		assert.Positive(t, taken[kind], "%s is never taken", kind)
	}
	assert.Contains(t, merge.ActionCalls(small), merge.ActionCall{
		Operator: "MergeVotes_1_01", Call: "MergeVotes(1,{0,1})", Label: "MergeVotes(1,{0,1})",
	})
}

func TestKeyAndCanonicalTextTellTheSameStatesApart(t *testing.T) {
	t.Parallel()
	m := merge.Model(with(func(c *config) { c.MaxPower, c.MaxLoss = 1, 1 }))
	texts := map[string]bool{}
	exploretest.Each(m, func(s state) {
		text := string(m.Canonical(nil, s))
		require.False(t, texts[text], "one text, two states: %s", text)
		texts[text] = true
	})
	assert.Len(t, texts, 4774)
}

func TestCanonicalTextIsThatOfTLC(t *testing.T) {
	t.Parallel()
	m := merge.Model(small)
	s := exploretest.Walk(t, m, "ClientRequest(0)", "ReceivePrepare(2)", "SendDoViewChange({1,2},1)",
		"MergeVotes(1,{1,2})", "RepairMerged(1,1)")
	assert.Equal(t, `["adopted":[0:0,1:0,2:0],"bodies":[0:[1:"stored"],1:[],2:[1:"stored"]],`+
		`"commit":[0:0,1:0,2:0],"committed":{},"count":["loss":0,"power":0,"request":1,`+
		`"restart":0,"rot":0,"wipe":0],"headers":[0:[1:0],1:[],2:[1:0]],`+
		`"log_view":[0:0,1:0,2:0],"merged":[0:[],1:[1:["bodies":[1:"stored"],"commit":0,`+
		`"log":[1:0],"voters":{1,2}]],2:[]],"prepare_oks":{[1:0,2:1,3:0,4:0],[1:2,2:1,3:0,4:0]},`+
		`"start_head":[0:0,1:0],"started":{0},"status":[0:"normal",1:"view_change",`+
		`2:"view_change"],"trusted":[0:T,1:T,2:T],"view":[0:0,1:1,2:1],"view_log":[0:[1:0],1:[]],`+
		`"votes":[0:{},1:{["bodies":[1:"stored"],"commit":0,"headers":[1:0],"log_view":0,`+
		`"replica":2,"trusted":T],["bodies":[],"commit":0,"headers":[],"log_view":0,"replica":1,`+
		`"trusted":T]}]]`, string(m.Canonical(nil, s)))
	lines := strings.Join(m.Format(s), "\n")
	assert.Contains(t, lines, "r1 = view_change view=1 log_view=0 [] adopted=0 commit=0 "+
		"parked with [1:v0 stored] commit=0 of {1,2}")
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config config
		want   string // Empty: valid.
	}{
		"a bound of the cfgs": {config: small},
		"no replica":          {with(func(c *config) { c.N = 0 }), "N is 0, expected 1 to 5"},
		"no policy":           {with(func(c *config) { c.Policy = 0 }), "Policy is 0, expected 1 to 2"},
		"a view too many":     {with(func(c *config) { c.MaxView = 5 }), "MaxView is 5, expected 0 to 4"},
		"votes one by one where disks are lost": {
			with(func(c *config) { c.Together, c.MaxWipe = false, 1 }),
			"MaxWipe is 1 without Together, expected 0",
		},
		"an unknown mutant": {
			with(func(c *config) { c.Bugs = []merge.Bug{"typo"} }), `unknown bug "typo", expected one of`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tc.config.Validate()
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
	_, err := merge.ParsePolicy("safe")
	require.EqualError(t, err, `policy "safe": expected "persisted" or "replicated"`)
}

// The module loses no acknowledgement, as losing one would only take commits away: this
// shows it. Without one of its acknowledgements a state has the same steps to the same
// states, but for PrimaryCommit, of which it has no more.
func TestALostAcknowledgementOnlyTakesCommitsAway(t *testing.T) {
	t.Parallel()
	m := merge.Model(with(func(c *config) { c.MaxRot, c.MaxRequest, c.MaxOp = 1, 2, 2 }))
	// without clears the lowest acknowledgement of each replica for op 1.
	without := func(s state) state {
		for r := range s.PrepareOKs {
			s.PrepareOKs[r][0] &= s.PrepareOKs[r][0] - 1
		}
		return s
	}
	steps := func(s state) (others map[string]bool, commits map[string]bool) {
		others, commits = map[string]bool{}, map[string]bool{}
		m.Next(s, func(a action, next state) {
			next.PrepareOKs = state{}.PrepareOKs // Nothing but commits looks at them.
			into := others
			if a.Kind == merge.PrimaryCommit {
				into = commits
			}
			into[a.String()+" "+string(m.Key(nil, next))] = true
		})
		return others, commits
	}
	lost := 0
	exploretest.Each(m, func(s state) {
		fewer := without(s)
		if fewer == s {
			return
		}
		lost++
		others, commits := steps(s)
		fewerOthers, fewerCommits := steps(fewer)
		require.Equal(t, others, fewerOthers)
		require.Subset(t, commits, fewerCommits)
	})
	assert.Greater(t, lost, 1000)
}
