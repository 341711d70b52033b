package reads_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/explore/exploretest"
	"github.com/viewstamp/viewstamp/model/reads"
)

type (
	state  = reads.State
	action = reads.Action
	model  = explore.Model[state, action]
	config = reads.Config
)

// The bounds of the cfgs reads-*, by what is behind the hyphen.
var bounds = map[string]config{
	"":       {N: 3, MaxOp: 1, MaxView: 1, MaxRead: 1},
	"local":  {N: 3, MaxOp: 1, MaxView: 1, MaxRead: 1, Local: true},
	"asking": {N: 3, MaxOp: 1, MaxView: 1, MaxRead: 1, Asking: true},
	"two":    {N: 3, MaxOp: 1, MaxView: 1, MaxRead: 2},
	"ops":    {N: 3, MaxOp: 2, MaxView: 1, MaxRead: 1},
	"views":  {N: 3, MaxOp: 1, MaxView: 2, MaxRead: 1},
	"clock":  {N: 3, MaxOp: 1, MaxView: 1, MaxRead: 1, MaxTick: 1},
	"four":   {N: 4, MaxOp: 1, MaxView: 1, MaxRead: 1},
	"five":   {N: 5, MaxOp: 1, MaxView: 1, MaxRead: 1},
	// Not those of a cfg: two reads, one of which may be local.
	"two local": {N: 3, MaxOp: 1, MaxView: 1, MaxRead: 2, Local: true},
	// A bound whose graph is walked state by state.
	"small": {N: 3, MaxOp: 1, MaxView: 1, MaxRead: 1, MaxTick: 1, Local: true, Asking: true},
}

func at(bound string, bugs ...reads.Bug) config {
	c := bounds[bound]
	c.Bugs = bugs
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
	for bound, want := range map[string]struct{ distinct, transitions, depth int }{
		"":       {7689, 29261, 19},
		"local":  {9078, 35855, 19},
		"asking": {20890, 83596, 19},
		"two":    {66858, 306885, 22},
		"views":  {72562, 333836, 24},
		"clock":  {61512, 326356, 22},
		"four":   {99272, 525601, 25},
	} {
		t.Run("reads-"+bound, func(t *testing.T) {
			t.Parallel()
			result := check(t, reads.Model(at(bound)))
			require.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Equal(t, want.distinct, result.Distinct)
			assert.Equal(t, want.transitions, result.Transitions)
			assert.Equal(t, want.depth, result.Depth)
			require.NotEmpty(t, result.Goals)
			for name, reached := range result.Goals {
				assert.True(t, reached, "%s is never reached", name)
			}
		})
	}
}

// Each mutant is caught by the property of its comment, in as many states as TLC needs.
func TestEachMutantIsCaught(t *testing.T) {
	t.Parallel()
	caught := map[reads.Bug]bool{}
	for _, tc := range []struct {
		bug      reads.Bug
		bound    string
		property string
		states   int
	}{
		{reads.ReadWithoutRound, "", "ReadFresh", 11},
		{reads.ReadWithoutRound, "two", "ReadOrder", 13},
		{reads.RoundBeforeArrival, "two", "ReadFresh", 13},
		{reads.PrepareOKConfirms, "", "ReadFresh", 11},
		{reads.ConfirmAnyView, "", "ReadFresh", 12},
		{reads.ConfirmByLogView, "four", "ReadFresh", 13},
		{reads.PrimaryCountsTwice, "", "ReadFresh", 11},
		{reads.PrimaryCountsTwice, "four", "ReadFresh", 12},
		{reads.PrimaryCountsTwice, "five", "ReadFresh", 14},
		{reads.LeaseByClock, "clock", "ReadFresh", 13},
		{reads.InheritedNotCommitted, "", "ReadFresh", 11},
		{reads.AnswerBeforeExecute, "", "ReadFresh", 11},
		{reads.ReadPrepared, "", "ReadReal", 5},
		{reads.ReadPrepared, "local", "SerializablePrefix", 3},
		{reads.LocalReadLabelledLinearizable, "local", "ReadFresh", 6},
		{reads.LocalReadLabelledLinearizable, "two local", "ReadOrder", 7},
		{reads.IndexWithoutRound, "asking", "ReadFresh", 11},
		{reads.OwnCommitIsIndex, "asking", "ReadFresh", 7},
		{reads.AnswerBeforeReached, "asking", "ReadFresh", 9},
		{reads.CommitOwnViewFirst, "", "NoStall", 8},
		{reads.NewestRoundOnly, "two", "NoStall", 3},
	} {
		caught[tc.bug] = true
		name := tc.bug.String() + " breaks " + tc.property + " at reads-" + tc.bound
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := reads.Model(at(tc.bound, tc.bug))
			m.Always = exploretest.Pick(t, m, tc.property)
			v := check(t, m).Violation
			require.NotNil(t, v, "the mutant survived")
			assert.Len(t, v.Path, tc.states)
			assert.NotEmpty(t, v.Reason)
			require.Error(t, m.Always[0].Check(v.Path[len(v.Path)-1].State))
		})
	}
	assert.Len(t, caught, len(reads.Bugs()))
}

// A replica that confirms the view of its log, though it has voted for the next, does no
// harm while any two replication quorums meet: an op of the next view needs one whose
// log is of that view. Of four replicas two and two need not.
func TestConfirmingByLogViewIsHarmlessWhereReplicationQuorumsMeet(t *testing.T) {
	t.Parallel()
	for _, bound := range []string{"", "views", "two"} {
		t.Run("reads-"+bound, func(t *testing.T) {
			t.Parallel()
			result := check(t, reads.Model(at(bound, reads.ConfirmByLogView)))
			assert.Nil(t, result.Violation)
			assert.True(t, result.Complete)
		})
	}
}

// The deposed primary's read is the story of R19: it is never answered with what the
// others have moved on from, and without a round it is.
func TestADeposedPrimaryAnswersOnlyWithoutARound(t *testing.T) {
	t.Parallel()
	steps := []string{
		"SendDoViewChange(1,1)", "SendDoViewChange(2,1)", "BecomePrimary(1)",
		"ReceiveStartView(2,1)", "ClientRequest(1)", "ReceivePrepare(2)", "PrimaryCommit(1)",
		"WalkExecute(1)", "ReceiveRead(0)",
	}
	clean := reads.Model(at(""))
	s := exploretest.Walk(t, clean, steps...)
	assert.Equal(t, reads.Waiting, s.Reads[0].Label)
	assert.Equal(t, uint8(1), s.Reads[0].Floor)
	for _, label := range exploretest.Enabled(clean, s) {
		assert.False(t, strings.HasPrefix(label, "ConfirmView"), "%s", label)
		assert.NotEqual(t, "AnswerRead(1)", label)
	}
	s = exploretest.Walk(t, clean, append(steps, "ReceiveStartView(0,1)")...)
	assert.Equal(t, reads.GivenUp, s.Reads[0].Label)

	mutant := reads.Model(at("", reads.ReadWithoutRound))
	s = exploretest.Walk(t, mutant, append(steps, "AnswerRead(1)")...)
	assert.ErrorContains(t, exploretest.Pick(t, mutant, "ReadFresh")[0].Check(s),
		"read 1 shows the log up to op 0, and op 1 was acknowledged before it arrived")
}

// A new primary answers its first read after it has committed what it inherited, which
// needs no request of its own.
func TestANewPrimaryCommitsWhatItInheritedFirst(t *testing.T) {
	t.Parallel()
	m := reads.Model(at(""))
	steps := []string{
		"ClientRequest(0)", "ReceivePrepare(1)", "PrimaryCommit(0)", "WalkExecute(0)",
		"SendDoViewChange(1,1)", "SendDoViewChange(2,1)", "BecomePrimary(1)", "ReceiveRead(1)",
		"ConfirmView(2,1)",
	}
	s := exploretest.Walk(t, m, steps...)
	assert.Equal(t, uint8(1), s.Reads[0].Index)
	assert.NotContains(t, exploretest.Enabled(m, s), "AnswerRead(1)")
	s = exploretest.Walk(t, m, append(steps,
		"ReceiveStartView(2,1)", "PrimaryCommit(1)", "WalkExecute(1)",
		"AnswerRead(1)")...)
	assert.Equal(t, reads.Linearizable, s.Reads[0].Label)
	assert.Equal(t, uint8(1), s.Reads[0].Shown.Len)
}

// A backup that has been told the index answers when its own walk has come that far, though it
// has left the view since: what it has executed is committed, and as new as it was told.
func TestABackupWaitsForTheIndexThatItWasTold(t *testing.T) {
	t.Parallel()
	m := reads.Model(at("asking"))
	steps := []string{
		"ClientRequest(0)", "ReceivePrepare(1)", "PrimaryCommit(0)", "WalkExecute(0)",
		"AskIndex(1,0)", "ConfirmView(1,1)",
	}
	s := exploretest.Walk(t, m, steps...)
	assert.NotContains(t, exploretest.Enabled(m, s), "AnswerRead(1)",
		"the primary answers the asker alone")
	s = exploretest.Walk(t, m, append(steps, "AnswerIndex(1)", "SendDoViewChange(1,1)")...)
	assert.Equal(t, reads.Indexed, s.Reads[0].Label)
	assert.Contains(t, strings.Join(m.Format(s), "\n"), "read 1 = indexed at r1 view=0 index=1")
	assert.NotContains(t, exploretest.Enabled(m, s), "AnswerRead(1)")
	s = exploretest.Walk(t, m, append(steps, "AnswerIndex(1)", "ReceiveCommit(1,1)", "WalkExecute(1)",
		"SendDoViewChange(1,1)", "AnswerRead(1)")...)
	assert.Equal(t, reads.Linearizable, s.Reads[0].Label)
	assert.Equal(t, uint8(1), s.Reads[0].Shown.Len)
}

func TestEveryStepHasItsCallAndItsLabel(t *testing.T) {
	t.Parallel()
	listed, operators := map[string]bool{}, map[string]bool{}
	for _, call := range reads.ActionCalls(at("small")) {
		assert.False(t, listed[call.Label], "label %s occurs twice", call.Label)
		assert.False(t, operators[call.Operator], "operator %s occurs twice", call.Operator)
		listed[call.Label], operators[call.Operator] = true, true
	}
	m := reads.Model(at("small"))
	taken := map[string]bool{}
	exploretest.Each(m, func(s state) {
		m.Next(s, func(a action, _ state) {
			taken[a.Name()] = true
			require.True(t, listed[a.String()], "step %s is not listed", a)
		})
	})
	for _, kind := range reads.ActionKinds() {
		assert.True(t, taken[kind.String()], "%s is never taken", kind)
	}
	assert.Contains(t, reads.ActionCalls(at("small")), reads.ActionCall{
		Operator: "ConfirmView_2_1", Call: "1 <= Len(reads) /\\ ConfirmView(2,1)",
		Label: "ConfirmView(2,1)",
	})
	assert.Contains(t, reads.ActionCalls(at("small")), reads.ActionCall{
		Operator: "Tick_1", Call: "Tick(1)", Label: "Tick(1)",
	})
}

func TestKeyAndCanonicalTextTellTheSameStatesApart(t *testing.T) {
	t.Parallel()
	m := reads.Model(at("local"))
	texts, keys := map[string]bool{}, map[string]bool{}
	exploretest.Each(m, func(s state) {
		key, text := string(m.Key(nil, s)), string(m.Canonical(nil, s))
		require.False(t, texts[text], "one text, two states: %s", text)
		require.False(t, keys[key])
		texts[text], keys[key] = true, true
	})
	assert.Len(t, texts, 9078)
}

func TestCanonicalTextIsThatOfATLAValue(t *testing.T) {
	t.Parallel()
	m := reads.Model(at("two local"))
	s := exploretest.Walk(t, m, "ClientRequest(0)", "ReceivePrepare(1)", "PrimaryCommit(0)",
		"ReceiveRead(0)", "ConfirmView(1,1)", "ReadLocally(2)", "SendDoViewChange(1,1)")
	assert.Equal(t, `["acknowledged":0,"clock":[0:0,1:0,2:0],"commit_max":[0:1,1:0,2:0],`+
		`"commit_min":[0:0,1:0,2:0],"commits":[0:1,1:0],"committed":[1:0],"inherited":[0:0,1:0],`+
		`"log":[0:[1:0],1:[1:0],2:[]],"log_view":[0:0,1:0,2:0],`+
		`"prepare_oks":[0:[0:0,1:1,2:0],1:[0:0,1:0,2:0]],"prepares":[0:[1:0],1:[]],`+
		`"reads":[1:["asker":0,"at":0,"confirmed":{1},"floor":0,"index":1,"label":"waiting","seen":0,`+
		`"shown":[],"view":0],2:["asker":0,"at":0,"confirmed":{},"floor":0,"index":0,`+
		`"label":"serializable","seen":0,"shown":[],"view":0]],"started":{0},`+
		`"status":[0:"normal",1:"view_change",2:"normal"],"view":[0:0,1:1,2:0],`+
		`"votes":[0:{},1:{["commit":0,"log":[1:0],"log_view":0,"replica":1]}]]`,
		string(m.Canonical(nil, s)))
	lines := strings.Join(m.Format(s), "\n")
	assert.Contains(t, lines, "r0 = normal view=0 log_view=0 log=<0> commit=0/1")
	assert.Contains(t, lines, "read 1 = waiting at r0 view=0 index=1 confirmed={1} floor=0 seen=0")
	assert.Contains(t, lines, "read 2 = serializable shown=<>")
	assert.Contains(t, lines, "committed = <0>")
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(c *config)
		want   string // Empty: valid.
	}{
		"a bound of the cfgs": {func(*config) {}, ""},
		"no replica":          {func(c *config) { c.N = 0 }, "N is 0, expected 1 to 6"},
		"too many views":      {func(c *config) { c.MaxView = 4 }, "MaxView is 4, expected 0 to 3"},
		"too many reads":      {func(c *config) { c.MaxRead = 4 }, "MaxRead is 4, expected 0 to 3"},
		"an unknown mutant": {
			func(c *config) { c.Bugs = []reads.Bug{99} }, "bug 99, expected 1 to 16",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := at("small")
			tc.change(&c)
			err := c.Validate()
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
			assert.Panics(t, func() { reads.Model(c) })
			assert.Panics(t, func() { reads.ActionCalls(c) })
		})
	}
	assert.Equal(t, "ActionKind(99)", reads.ActionKind(99).String())
	assert.Equal(t, "Bug(99)", reads.Bug(99).String())
	_, err := reads.ParseBug("typo")
	assert.ErrorContains(t, err, `unknown bug "typo", expected one of [read_without_round `)
	for _, bug := range reads.Bugs() {
		parsed, err := reads.ParseBug(bug.String())
		require.NoError(t, err)
		assert.Equal(t, bug, parsed)
	}
}
