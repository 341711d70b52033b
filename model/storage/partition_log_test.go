package storage_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/storage"
)

type (
	state  = storage.PartitionState
	action = storage.PartitionAction
	model  = explore.Model[state, action]
)

// both are a group of each policy, which share the WALs.
func both() []storage.Policy { return []storage.Policy{storage.Persisted, storage.Replicated} }

// small is the bound of spec/cfg/partition-clean.cfg: three replicas, one prepare.
func small(bugs ...storage.Bug) storage.Config {
	return storage.Config{N: 3, MaxOp: 1, MaxCrash: 1, Policies: both(), Bugs: bugs}
}

// pair is the bound of spec/cfg/partition-pair.cfg: two replicas, two prepares.
func pair(bugs ...storage.Bug) storage.Config {
	return storage.Config{N: 2, MaxOp: 2, MaxCrash: 1, Policies: both(), Bugs: bugs}
}

// twice is the bound of spec/cfg/partition-twice.cfg.
func twice(bugs ...storage.Bug) storage.Config {
	c := small(bugs...)
	c.MaxCrash = 2
	return c
}

// Figures of TLC for spec/PartitionLog.tla, and the digests of the graphs that it wrote.
func TestPartitionLogHasTheGraphOfTheModule(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config               storage.Config
		states, edges, depth int
		digest               string
	}{
		"partition-clean": {
			small(), 3_587, 14_368, 13,
			"0a3ac672bd59d51bdfc2a9953ef872c3dc596fad433afb5d44f0a1e1f11e37ca",
		},
		"partition-pair": {
			pair(), 5_785, 12_933, 14,
			"6b06eda237010e11071e8c494cd0c0993e6f248ad65b2d3b1a1cc3b3fb1b6124",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := explore.Check(context.Background(), storage.PartitionLog(tc.config),
				explore.Options{})
			require.NoError(t, err)
			assert.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Equal(t, tc.states, result.Distinct)
			assert.Equal(t, tc.depth, result.Depth)
			assert.Empty(t, result.Unreached(), "goals that no state reached")
			for _, kind := range storage.PartitionActionKinds() {
				assert.Positive(t, result.Actions[kind.String()], "%s is never taken", kind)
			}
			g := graph(t, tc.config)
			require.NoError(t, g.Validate())
			states, edges, _ := g.Counts()
			assert.Equal(t, tc.states, states)
			assert.Equal(t, tc.edges, edges)
			assert.Equal(t, tc.digest, g.Digest())
		})
	}
}

func TestPartitionLogHoldsAtOtherBounds(t *testing.T) {
	t.Parallel()
	persisted, replicated := both()[:1], both()[1:]
	for name, c := range map[string]storage.Config{
		"one replica, two crashes":       {N: 1, MaxOp: 3, MaxCrash: 2, Policies: both()},
		"two replicas, two crashes":      {N: 2, MaxOp: 2, MaxCrash: 2, Policies: both()},
		"three replicas and two crashes": twice(),
		"one group, persisted":           {N: 3, MaxOp: 2, MaxCrash: 1, Policies: persisted},
		"one group, replicated":          {N: 3, MaxOp: 2, MaxCrash: 1, Policies: replicated},
		"three crashes, persisted":       {N: 3, MaxOp: 1, MaxCrash: 3, Policies: persisted},
		"four replicas, quorums of three": {
			N: 4, MaxOp: 1, MaxCrash: 1, Policies: replicated,
		},
		"nothing is prepared":           {N: 3, MaxOp: 0, MaxCrash: 2, Policies: both()},
		"a cluster that does not crash": {N: 3, MaxOp: 2, MaxCrash: 0, Policies: both()},
		"no group":                      {N: 3, MaxOp: 1, MaxCrash: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := explore.Check(context.Background(), storage.PartitionLog(c),
				explore.Options{})
			require.NoError(t, err)
			assert.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Empty(t, result.Unreached(), "goals that no state reached")
		})
	}
}

// Every invariant has a mutant that breaks it, TypeOK excepted, at the bounds of the
// mutant's cfg; lengths count states and are TLC's with one worker.
func TestEachMutantIsCaught(t *testing.T) {
	t.Parallel()
	caught := map[storage.Bug]bool{}
	for name, tc := range map[string]struct {
		config   storage.Config
		property string
		states   int
	}{
		"cutting to the frontier loses what was written": {
			small(storage.TruncateToFrontier), "KillSafe", 8,
		},
		"a record that fails to verify stays": {small(storage.AdoptTorn), "NoTorn", 5},
		"... and at the next boot it takes what another group synced behind it": {
			twice(storage.AdoptTorn), "SyncSafe", 9,
		},
		"what lies behind an unreadable record has a gap before it": {
			pair(storage.AdoptPastHole), "NoGap", 7,
		},
		"a shorter log wins and loses what was written": {
			small(storage.FirstNotLongest), "KillSafe", 7,
		},
		"... and what was synced":     {small(storage.FirstNotLongest), "SyncSafe", 9},
		"one survivor elects itself":  {small(storage.OneSurvivorIsEnough), "KillSafe", 7},
		"a vote after a power loss":   {small(storage.NackAfterRestart), "DoubtSafe", 8},
		"a promise about memory":      {small(storage.AcknowledgedInMemory), "KillSafe", 6},
		"a cut that truncates a file": {small(storage.CutTakesOtherGroups), "SyncSafe", 6},
		"a batch whose first record needs no flush": {
			pair(storage.PolicyOfFirstRecord), "SyncSafe", 12,
		},
		"a flush of some records leaves a hole before the others": {
			pair(storage.FlushSkipsReplicated), "SyncSafe", 14,
		},
	} {
		caught[tc.config.Bugs[0]] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := storage.PartitionLog(tc.config)
			m.Always = pick(t, m, tc.property)
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			require.NotNil(t, result.Violation, "the mutant survived")
			assert.NotEmpty(t, result.Violation.Reason)
			assert.Len(t, result.Violation.Path, tc.states)
		})
	}
	for _, bug := range storage.Bugs() {
		assert.True(t, caught[bug], "%s has no row", bug)
	}
}

// Seed 003 in the words of the model: both halves of a quorum have written the prepare,
// nobody has published it, and SIGKILL takes it.
func TestSeed003IsTheCounterexampleOfTruncateToFrontier(t *testing.T) {
	t.Parallel()
	result, err := explore.Check(context.Background(),
		storage.PartitionLog(small(storage.TruncateToFrontier)), explore.Options{})
	require.NoError(t, err)
	require.NotNil(t, result.Violation)
	var names []string
	for _, step := range result.Violation.Path[1:] {
		names = append(names, step.Action.Name())
	}
	assert.ElementsMatch(t, []string{
		"AppendPrepare", "Replicate", "WriteLog", "WriteLog", "Kill", "Restart", "ElectPrimary",
	}, names)
	assert.NotContains(t, names, "PublishFrontier")
}

// The bounds are adequate: whatever mutant is switched on, one of the graphs changes.
func TestEachMutantChangesAGraph(t *testing.T) {
	t.Parallel()
	digests := map[string]storage.Bug{
		graph(t, small()).Digest() + graph(t, pair()).Digest(): "none",
	}
	for _, bug := range storage.Bugs() {
		digest := graph(t, small(bug)).Digest() + graph(t, pair(bug)).Digest()
		other, dup := digests[digest]
		require.False(t, dup, "graphs of %s equal those of %s", bug, other)
		digests[digest] = bug
	}
}

func TestTypeOKRefusesMalformedStates(t *testing.T) {
	t.Parallel()
	m := storage.PartitionLog(small())
	typeOK := pick(t, m, "TypeOK")[0].Check
	require.NoError(t, typeOK(m.Init()[0]))
	for name, spoil := range map[string]func(s *state){
		"published beyond written":    func(s *state) { s.Published[1] = 1 },
		"written beyond the log":      func(s *state) { s.Written[1] = 1 },
		"a prepare nobody made":       func(s *state) { s.Log[2].Len, s.Log[2].Prepares[0] = 1, 1 },
		"acknowledged, never made":    func(s *state) { s.PrepareOKs[1] = 2 },
		"excused, never made":         func(s *state) { s.Excused = 1 },
		"a prepare of no group":       func(s *state) { s.Operations = 1 },
		"made on itself":              func(s *state) { s.Operations, s.Made[0].Parent = 1, 1 },
		"more operations than MaxOp":  func(s *state) { s.Operations = 2 },
		"more crashes than MaxCrash":  func(s *state) { s.Crashes = 2 },
		"a primary outside the group": func(s *state) { s.Primary[0] = 4 },
		"a primary that is down":      func(s *state) { s.Up = 6 },
		"a replica that is none":      func(s *state) { s.InDoubt = 8 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := m.Init()[0]
			spoil(&s)
			assert.Error(t, typeOK(s))
		})
	}
}

func TestEveryStepHasItsCallAndItsLabel(t *testing.T) {
	t.Parallel()
	for _, c := range []storage.Config{small(), pair(), pair(storage.FlushSkipsReplicated)} {
		labels, operators := map[string]bool{}, map[string]bool{}
		for _, call := range storage.PartitionLogActions(c) {
			assert.False(t, labels[call.Label], "label %s occurs twice", call.Label)
			assert.False(t, operators[call.Operator], "operator %s occurs twice", call.Operator)
			labels[call.Label], operators[call.Operator] = true, true
		}
		torn := 0
		for _, e := range edges(storage.PartitionLog(c)) {
			require.True(t, labels[e.String()], "step %s is not listed", e)
			if e.Torn != 0 {
				torn++
			}
		}
		assert.Positive(t, torn, "no power loss ever tore a record")
	}
	calls := storage.PartitionLogActions(small())
	for _, want := range []storage.ActionCall{
		{
			Operator: "AppendPrepare_persisted", Call: `AppendPrepare("persisted")`,
			Label: `AppendPrepare("persisted")`,
		},
		{
			Operator: "Replicate_replicated_1", Call: `Replicate("replicated", 1)`,
			Label: `Replicate("replicated",1)`,
		},
		{Operator: "Restart_", Call: "Restart", Label: "Restart"},
		{Operator: "Kill_02", Call: "Kill({0,2})", Label: "Kill({0,2})"},
		{
			Operator: "PowerLoss_02_10_2",
			Call:     `PowerLoss({0,2}, [r \in {0,2} |-> <<1, 0, 0, 0, 0>>[r + 1]], {2})`,
			Label:    "PowerLoss({0,2},[0:1,2:0],{2})",
		},
		{
			Operator: "ElectPrimary_persisted_01_1", Call: `ElectPrimary("persisted", {0,1}, 1)`,
			Label: `ElectPrimary("persisted",{0,1},1)`,
		},
	} {
		assert.Contains(t, calls, want)
	}
}

func TestKeyAndCanonicalTextTellTheSameStatesApart(t *testing.T) {
	t.Parallel()
	m := storage.PartitionLog(pair(storage.AdoptTorn, storage.FirstNotLongest))
	texts, keys := map[string]bool{}, map[string]bool{}
	eachState(m, func(s state) {
		key, text := string(m.Key(nil, s)), string(m.Canonical(nil, s))
		require.False(t, texts[text], "one text, two states: %s", text)
		require.False(t, keys[key], "one key, two states: %s", text)
		texts[text], keys[key] = true, true
	})
	assert.Greater(t, len(texts), 5_000)
}

func TestCanonicalTextIsThatOfAppendixB(t *testing.T) {
	t.Parallel()
	m := storage.PartitionLog(pair())
	s := m.Init()[0]
	for _, label := range []string{
		`AppendPrepare("persisted")`, `AppendPrepare("replicated")`, `Replicate("replicated",1)`,
		"WriteLog(1)", "WriteLog(0)", "WriteLog(0)", "PublishFrontier(0)",
	} {
		s = step(t, m, s, label)
	}
	assert.Equal(t, `["crashes":0,"excused":0,"in_doubt":{},"log":[0:[1:1,2:2],1:[1:2]],`+
		`"log_view":[0:["persisted":0,"replicated":0],1:["persisted":0,"replicated":0]],`+
		`"made":[1:["group":"persisted","parent":0],2:["group":"replicated","parent":0]],`+
		`"power_failed":F,"prepare_oks":[0:{1,2},1:{2}],"primary":["persisted":0,"replicated":0],`+
		`"published":[0:2,1:0],"up":{0,1},"written":[0:2,1:1]]`, string(m.Canonical(nil, s)))
	s = step(t, m, s, "PowerLoss({0,1},[0:2,1:0],{1})")
	lines := m.Format(s)
	assert.Equal(t, "r0 = log [p1 r2] written=2 published=2 down in doubt", lines[0])
	assert.Equal(t, "r1 = log [torn] written=1 published=0 down in doubt", lines[1])
	assert.Equal(t, "primary of replicated = none", lines[3])
	assert.Equal(t, "acknowledged = {r2}", lines[4])
	assert.Equal(t, "crashes = 1 power failed replicated prepares up to 2 are not owed", lines[5])
}

func TestConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config storage.Config
		want   string // Empty: valid.
	}{
		"the bound of the cfgs": {config: small()},
		"no replica":            {storage.Config{N: 0, MaxOp: 1}, "N is 0, expected 1 to 5"},
		"too many prepares":     {storage.Config{N: 3, MaxOp: 9}, "MaxOp is 9, expected 0 to 8"},
		"too many crashes":      {storage.Config{N: 3, MaxCrash: -1}, "MaxCrash is -1, expected 0 to 9"},
		"a policy twice": {
			storage.Config{N: 3, Policies: []storage.Policy{2, 2}},
			"Policies are [replicated replicated], expected persisted or replicated or both",
		},
		"an unknown mutant": {small("typo"), `unknown bug "typo", expected one of [truncate_to_`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tc.config.Validate()
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
			assert.Panics(t, func() { storage.PartitionLog(tc.config) })
			assert.Panics(t, func() { storage.PartitionLogActions(tc.config) })
		})
	}
	assert.Equal(t, "PartitionActionKind(99)", storage.PartitionActionKind(99).String())
}

// pick returns the one invariant of m of that name.
func pick(t *testing.T, m model, name string) []explore.Property[state] {
	t.Helper()
	for _, p := range m.Always {
		if p.Name == name {
			return []explore.Property[state]{p}
		}
	}
	require.Fail(t, "no invariant "+name)
	return nil
}

// step takes the step of that label, which must exist.
func step(t *testing.T, m model, s state, label string) state {
	t.Helper()
	var labels []string
	next, found := s, false
	m.Next(s, func(a action, to state) {
		labels = append(labels, a.String())
		if a.String() == label {
			next, found = to, true
		}
	})
	require.True(t, found, "no step %s among %v", label, labels)
	return next
}

func graph(t *testing.T, c storage.Config) *explore.Graph {
	t.Helper()
	g, err := explore.GraphOf(context.Background(), storage.PartitionLog(c), 100_000)
	require.NoError(t, err)
	return g
}

// eachState visits every reachable state once, each after its predecessor.
func eachState(m model, visit func(state)) {
	queue := m.Init()
	seen := map[state]bool{queue[0]: true}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		visit(s)
		m.Next(s, func(_ action, next state) {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		})
	}
}

// edges returns the actions of all steps between reachable states.
func edges(m model) []action {
	var all []action
	eachState(m, func(s state) { m.Next(s, func(a action, _ state) { all = append(all, a) }) })
	return all
}
