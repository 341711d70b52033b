package retention_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/explore/exploretest"
	"github.com/viewstamp/viewstamp/model/retention"
)

type (
	state  = retention.State
	action = retention.Action
	model  = explore.Model[state, action]
	config = retention.Config
)

var (
	retain   = []retention.Kind{retention.Retain}
	truncate = []retention.Kind{retention.Truncate}
	purge    = []retention.Kind{retention.Purge}
	store    = []retention.Kind{retention.Store}
	advance  = []retention.Kind{retention.Advance}
)

// The bounds of the cfgs retention-*, by what is behind the hyphen.
var bounds = map[string]config{
	"": {
		N: 2, Segment: 2, Kinds: []retention.Kind{retention.Retain, retention.Purge}, Age: 2,
		MaxOp: 4, MaxPurge: 1, MaxRestart: 1,
	},
	"size": {N: 2, Segment: 2, Kinds: retain, Size: 1, MaxOp: 6, MaxRestart: 1},
	"hold": {
		N: 2, Segment: 1, Kinds: []retention.Kind{retention.Retain, retention.Store}, Size: 1,
		Hold: true, Consumers: 1, MaxOp: 4,
	},
	"truncate": {
		N: 2, Segment: 1, Kinds: []retention.Kind{retention.Truncate, retention.Purge},
		MaxOp: 4, MaxPurge: 2,
	},
	"poll": {
		N: 2, Segment: 1, Kinds: []retention.Kind{retention.Retain, retention.Purge}, Size: 1,
		MaxOp: 4, MaxPurge: 1, Polls: true,
	},
	"restarts": {
		N: 1, Segment: 2, Kinds: []retention.Kind{retention.Retain, retention.Purge}, Age: 2,
		MaxOp: 5, MaxPurge: 2, MaxRestart: 2,
	},
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
		"":         {38022, 122092, 18},
		"hold":     {8057, 20158, 15},
		"truncate": {9367, 22479, 15},
		"size":     {153398, 558210, 27},
	} {
		t.Run("retention-"+bound, func(t *testing.T) {
			t.Parallel()
			result := check(t, retention.Model(bounds[bound]))
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
	caught := map[retention.Bug]bool{}
	for _, tc := range []struct {
		bug      retention.Bug
		bound    config
		property string
		states   int
	}{
		{
			retention.AgeByOwnClock,
			config{N: 2, Kinds: retain, Age: 3, MaxOp: 3},
			"MachinesEqual", 10,
		},
		{
			retention.RetainsByFiles,
			config{N: 2, Kinds: retain, Size: 1, MaxOp: 3},
			"MachinesEqual", 10,
		},
		{retention.RetainDropsLast, config{Kinds: retain, Age: 1, MaxOp: 2}, "NewestStays", 5},
		{retention.HoldIgnored, config{
			Kinds: append(retain, store...), Size: 1, Hold: true, Consumers: 1, MaxOp: 5,
		}, "UnreadStays", 11},
		{retention.TruncateDropsOldest, config{Kinds: truncate, MaxOp: 5}, "DroppedAsAsked", 11},
		{
			retention.PurgeEachTime,
			config{Kinds: purge, MaxOp: 3, MaxPurge: 1},
			"DroppedAsAsked", 7,
		},
		{
			retention.PurgeRestartsOffsets,
			config{Kinds: purge, MaxOp: 3, MaxPurge: 1},
			"OffsetsDense", 7,
		},
		{retention.PurgeForgetsStored, config{
			Kinds: append(purge, advance...), Consumers: 1, MaxOp: 3, MaxPurge: 1,
		}, "AdvanceKept", 7},
		{retention.StoreUnchecked, config{Kinds: store, Consumers: 1, MaxOp: 1}, "StoredReal", 3},
		{
			retention.AdvanceLowers,
			config{Kinds: advance, Consumers: 1, MaxOp: 4},
			"AdvanceKept", 9,
		},
		{
			retention.GenerationNotInCheckpoint,
			config{Kinds: purge, MaxOp: 1, MaxPurge: 1, MaxRestart: 1},
			"MachinesEqual", 6,
		},
		{
			retention.StoredNotInCheckpoint,
			config{Kinds: store, Consumers: 1, MaxOp: 2, MaxRestart: 1},
			"MachinesEqual", 8,
		},
		{
			retention.TrimBeforePairing,
			config{Kinds: purge, MaxOp: 3, MaxPurge: 1, MaxRestart: 2},
			"NoneMissing", 9,
		},
		{
			retention.StartInsideSegment,
			config{Segment: 2, Kinds: purge, MaxOp: 3, MaxPurge: 1},
			"FilesAsCounted", 9,
		},
		{
			retention.PollBelowStart,
			config{Kinds: purge, MaxOp: 2, MaxPurge: 1, Polls: true},
			"PollRight", 7,
		},
		{
			retention.PollWaitsBelowStart,
			config{Kinds: purge, MaxOp: 3, MaxPurge: 1, Polls: true},
			"PollRight", 8,
		},
	} {
		caught[tc.bug] = true
		t.Run(tc.bug.String()+" breaks "+tc.property, func(t *testing.T) {
			t.Parallel()
			tc.bound.N, tc.bound.Segment = max(tc.bound.N, 1), max(tc.bound.Segment, 1)
			require.Nil(t, check(t, retention.Model(tc.bound)).Violation, "without the mutant")
			tc.bound.Bugs = []retention.Bug{tc.bug}
			m := retention.Model(tc.bound)
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
	assert.Len(t, caught, len(retention.Bugs()))
}

// A purge that comes twice drops what was there at the first, and consumers go on behind it.
func TestAPurgeIsOnceInItsGeneration(t *testing.T) {
	t.Parallel()
	m := retention.Model(config{
		N: 1, Segment: 2, Kinds: append(purge, advance...), Consumers: 1, MaxOp: 5, MaxPurge: 1,
	})
	s := exploretest.Walk(t, m, "CommitOp(send,0,0)", "CommitOp(advance,1,0)", "CommitOp(purge,0,1)",
		"CommitOp(send,0,0)", "CommitOp(purge,0,1)", "Execute(0)", "Execute(0)", "Materialise",
		"Execute(0)", "Execute(0)", "Execute(0)", "Materialise")
	lines := strings.Join(m.Format(s), "\n")
	assert.Contains(t, lines, "r0 = op=5 start=1 next=2 <1..1@4> stored=[1] generation=1")
	assert.Contains(t, lines, "files = <0..0 1..1> filed=2")
	assert.Contains(t, lines, "log = <send, advance consumer 1 offset 0, purge 1, send, purge 1>")
}

func TestEveryStepHasItsCallAndItsLabel(t *testing.T) {
	t.Parallel()
	c := config{
		N: 2, Segment: 1, Age: 1, Consumers: 1, MaxOp: 3, MaxPurge: 1, MaxRestart: 1, Polls: true,
		Kinds: slices.Concat(retain, truncate, purge, store, advance),
	}
	listed, operators := map[string]bool{}, map[string]bool{}
	for _, call := range retention.ActionCalls(c) {
		assert.False(t, listed[call.Label], "label %s occurs twice", call.Label)
		assert.False(t, operators[call.Operator], "operator %s occurs twice", call.Operator)
		listed[call.Label], operators[call.Operator] = true, true
	}
	m := retention.Model(c)
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
	for _, kind := range retention.ActionKinds() {
		assert.True(t, taken[kind.String()], "%s is never taken", kind)
	}
	assert.Contains(t, retention.ActionCalls(c), retention.ActionCall{
		Operator: "CommitOp_purge_0_1", Call: `CommitOp(Op("purge",0,1))`,
		Label: "CommitOp(purge,0,1)",
	})
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(c *config)
		want   string
	}{
		"no replica":   {func(c *config) { c.N = 0 }, "N is 0, expected 1 to 3"},
		"a long log":   {func(c *config) { c.MaxOp = 8 }, "MaxOp is 8, expected 0 to 7"},
		"a sent kind":  {func(c *config) { c.Kinds = []retention.Kind{retention.Send} }, "op of kind 1"},
		"a wrong bug":  {func(c *config) { c.Bugs = []retention.Bug{99} }, "bug 99, expected 1 to 16"},
		"no segment":   {func(c *config) { c.Segment = 0 }, "Segment is 0, expected 1 to 3"},
		"many readers": {func(c *config) { c.Consumers = 3 }, "Consumers is 3, expected 0 to 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := bounds[""]
			require.NoError(t, c.Validate())
			tc.change(&c)
			require.ErrorContains(t, c.Validate(), tc.want)
			assert.Panics(t, func() { retention.Model(c) })
		})
	}
	assert.Equal(t, "ActionKind(99)", retention.ActionKind(99).String())
	assert.Equal(t, "Bug(99)", retention.Bug(99).String())
	assert.Equal(t, "Kind(99)", retention.Kind(99).String())
	_, err := retention.ParseKind("send")
	require.ErrorContains(t, err, `op "send", expected one of [retain `)
	_, err = retention.ParseBug("typo")
	assert.ErrorContains(t, err, `unknown bug "typo", expected one of [age_by_own_clock `)
	for _, bug := range retention.Bugs() {
		parsed, err := retention.ParseBug(bug.String())
		require.NoError(t, err)
		assert.Equal(t, bug, parsed)
	}
}
