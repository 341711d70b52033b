package storage_test

import (
	"context"
	"strings"
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

// small is the bound of spec/cfg/partition-*.cfg.
func small(bugs ...storage.Bug) storage.Config {
	return storage.Config{N: 3, MaxOp: 2, MaxCrash: 1, Bugs: bugs}
}

// Figures of TLC for spec/PartitionLog.tla at the bound of small.
const (
	smallStates    = 4_095
	smallDepth     = 18
	smallGenerated = 20_788 // Initial state included.
	smallEdges     = 20_787 // No action has two witnesses with one label.
)

func TestPartitionLogIsAsLargeAsTLCSays(t *testing.T) {
	t.Parallel()
	model := storage.PartitionLog(small())
	result, err := explore.Check(context.Background(), model, explore.Options{})
	require.NoError(t, err)
	assert.Nil(t, result.Violation)
	assert.True(t, result.Complete)
	assert.Equal(t, smallStates, result.Distinct)
	assert.Equal(t, smallDepth, result.Depth)
	assert.Equal(t, smallGenerated-1, result.Transitions)
	assert.Empty(t, result.Unreached(), "goals that no state reached")
	for _, kind := range storage.PartitionActionKinds() {
		assert.Positive(t, result.Actions[kind.String()], "%s is never taken", kind)
	}
}

func TestPartitionLogHoldsAtOtherBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]storage.Config{
		"one replica, two crashes":        {N: 1, MaxOp: 3, MaxCrash: 2},
		"two replicas, two crashes":       {N: 2, MaxOp: 3, MaxCrash: 2},
		"three replicas and two crashes":  {N: 3, MaxOp: 1, MaxCrash: 2},
		"five replicas":                   {N: 5, MaxOp: 1, MaxCrash: 1},
		"nothing is prepared":             {N: 3, MaxOp: 0, MaxCrash: 2},
		"a cluster that does not crash":   {N: 3, MaxOp: 2, MaxCrash: 0},
		"four replicas, quorums of three": {N: 4, MaxOp: 1, MaxCrash: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := explore.Check(context.Background(), storage.PartitionLog(c), explore.Options{})
			require.NoError(t, err)
			assert.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Empty(t, result.Unreached(), "goals that no state reached")
		})
	}
}

// Every invariant has a mutant that breaks it, TypeOK excepted; lengths count
// states and are TLC's with one worker.
func TestEachMutantIsCaught(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		bug      storage.Bug
		only     string // The one invariant that is checked; all if empty.
		property string
		states   int
	}{
		"cutting to the frontier loses what was written": {
			bug: storage.TruncateToFrontier, property: "KillSafe", states: 7,
		},
		"a torn record is served": {
			bug: storage.AdoptTorn, property: "NoTorn", states: 4,
		},
		"a shorter log wins and loses what was written": {
			bug: storage.FirstNotLongest, property: "KillSafe", states: 7,
		},
		"... and what was published": {
			bug: storage.FirstNotLongest, only: "SyncSafe", property: "SyncSafe", states: 9,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := storage.PartitionLog(small(tc.bug))
			if tc.only != "" {
				m.Always = pick(t, m, tc.only)
			}
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			require.NotNil(t, result.Violation, "the mutant survived")
			assert.Equal(t, tc.property, result.Violation.Property)
			assert.NotEmpty(t, result.Violation.Reason)
			assert.Len(t, result.Violation.Path, tc.states)
		})
	}
}

// Seed 003 in the words of the model: both halves of a quorum have written the
// prepare, nobody has published it, and SIGKILL takes it.
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
		"AppendPrepare", "Replicate", "WriteLog", "WriteLog", "KillAll", "ElectPrimary",
	}, names)
	assert.NotContains(t, names, "PublishFrontier")
}

// The bound is adequate: whatever mutant is switched on, the graph changes.
func TestEachMutantChangesTheGraph(t *testing.T) {
	t.Parallel()
	digests := map[string]storage.Bug{graph(t, small()).Digest(): "none"}
	for _, bug := range storage.Bugs() {
		g := graph(t, small(bug))
		require.NoError(t, g.Validate())
		other, dup := digests[g.Digest()]
		require.False(t, dup, "graph of %s equals that of %s", bug, other)
		digests[g.Digest()] = bug
	}
}

// smallDigest is the digest of the graph that TLC wrote for PartitionLog.tla.
const smallDigest = "bae53dba5fbdb89edeeaa2734ab8742bcf8d9ce89d252995046d76a32fbe063a"

func TestPartitionLogHasTheGraphOfTheModule(t *testing.T) {
	t.Parallel()
	g := graph(t, small())
	require.NoError(t, g.Validate())
	states, edges, _ := g.Counts()
	assert.Equal(t, smallStates, states)
	assert.Equal(t, smallEdges, edges)
	assert.Equal(t, smallDigest, g.Digest())
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
		"acknowledged, never made":    func(s *state) { s.Acknowledged = 2 },
		"promised, not acknowledged":  func(s *state) { s.Operations, s.OSQuorum = 1, 2 },
		"more operations than MaxOp":  func(s *state) { s.Operations = 3 },
		"more crashes than MaxCrash":  func(s *state) { s.Crashes = 2 },
		"a primary outside the group": func(s *state) { s.Primary = 4 },
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
	calls := storage.PartitionLogActions(small())
	assert.Len(t, calls, 1+3*3+1+27*8+9)
	labels, operators := map[string]bool{}, map[string]bool{}
	for _, call := range calls {
		assert.False(t, labels[call.Label], "label %s occurs twice", call.Label)
		assert.False(t, operators[call.Operator], "operator %s occurs twice", call.Operator)
		labels[call.Label], operators[call.Operator] = true, true
	}
	assert.Contains(t, calls, storage.ActionCall{
		Operator: "PowerLoss_102_02",
		Call:     `PowerLoss([r \in Replicas |-> <<1, 0, 2>>[r + 1]], {0,2})`,
		Label:    "PowerLoss([0:1,1:0,2:2],{0,2})",
	})
	assert.Contains(t, calls, storage.ActionCall{
		Operator: "ElectPrimary_01_1", Call: "ElectPrimary({0,1}, 1)", Label: "ElectPrimary({0,1},1)",
	})
	torn := 0
	for _, e := range edges(storage.PartitionLog(small())) {
		require.True(t, labels[e.String()], "step %s is not listed", e)
		if e.Kind == storage.PowerLoss && e.Members != 0 {
			torn++
		}
	}
	assert.Positive(t, torn, "no power loss ever tore a record")
}

func TestKeyAndCanonicalTextTellTheSameStatesApart(t *testing.T) {
	t.Parallel()
	m := storage.PartitionLog(small(storage.AdoptTorn, storage.FirstNotLongest))
	texts := map[string]string{}
	keys := map[string]bool{}
	eachState(m, func(s state) {
		key, text := string(m.Key(nil, s)), string(m.Canonical(nil, s))
		require.Empty(t, texts[text], "one text, two states: %s", text)
		texts[text] = key
		require.False(t, keys[key])
		keys[key] = true
	})
	assert.Greater(t, len(texts), smallStates)
}

func TestCanonicalTextIsThatOfAppendixB(t *testing.T) {
	t.Parallel()
	m := storage.PartitionLog(small())
	s := m.Init()[0]
	m.Next(s, func(a action, next state) {
		if a.Name() == "AppendPrepare" {
			s = next
		}
	})
	assert.Equal(t, `["acknowledged":{},"crashes":0,"log":[0:[1:1],1:[],2:[]],"operations":1,`+
		`"os_quorum":{},"primary":0,"published":[0:0,1:0,2:0],"synced_quorum":{},`+
		`"torn":[0:F,1:F,2:F],"written":[0:0,1:0,2:0]]`, string(m.Canonical(nil, s)))
	assert.Equal(t, "r0 = log [1] written=0 published=0", m.Format(s)[0])
	s.Torn = 1
	assert.Equal(t, "r0 = log [1] written=0 published=0 torn", m.Format(s)[0])
	assert.Contains(t, string(m.Canonical(nil, s)), `"torn":[0:T,1:F,2:F]`)
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
		"an unknown mutant":     {small("typo"), `unknown bug "typo", expected one of [truncate_to_`},
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
	assert.True(t, strings.HasPrefix(storage.PartitionActionKind(99).String(), "PartitionActionKind("))
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
