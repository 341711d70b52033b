package logspace_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/explore/exploretest"
	"github.com/viewstamp/viewstamp/model/logspace"
)

type (
	state  = logspace.State
	action = logspace.Action
	config = logspace.Config
)

// The bounds of the cfgs space-*, by what is behind the hyphen.
var bounds = map[string]config{
	"":     {Groups: 1, MaxOp: 6, Room: 2, Files: 2, Every: 2, Half: 4, Queue: 2, MaxFail: 1},
	"due":  {Groups: 1, MaxOp: 4, Room: 3, Files: 3, Every: 1, Half: 1, Queue: 1, MaxFail: 1},
	"idle": {Groups: 2, MaxOp: 1, OtherOp: 3, Room: 3, Files: 2, Every: 1, Half: 1, Queue: 1},
	"gone": {
		Groups: 2, MaxOp: 3, OtherOp: 1, Removal: 1, Room: 3, Files: 2, Every: 1, Half: 1, Queue: 1,
	},
}

// one has a log that a single group fills, before a checkpoint is due by the number of ops.
func one(ops int) config {
	return config{Groups: 1, MaxOp: ops, Room: 2, Files: 2, Every: 3, Half: 3, Queue: 1}
}

func live(t *testing.T, c config) *explore.Liveness[state, action] {
	t.Helper()
	found, err := explore.CheckLiveness(context.Background(), logspace.Model(c),
		logspace.Fairness(c), logspace.Progress(c), 0)
	require.NoError(t, err)
	return found
}

func TestCleanBoundsHaveTheStatesThatTLCFinds(t *testing.T) {
	t.Parallel()
	for bound, want := range map[string]struct{ distinct, depth int }{
		"": {8389, 34}, "due": {1505, 22}, "idle": {16889, 26}, "gone": {3475, 22},
	} {
		t.Run("space-"+bound, func(t *testing.T) {
			t.Parallel()
			m := logspace.Model(bounds[bound])
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			require.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Equal(t, want.distinct, result.Distinct)
			assert.Equal(t, want.depth, result.Depth)
			for name, reached := range result.Goals {
				assert.True(t, reached, "%s is never reached", name)
			}
			found := live(t, bounds[bound])
			assert.Nil(t, found.Violation)
			assert.Positive(t, found.Pending)
		})
	}
}

// Each mutant is caught by the property of its comment, in as many states as its cfg says.
func TestEachMutantIsCaught(t *testing.T) {
	t.Parallel()
	fails := one(3)
	fails.Every, fails.Half, fails.MaxFail = 1, 1, 1
	early := one(2)
	early.Every, early.Half = 1, 1
	flushes := one(5)
	flushes.Every, flushes.Half = 2, 2
	leaves := bounds["idle"]
	leaves.OtherOp, leaves.Removal = 2, 1
	keeper := leaves
	keeper.MaxOp, keeper.OtherOp, keeper.Every, keeper.Half = 2, 3, 3, 3
	// Its graph is large: TestOpsInTheReserveLeaveNoRoomForAStateRecord has the way there.
	caught := map[logspace.Bug]bool{logspace.OpsInReserve: true}
	for _, tc := range []struct {
		bug      logspace.Bug
		bound    config
		property string
		states   int
	}{
		{logspace.DueOnlyWhenExecuted, fails, "Progress", 7},
		{logspace.AsksAtFlushesOnly, flushes, "Progress", 16},
		{logspace.AsksAtFilesOnly, one(4), "Progress", 12},
		{logspace.StateNotRepeated, bounds["idle"], "Progress", 14},
		{logspace.NoReserveForState, one(4), "Progress", 10},
		{logspace.NothingMoved, one(5), "Progress", 15},
		{logspace.WaitCountsOps, fails, "Progress", 6},
		{logspace.ReleasedBeforeStateRecord, early, "LogKnown", 6},
		{logspace.GoneGroupKept, bounds["gone"], "Progress", 13},
		{logspace.GoneAsksNobody, keeper, "Progress", 13},
		{logspace.GoneTooEarly, leaves, "BodiesStay", 8},
	} {
		caught[tc.bug] = true
		t.Run(tc.bug.String()+" breaks "+tc.property, func(t *testing.T) {
			t.Parallel()
			require.Nil(t, live(t, tc.bound).Violation, "without the mutant")
			tc.bound.Bugs = []logspace.Bug{tc.bug}
			if tc.property == "Progress" {
				v := live(t, tc.bound).Violation
				require.NotNil(t, v, "the mutant survived")
				assert.Len(t, v.Path, tc.states)
				return
			}
			m := logspace.Model(tc.bound)
			m.Always = exploretest.Pick(t, m, tc.property)
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			require.NotNil(t, result.Violation, "the mutant survived")
			assert.Len(t, result.Violation.Path, tc.states)
			assert.NotEmpty(t, result.Violation.Reason)
		})
	}
	assert.Len(t, caught, len(logspace.Bugs()))
}

// State records have begun a file that is kept back for them, and an op that was held goes on in
// it; then what is moved fills the rest, and the other group's state record waits for ever.
func TestOpsInTheReserveLeaveNoRoomForAStateRecord(t *testing.T) {
	t.Parallel()
	c := config{
		Groups: 2, MaxOp: 3, OtherOp: 3, Removal: 1, Room: 3, Files: 2, Every: 2, Half: 3, Queue: 1,
	}
	way := strings.Fields(`Prepare(1) Prepare(2) Prepare(2) Prepare(2) Tick(2) Execute(2)
		WriteState(2) Tick(2) Execute(2) EndCheckpoint(2) WriteState(2) Tick(2) Prepare(1)
		Execute(2) EndCheckpoint(2) Tick(2) WriteState(2)`)
	before := exploretest.Walk(t, logspace.Model(c), way...)
	assert.NotContains(t, exploretest.Enabled(logspace.Model(c), before), "StoreHeld(1)")

	c.Bugs = []logspace.Bug{logspace.OpsInReserve}
	m := logspace.Model(c)
	stuck := exploretest.WalkFrom(t, m, before, strings.Fields(`StoreHeld(1) EndCheckpoint(2)
		Execute(1) Execute(1) EndCheckpoint(1) WriteState(2)`)...)
	fair := logspace.Fairness(c)
	m.Next(stuck, func(a action, _ state) {
		assert.Negative(t, fair.Class(stuck, a), "%s is owed, and would help", a)
	})
	lines := strings.Join(m.Format(stuck), "\n")
	assert.Contains(t, lines, "g1 = head=2 stored=2 commit=2 base=2 released=0 owes asked for its")
	assert.Contains(t, lines, "files = <1:1 2:1 2:2> <2:3 2:0s 2:0s> <2:0s 1:2 1:1> <2:1 2:2 2:0s>")
}

// A file has room for a state record of each group and one more, or the log may be full for good:
// a group may be asked once too often.
func TestTheReserveIsForAStateRecordOfEachGroupAndOneMore(t *testing.T) {
	t.Parallel()
	c := config{Groups: 2, MaxOp: 4, OtherOp: 1, Room: 2, Files: 2, Every: 2, Half: 3, Queue: 1}
	assert.NotNil(t, live(t, c).Violation)
	c.Room++
	assert.Nil(t, live(t, c).Violation)
}

func TestEveryStepHasItsCallAndItsLabel(t *testing.T) {
	t.Parallel()
	c := bounds[""]
	listed, operators := map[string]bool{}, map[string]bool{}
	for _, call := range logspace.ActionCalls(c) {
		assert.False(t, listed[call.Label], "label %s occurs twice", call.Label)
		assert.False(t, operators[call.Operator], "operator %s occurs twice", call.Operator)
		listed[call.Label], operators[call.Operator] = true, true
	}
	m := logspace.Model(c)
	taken := map[string]bool{}
	texts, keys := map[string]bool{}, map[string]bool{}
	exploretest.Each(m, func(s state) {
		key, text := string(m.Key(nil, s)), string(m.Canonical(nil, s))
		require.False(t, texts[text], "one text, two states: %s", text)
		require.False(t, keys[key])
		texts[text], keys[key] = true, true
		m.Next(s, func(a action, _ state) {
			taken[a.Name()] = true
			require.True(t, listed[a.String()], "step %s is not listed", a)
		})
	})
	for _, kind := range logspace.ActionKinds() {
		assert.True(t, taken[kind.String()], "%s is never taken", kind)
	}
	assert.Contains(t, logspace.ActionCalls(c), logspace.ActionCall{
		Operator: "Execute_1", Call: "Execute(1)", Label: "Execute(1)",
	})
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(c *config)
		want   string
	}{
		"no group":      {func(c *config) { c.Groups = 0 }, "Groups is 0, expected 1 to 2"},
		"many ops":      {func(c *config) { c.MaxOp = 10 }, "MaxOp is 10, expected 0 to 9"},
		"one file":      {func(c *config) { c.Files = 1 }, "Files is 1, expected 2 to 4"},
		"due too late":  {func(c *config) { c.Every = 5 }, "Every is 5, expected 1 to 4"},
		"none to leave": {func(c *config) { c.Removal = 1 }, "Removal is 1 with one group"},
		"a wrong bug":   {func(c *config) { c.Bugs = []logspace.Bug{99} }, "bug 99, expected 1 to 12"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := bounds[""]
			require.NoError(t, c.Validate())
			tc.change(&c)
			require.ErrorContains(t, c.Validate(), tc.want)
			assert.Panics(t, func() { logspace.Model(c) })
		})
	}
	assert.Equal(t, "ActionKind(99)", logspace.ActionKind(99).String())
	assert.Equal(t, "Bug(99)", logspace.Bug(99).String())
	_, err := logspace.ParseBug("typo")
	require.ErrorContains(t, err, `unknown bug "typo", expected one of [due_only_when_executed `)
	for _, bug := range logspace.Bugs() {
		parsed, err := logspace.ParseBug(bug.String())
		require.NoError(t, err)
		assert.Equal(t, bug, parsed)
	}
}
