package consumergroups_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/consumergroups"
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/explore/exploretest"
)

type (
	state  = consumergroups.State
	action = consumergroups.Action
	model  = explore.Model[state, action]
	config = consumergroups.Config
)

// The bounds of the cfgs members-*, by what is behind the hyphen.
var bounds = map[string]config{
	"": {
		N: 2, Clients: 2, Capacity: 2, Partitions: 2, MaxOp: 4, MaxRestart: 1, Logouts: true,
	},
	"evict":  {N: 2, Clients: 2, Capacity: 1, Partitions: 2, MaxOp: 4, MaxRestart: 1},
	"change": {N: 2, Clients: 2, Capacity: 2, Partitions: 1, MaxPartitions: 3, MaxOp: 4},
}

func check(t *testing.T, m model) *explore.Result[state, action] {
	t.Helper()
	result, err := explore.Check(context.Background(), m, explore.Options{})
	require.NoError(t, err)
	return result
}

func TestCleanBoundsHaveTheStatesThatTLCFinds(t *testing.T) {
	t.Parallel()
	for bound, want := range map[string]struct{ distinct, depth int }{
		"":       {106617, 16},
		"evict":  {55881, 16},
		"change": {39595, 13},
	} {
		t.Run("members-"+bound, func(t *testing.T) {
			t.Parallel()
			result := check(t, consumergroups.Model(bounds[bound]))
			require.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Equal(t, want.distinct, result.Distinct)
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
	one := func(ops, restarts int, logouts bool) config {
		return config{
			N: 1, Clients: 1, Capacity: 1, Partitions: 1, MaxOp: ops, MaxRestart: restarts,
			Logouts: logouts,
		}
	}
	two := func(capacity, ops, restarts int) config {
		return config{
			N: 1, Clients: 2, Capacity: capacity, Partitions: 1, MaxOp: ops, MaxRestart: restarts,
		}
	}
	parts := func(partitions, most, ops int) config {
		c := one(ops, 0, false)
		c.Partitions, c.MaxPartitions = partitions, most
		return c
	}
	caught := map[consumergroups.Bug]bool{}
	for _, tc := range []struct {
		bug      consumergroups.Bug
		bound    config
		property string
		states   int
	}{
		{consumergroups.ShareCountsDeparted, parts(2, 0, 4), "OneReader", 9},
		{consumergroups.JoinsTwice, one(3, 0, false), "MemberOnce", 7},
		{consumergroups.IDIsPlace, one(4, 0, false), "IDsOnce", 9},
		{consumergroups.JoinKeepsGeneration, one(2, 0, false), "GenerationTells", 5},
		{consumergroups.LeaveKeepsGeneration, one(3, 0, false), "GenerationTells", 7},
		{consumergroups.EndKeepsGeneration, one(3, 0, true), "GenerationTells", 7},
		{consumergroups.ChangeKeepsGeneration, parts(1, 2, 3), "GenerationTells", 7},
		{consumergroups.GenerationIsSize, one(3, 0, false), "GenerationRises", 7},
		{consumergroups.EvictionKeepsMember, two(1, 3, 0), "MembersLive", 7},
		{consumergroups.LogoutKeepsMember, one(3, 0, true), "MembersLive", 7},
		{consumergroups.RebindEndsMembership, one(3, 0, false), "EndsForAReason", 7},
		{consumergroups.LogoutOfOlderSession, one(4, 0, true), "EndsForAReason", 9},
		{consumergroups.JoinWithoutSession, one(3, 0, true), "MembersLive", 7},
		{consumergroups.MembersUnknownAtBoot, one(3, 1, true), "MembersLive", 9},
		{consumergroups.GenerationNotInCheckpoint, one(2, 1, false), "GroupsEqual", 7},
		{consumergroups.OrderNotInCheckpoint, two(2, 4, 1), "GroupsEqual", 11},
	} {
		caught[tc.bug] = true
		t.Run(tc.bug.String()+" breaks "+tc.property, func(t *testing.T) {
			t.Parallel()
			require.Nil(t, check(t, consumergroups.Model(tc.bound)).Violation, "without the mutant")
			tc.bound.Bugs = []consumergroups.Bug{tc.bug}
			m := consumergroups.Model(tc.bound)
			at := slices.IndexFunc(m.Always, func(p explore.Property[state]) bool {
				return p.Name == tc.property
			})
			m.Always = m.Always[at : at+1]
			v := check(t, m).Violation
			require.NotNil(t, v, "the mutant survived")
			assert.Len(t, v.Path, tc.states)
			assert.NotEmpty(t, v.Reason)
		})
	}
	assert.Len(t, caught, len(consumergroups.Bugs()))
}

// A member whose session is evicted leaves, and its partitions are another's.
func TestAnEvictedMemberLeaves(t *testing.T) {
	t.Parallel()
	m := consumergroups.Model(config{
		N: 1, Clients: 2, Capacity: 1, Partitions: 3, MaxOp: 4, MaxRestart: 1,
	})
	s := exploretest.Walk(t, m, "CommitMessage(register,1,0)", "CommitMessage(join,1,1)", "Execute(0)",
		"Execute(0)", "CheckpointGroup", "RestartReplica", "CommitMessage(register,2,0)",
		"CommitMessage(join,2,3)", "Execute(0)", "Execute(0)")
	lines := strings.Join(m.Format(s), "\n")
	assert.Contains(t, lines, "r0 = op=4 sessions={2:3@4} members=<2#2{1,2,3}> generation=3")
	assert.Contains(t, lines, "log = <register client 1, join client 1 session 1, ")
}

func TestEveryStepHasItsCallAndItsLabel(t *testing.T) {
	t.Parallel()
	c := config{
		N: 2, Clients: 2, Capacity: 1, Partitions: 1, MaxPartitions: 2, MaxOp: 3, MaxRestart: 1,
		Logouts: true,
	}
	listed, operators := map[string]bool{}, map[string]bool{}
	for _, call := range consumergroups.ActionCalls(c) {
		assert.False(t, listed[call.Label], "label %s occurs twice", call.Label)
		assert.False(t, operators[call.Operator], "operator %s occurs twice", call.Operator)
		listed[call.Label], operators[call.Operator] = true, true
	}
	m := consumergroups.Model(c)
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
	for _, kind := range consumergroups.ActionKinds() {
		assert.True(t, taken[kind.String()], "%s is never taken", kind)
	}
	assert.Contains(t, consumergroups.ActionCalls(c), consumergroups.ActionCall{
		Operator: "CommitMessage_join_1_2", Call: `CommitMessage(Message("join",1,2))`,
		Label: "CommitMessage(join,1,2)",
	})
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(c *config)
		want   string
	}{
		"no replica":      {func(c *config) { c.N = 0 }, "N is 0, expected 1 to 3"},
		"a long log":      {func(c *config) { c.MaxOp = 7 }, "MaxOp is 7, expected 0 to 6"},
		"no row":          {func(c *config) { c.Capacity = 0 }, "Capacity is 0, expected 1 to 3"},
		"many partitions": {func(c *config) { c.Partitions = 5 }, "Partitions is 5, expected 0 to 4"},
		"a wrong bug": {
			func(c *config) { c.Bugs = []consumergroups.Bug{99} }, "bug 99, expected 1 to 16",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := bounds[""]
			require.NoError(t, c.Validate())
			tc.change(&c)
			require.ErrorContains(t, c.Validate(), tc.want)
			assert.Panics(t, func() { consumergroups.Model(c) })
		})
	}
	assert.Equal(t, "ActionKind(99)", consumergroups.ActionKind(99).String())
	assert.Equal(t, "Bug(99)", consumergroups.Bug(99).String())
	assert.Equal(t, "Kind(99)", consumergroups.Kind(99).String())
	_, err := consumergroups.ParseBug("typo")
	assert.ErrorContains(t, err, `unknown bug "typo", expected one of [share_counts_departed `)
	for _, bug := range consumergroups.Bugs() {
		parsed, err := consumergroups.ParseBug(bug.String())
		require.NoError(t, err)
		assert.Equal(t, bug, parsed)
	}
}
