package sessions_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/explore/exploretest"
	"github.com/viewstamp/viewstamp/model/sessions"
)

type (
	state  = sessions.State
	action = sessions.Action
	model  = explore.Model[state, action]
	config = sessions.Config
)

// The bounds of the cfgs sessions-*, by what is behind the hyphen.
var bounds = map[string]config{
	"": {
		N: 2, Clients: 1, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 4, MaxRegister: 2, MaxRequest: 2, MaxRestart: 1, Logouts: true,
	},
	"evict": {
		N: 2, Clients: 2, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 4, MaxRegister: 2, MaxRequest: 1,
	},
	"order": {
		N: 2, Clients: 3, Capacity: 2, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 4, MaxRegister: 1, MaxRequest: 1,
	},
	"slots": {
		N: 2, Clients: 2, Capacity: 2, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 3, MaxRegister: 1, MaxRequest: 1, MaxRestart: 1, Logouts: true,
	},
	"restart": {
		N: 2, Clients: 2, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 4, MaxRegister: 1, MaxRequest: 1, MaxRestart: 1,
	},
	"ring": {
		N: 2, Clients: 1, Capacity: 1, Ring: 2, Window: 2, Shape: sessions.Numbered,
		MaxOp: 4, MaxRegister: 1, MaxRequest: 2, MaxRestart: 1,
	},
	"window": {
		N: 2, Clients: 1, Capacity: 1, Ring: 2, Window: 2, Shape: sessions.Numbered,
		MaxOp: 5, MaxRegister: 2, MaxRequest: 3,
	},
	"misuse": {
		N: 2, Clients: 1, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 5, MaxRegister: 1, MaxRequest: 2, Misuse: true,
	},
	"owner": {
		N: 2, Clients: 1, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 4, MaxRegister: 2, MaxRequest: 1, Logouts: true, Intruders: true,
	},
	"resize": {
		N: 2, Clients: 2, Capacity: 2, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 4, MaxRegister: 1, MaxRequest: 1, MaxCapacity: 1,
	},
	"resize-restart": {
		N: 2, Clients: 2, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 3, MaxRegister: 1, MaxRequest: 1, MaxCapacity: 2, MaxRestart: 1,
	},
	"transfer": {
		N: 2, Clients: 2, Capacity: 2, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 3, MaxRegister: 1, MaxRequest: 1, MaxRestart: 1, Logouts: true, Transfers: true,
	},
	"upstream": {
		N: 2, Clients: 1, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Upstream,
		MaxOp: 4, MaxRegister: 2, MaxRequest: 2, Logouts: true,
	},
}

// small is a bound whose graph is walked state by state.
var small = config{
	N: 2, Clients: 1, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Numbered,
	MaxOp: 3, MaxRegister: 2, MaxRequest: 1, MaxRestart: 1, Logouts: true,
}

// eviction and foreign are small bounds for what small leaves out.
var (
	eviction = config{
		N: 1, Clients: 2, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 3, MaxRegister: 2, MaxRequest: 1,
	}
	foreign = config{
		N: 1, Clients: 1, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Numbered,
		MaxOp: 4, MaxRegister: 2, MaxRequest: 1, Misuse: true,
	}
)

func at(bound string, bugs ...sessions.Bug) config {
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
		"order":    {85286, 375252, 24},
		"slots":    {36644, 143080, 21},
		"restart":  {128800, 506754, 25},
		"ring":     {13865, 47659, 22},
		"misuse":   {84137, 407091, 24},
		"resize":   {38748, 150772, 22},
		"transfer": {36644, 152264, 21},
		"upstream": {20769, 53533, 23},
	} {
		t.Run("sessions-"+bound, func(t *testing.T) {
			t.Parallel()
			m := sessions.Model(at(bound))
			if bound == "upstream" {
				m.Always = slices.DeleteFunc(m.Always, func(p explore.Property[state]) bool {
					return p.Name == "OnlyEviction"
				})
			}
			result := check(t, m)
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
	caught := map[sessions.Bug]bool{}
	for _, tc := range []struct {
		bug      sessions.Bug
		bound    string
		property string
		states   int
	}{
		{sessions.DedupOnlyInMemory, "", "AtMostOnce", 12},
		{sessions.TableNotInCheckpoint, "", "OverTrue", 8},
		{sessions.SnapshotLosesSlots, "slots", "TablesEqual", 13},
		{sessions.SnapshotLosesRing, "ring", "TablesEqual", 13},
		{sessions.EvictionOrderByLocalTime, "order", "TablesEqual", 13},
		{sessions.CapacityOfOwnConfig, "order", "TablesEqual", 13},
		{sessions.SessionFromCounterNotOp, "evict", "DeadStaysDead", 13},
		{sessions.OldRegisterAccepted, "", "OnlyEviction", 8},
		{sessions.RegisterNotIdempotent, "", "OnlyEviction", 7},
		{sessions.LogoutReplayed, "", "OnlyEviction", 12},
		{sessions.RequestOfOldSessionExecutes, "", "RefusedNever", 12},
		{sessions.RequestWithoutSessionExecutes, "evict", "DeadStaysDead", 11},
		{sessions.DuplicateInPipeline, "", "AtMostOnce", 10},
		{sessions.DuplicateInPipeline, "misuse", "NumberOnce", 10},
		{sessions.RingTooSmallReexecutes, "", "AtMostOnce", 14},
		{sessions.GapsAllowed, "window", "GoneIsForeign", 9},
		{sessions.GoneIsSuccess, "misuse", "PositiveExecuted", 13},
		{sessions.WindowCountsOpen, "window", "GoneIsForeign", 15},
		{sessions.ReplyCachedBeforeCommit, "", "PositiveExecuted", 7},
		{sessions.PreflightOnStalePrimary, "", "OverTrue", 6},
		{sessions.RefusalWhileInFlight, "", "RefusedNever", 9},
		{sessions.OverIsRefusal, "evict", "RefusedNever", 12},
		{sessions.BirthIgnored, "evict", "RefusedNever", 15},
		{sessions.ChecksumIgnored, "misuse", "ReplyRight", 9},
		{sessions.ReplyWithoutChecksum, "misuse", "PositiveExecuted", 10},
		{sessions.ReplyMatchedByNumber, "", "PositiveExecuted", 19},
		{sessions.ClientSkipsNumber, "", "NoStuck", 7},
		{sessions.DeadSessionUnanswered, "evict", "NoStuck", 9},
		{sessions.OwnerInPreflightOnly, "owner", "OwnerOnly", 7},
		{sessions.SessionToldToAnyone, "owner", "OwnerOnly", 5},
		{sessions.CapacityNotInCheckpoint, "resize-restart", "CapacityAgreed", 6},
		{sessions.TransferPacksSlots, "transfer", "TablesEqual", 13},
		{sessions.NumbersStartAgain, "upstream", "PositiveExecuted", 14},
	} {
		caught[tc.bug] = true
		t.Run(string(tc.bug)+" breaks "+tc.property, func(t *testing.T) {
			t.Parallel()
			m := sessions.Model(at(tc.bound, tc.bug))
			m.Always = exploretest.Pick(t, m, tc.property)
			v := check(t, m).Violation
			require.NotNil(t, v, "the mutant survived")
			assert.Len(t, v.Path, tc.states)
			assert.NotEmpty(t, v.Reason)
			require.Error(t, m.Always[0].Check(v.Path[len(v.Path)-1].State))
		})
	}
	assert.Len(t, caught, len(sessions.Bugs()))
}

// Gaps and "gone is success" together lie to an honest client: that is why numbers have
// no gaps, or "gone" says nothing.
func TestGapsWithGoneAsSuccessLie(t *testing.T) {
	t.Parallel()
	m := sessions.Model(at("window", sessions.GapsAllowed, sessions.GoneIsSuccess))
	m.Always = exploretest.Pick(t, m, "PositiveExecuted")
	v := check(t, m).Violation
	require.NotNil(t, v)
	assert.Len(t, v.Path, 10)
}

// What upstream's clients do without: a number in Register, and requests without gaps.
func TestUpstreamsShapeHasAWeakerGuarantee(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change   func(c *config)
		property string
		states   int
	}{
		"a late Register ends the session in use": {
			change: func(*config) {}, property: "OnlyEviction", states: 7,
		},
		"a request that its successor overtakes is gone": {
			change: func(c *config) {
				c.Ring, c.Window, c.MaxRegister, c.Logouts = 2, 2, 1, false
			},
			property: "GoneIsForeign", states: 9,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := at("upstream")
			tc.change(&c)
			m := sessions.Model(c)
			m.Always = exploretest.Pick(t, m, tc.property)
			v := check(t, m).Violation
			require.NotNil(t, v)
			assert.Len(t, v.Path, tc.states)
		})
	}
}

// An operator makes the table smaller: the newest row stays and moves to the first slot.
func TestResizeKeepsTheNewestRows(t *testing.T) {
	t.Parallel()
	m := sessions.Model(at("resize"))
	s := exploretest.Walk(t, m, "Register(1)", "Register(2)", "ProposeCapacity(1)",
		"CommitMessage(RegisterMessage(1,1,1))", "CommitMessage(RegisterMessage(2,1,1))",
		"CommitMessage(ResizeMessage(1))", "Execute(0,0)", "Execute(0,0)", "Execute(0,0)")
	assert.Equal(t, uint8(1), s.Table[0].Slots)
	assert.Equal(t, uint8(2), s.Table[0].Rows[0].Client)
	assert.Contains(t, string(m.Canonical(nil, s)), `"ended":{[1:1,2:1,3:3,4:"evicted"]}`)
}

// TigerBeetle's commit 1955acc45: a client's session has ended, nobody tells it, and it
// waits for ever.
func TestADeadSessionWithoutAnswerIsAStory(t *testing.T) {
	t.Parallel()
	m := sessions.Model(at("evict", sessions.DeadSessionUnanswered))
	m.Always = exploretest.Pick(t, m, "NoStuck")
	v := check(t, m).Violation
	require.NotNil(t, v)
	var names []string
	for _, step := range v.Path[1:] {
		names = append(names, step.Action.Name())
	}
	assert.ElementsMatch(t, []string{
		"Register", "Register", "CommitMessage", "CommitMessage", "Execute", "TakeSession",
		"Execute", "SendRequest",
	}, names)
	assert.Contains(t, v.Reason, "waits for ever")
}

func TestEveryStepHasItsCallAndItsLabel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]config{
		"one client": small,
		"another capacity at each replica": {
			N: 2, Clients: 2, Capacity: 1, Ring: 1, Window: 1, Shape: sessions.Numbered,
			MaxOp: 3, MaxRegister: 1, MaxRequest: 1, MaxCapacity: 1, Bugs: []sessions.Bug{
				sessions.CapacityOfOwnConfig, sessions.EvictionOrderByLocalTime,
			},
		},
		"misuse": foreign,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			labels, operators := map[string]bool{}, map[string]bool{}
			for _, call := range sessions.ActionCalls(c) {
				assert.False(t, labels[call.Label], "label %s occurs twice", call.Label)
				assert.False(t, operators[call.Operator], "operator %s occurs twice", call.Operator)
				labels[call.Label], operators[call.Operator] = true, true
			}
			m := sessions.Model(c)
			steps := 0
			exploretest.Each(m, func(s state) {
				m.Next(s, func(a action, _ state) {
					steps++
					require.True(t, labels[a.String()], "step %s is not listed", a)
				})
			})
			assert.Greater(t, steps, 100)
		})
	}
	assert.Contains(t, sessions.ActionCalls(small), sessions.ActionCall{
		Operator: "TakeAnswer_1_0_1_Request_1_2_1_1",
		Call:     "TakeAnswer(1,0,1,RequestMessage(1,2,1,1))",
		Label:    "TakeAnswer(1,0,1,RequestMessage(1,2,1,1))",
	})
	assert.Contains(t, sessions.ActionCalls(small), sessions.ActionCall{
		Operator: "CheckpointTable_", Call: "CheckpointTable", Label: "CheckpointTable",
	})
}

func TestEveryActionIsTaken(t *testing.T) {
	t.Parallel()
	taken := map[string]int{}
	for _, c := range []config{small, eviction, foreign, at("owner"), at("transfer"), at("resize")} {
		for name, n := range check(t, sessions.Model(c)).Actions {
			taken[name] += n
		}
	}
	for _, kind := range sessions.ActionKinds() {
		assert.Positive(t, taken[kind.String()], kind)
	}
}

func TestKeyAndCanonicalTextTellTheSameStatesApart(t *testing.T) {
	t.Parallel()
	c := small
	c.Bugs = []sessions.Bug{sessions.CapacityOfOwnConfig, sessions.LogoutReplayed}
	m := sessions.Model(c)
	texts, keys := map[string]bool{}, map[string]bool{}
	exploretest.Each(m, func(s state) {
		key, text := string(m.Key(nil, s)), string(m.Canonical(nil, s))
		require.False(t, texts[text], "one text, two states: %s", text)
		require.False(t, keys[key])
		texts[text], keys[key] = true, true
	})
	assert.Greater(t, len(texts), 1000)
}

func TestCanonicalTextIsThatOfAppendixB(t *testing.T) {
	t.Parallel()
	m := sessions.Model(small)
	s := exploretest.Walk(t, m, "Register(1)", "CommitMessage(RegisterMessage(1,1,1))", "Execute(0,0)",
		"CheckpointTable", "TakeSession(1,0,FALSE)", "SendRequest(1)",
		"CommitMessage(RequestMessage(1,1,1,1))", "Execute(0,0)",
		"TakeAnswer(1,0,1,RequestMessage(1,1,1,1))")
	request := `["client":1,"kind":"request","number":1,"payload":1,"session":1]`
	register := `["client":1,"kind":"register","registration":1,"user":1]`
	assert.Equal(t, `["checkpoint":["op":1,"table":[1:["born":1,"bound_watermark":0,"client":1,`+
		`"newest":1,"owner":1,"registration":1,"replies":[],"session":1,"watermark":0]]],`+
		`"client":[1:["born":1,"number":1,"open":{},"payload":1,"phase":"on","registration":1,`+
		`"session":1]],"commit_min":[0:2,1:0],"confirmed":{[1:1,2:1,3:2]},"ended":{},`+
		`"executed":{2},"log":[1:`+register+`,2:`+request+`],"refused":{},"restarts":0,`+
		`"sent":{`+register+`,`+request+`},"table":[0:[1:["born":1,"bound_watermark":0,`+
		`"client":1,"newest":2,"owner":1,"registration":1,"replies":[1:["number":1,"op":2,"payload":1,`+
		`"session":1]],"session":1,"watermark":1]],1:[1:["client":0]]]]`,
		string(m.Canonical(nil, s)))
	lines := strings.Join(m.Format(s), "\n")
	assert.Contains(t, lines, "r0 = commit_min=2 1 slots 1:[client 1 owner 1 session 1 "+
		"registration 1 born 1 watermark 0/1 newest 2 replies {1.1=payload 1 at op 2}]")
	assert.Contains(t, lines, "r1 = commit_min=0 1 empty slots")
	assert.Contains(t, lines, "client 1 = on session=1 born=1 registration=1 number=1 payload=1")
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	with := func(change func(c *config)) config {
		c := small
		change(&c)
		return c
	}
	for name, tc := range map[string]struct {
		config config
		want   string // Empty: valid.
	}{
		"a bound of the cfgs": {config: small},
		"no replica":          {with(func(c *config) { c.N = 0 }), "N is 0, expected 1 to 3"},
		"a window beyond the ring": {
			with(func(c *config) { c.Window = 2 }), "Window is 2, expected 1 to 1",
		},
		"a log that is too long": {
			with(func(c *config) { c.MaxOp = 7 }), "MaxOp is 7, expected 0 to 6",
		},
		"an unknown mutant": {
			with(func(c *config) { c.Bugs = []sessions.Bug{"typo"} }),
			`unknown bug "typo", expected one of [dedup_only_`,
		},
		"no shape": {
			with(func(c *config) { c.Shape = 0 }), "Shape is 0, expected 1 to 2",
		},
		"too many messages": {
			with(func(c *config) { c.Clients, c.MaxOp, c.MaxRequest = 3, 6, 4 }),
			"clients could send 204 different messages at these bounds, expected at most 128",
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
			assert.Panics(t, func() { sessions.Model(tc.config) })
			assert.Panics(t, func() { sessions.ActionCalls(tc.config) })
		})
	}
	assert.Equal(t, "ActionKind(99)", sessions.ActionKind(99).String())
	_, err := sessions.ParseShape("ring")
	assert.EqualError(t, err, `shape "ring": expected "numbered" or "upstream"`)
}
