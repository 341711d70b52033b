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
	journalState  = storage.JournalState
	journalAction = storage.JournalAction
	journalModel  = explore.Model[journalState, journalAction]
)

// journalCfg is the bound of spec/cfg/<name>.cfg.
func journalCfg(t *testing.T, name string, bugs ...storage.Bug) storage.JournalConfig {
	t.Helper()
	c := storage.JournalConfig{
		Policy: storage.Persisted, MaxOp: 1, MaxView: 1, MaxBatch: 3, Slots: 3, MaxAhead: 2,
		MaxRecords: 1, MaxCrash: 1, Bugs: bugs,
	}
	switch name {
	case "journal", "journal-replicated", "journal-twin":
		c.MaxOp, c.MaxRot, c.OtherGroups = 2, 1, true
		c.Twin = name == "journal-twin"
		if name == "journal-replicated" {
			c.Policy = storage.Replicated
		}
	case "journal-twice":
		c.MaxCrash, c.MaxRot = 2, 2
	case "journal-twin-twice":
		c.MaxCrash, c.MaxRot, c.Twin = 2, 1, true
	case "journal-views":
		c.MaxOp, c.MaxView, c.MaxBatch, c.Slots, c.MaxRecords, c.MaxRot = 2, 2, 2, 2, 2, 1
	case "journal-ring":
		c.MaxOp, c.MaxBatch, c.Checkpoints = 2, 5, true
	case "journal-reuse":
		c.MaxView, c.Checkpoints = 2, true
	case "journal-checkpoint":
		c.MaxBatch, c.Slots, c.MaxRot, c.MaxDamage, c.Checkpoints = 4, 4, 1, 1, true
	case "journal-checkpoint-twice":
		c.MaxBatch, c.MaxCrash, c.MaxRot, c.MaxDamage, c.Checkpoints = 4, 2, 1, 1, true
	case "journal-superblock", "journal-mirror":
		c.MaxOp, c.MaxView, c.MaxCrash, c.MaxDamage = 0, 2, 2, 1
		c.Mirror = name == "journal-mirror"
	case "journal-misdirect":
		c.MaxCrash, c.MaxRot, c.Misdirects = 2, 1, true
	case "journal-graph-mirror":
		c.MaxOp, c.MaxBatch, c.Slots, c.MaxCrash, c.MaxDamage, c.Mirror = 0, 2, 2, 2, 1, true
	case "journal-graph-twin":
		c.MaxBatch, c.Slots, c.MaxRot, c.Twin = 2, 2, 1, true
	case "journal-graph-ring":
		c.MaxBatch, c.Checkpoints = 4, true
	case "journal-graph-misdirect":
		c.MaxBatch, c.Slots, c.MaxRot, c.Misdirects = 2, 2, 1, true
	default:
		require.Fail(t, "no cfg "+name)
	}
	return c
}

// Figures of TLC for spec/Journal.tla.
func TestJournalIsAsLargeAsTLCSays(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		states, depth int
	}{
		{"journal", 70_438, 19},
		{"journal-replicated", 73_786, 19},
		{"journal-ring", 79_069, 34},
		{"journal-reuse", 103_571, 27},
		{"journal-checkpoint", 21_259, 27},
		{"journal-superblock", 15_857, 24},
		{"journal-mirror", 23_655, 28},
		{"journal-twin", 92_252, 19},
		{"journal-twin-twice", 49_017, 24},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := storage.Journal(journalCfg(t, tc.name))
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			assert.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Equal(t, tc.states, result.Distinct)
			assert.Equal(t, tc.depth, result.Depth)
			assert.Empty(t, result.Unreached(), "goals that no state reached")
		})
	}
}

// Each mutant breaks the invariant that its comment names, that one alone being
// checked; lengths count states and are TLC's with one worker.
func TestEachJournalMutantIsCaught(t *testing.T) {
	t.Parallel()
	caught := map[storage.Bug]bool{}
	for _, tc := range []struct {
		bug      storage.Bug
		cfg      string
		property string
		states   int
	}{
		{"ack_before_flush", "journal", "AckedSurvives", 5},
		{"ack_by_old_body", "journal-checkpoint-twice", "AckedSurvives", 18},
		{"view_sent_before_write", "journal", "ViewKept", 4},
		{"speak_before_boot_flush", "journal-twice", "AckedSurvives", 7},
		{"superblock_before_adoption", "journal", "CrashAlone", 5},
		{"log_view_without_headers", "journal", "LogNoShorter", 5},
		{"hollow_headers_only", "journal-views", "CrashAlone", 8},
		{"log_view_from_superblock", "journal", "LogNoShorter", 8},
		{"ignore_record_log_view", "journal", "LogNoLonger", 9},
		{"truncate_to_frontier", "journal-replicated", "AckedSurvives", 5},
		{"no_synced_through", "journal", "CrashAlone", 7},
		{"rot_is_end", "journal", "RotRead", 8},
		{"adopt_past_hole", "journal", "CrashAlone", 7},
		{"adopt_torn", "journal", "NoTorn", 3},
		{"stale_recycled", "journal-twice", "LogNoLonger", 11},
		{"misdirected_is_end", "journal-misdirect", "NackSafe", 7},
		{"nack_after_torn", "journal", "NackSafe", 7},
		{"nack_after_rot", "journal", "NackSafe", 9},
		{"nack_after_restart", "journal-replicated", "NackSafe", 5},
		{"cut_forgets_doubt", "journal-twice", "NackSafe", 10},
		{"snapshot_ahead_of_log", "journal-ring", "LogNoLonger", 8},
		{"pairing_before_snapshot", "journal-checkpoint", "CrashAlone", 8},
		{"release_before_pairing", "journal-checkpoint", "CkptWhole", 13},
		{"release_under_adoption", "journal-ring", "AckedSurvives", 17},
		{"release_drops_adoption", "journal-ring", "CrashAlone", 10},
		{"full_overwrites", "journal-ring", "RingWhole", 10},
		{"release_keeps_index", "journal-reuse", "AckedSurvives", 14},
		{"copies_left_unequal", "journal-mirror", "ViewKept", 14},
		{"same_slot_superblock", "journal-superblock", "CrashAlone", 5},
		{"superblock_unreadable_is_empty", "journal-superblock", "ViewKept", 7},
		{"superblock_any_valid", "journal-superblock", "ViewKept", 10},
	} {
		caught[tc.bug] = true
		t.Run(string(tc.bug), func(t *testing.T) {
			t.Parallel()
			m := storage.Journal(journalCfg(t, tc.cfg, tc.bug))
			m.Always = pickJournal(t, m, tc.property)
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			require.NotNil(t, result.Violation, "the mutant survived")
			assert.NotEmpty(t, result.Violation.Reason)
			assert.Len(t, result.Violation.Path, tc.states)
		})
	}
	for _, bug := range storage.JournalBugs() {
		assert.True(t, caught[bug], "%s has no row", bug)
	}
}

// Beyond the two crashes and one fault of the cfgs: the evidence of a misdirected write
// survives the second fault, whatever shape the WAL has.
func TestAMisdirectedWriteIsNoticedAtOtherBounds(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(c *storage.JournalConfig){
		"two faults":           func(c *storage.JournalConfig) { c.MaxRot = 2 },
		"two faults, twin":     func(c *storage.JournalConfig) { c.MaxRot, c.Twin = 2, true },
		"two ops":              func(c *storage.JournalConfig) { c.MaxOp = 2 },
		"a log under snapshot": func(c *storage.JournalConfig) { c.Checkpoints = true },
		"replicated":           func(c *storage.JournalConfig) { c.Policy = storage.Replicated },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := journalCfg(t, "journal-graph-misdirect")
			change(&c)
			result, err := explore.Check(context.Background(), storage.Journal(c), explore.Options{})
			require.NoError(t, err)
			assert.Nil(t, result.Violation)
			assert.Positive(t, result.Actions["Misdirect"])
		})
	}
}

func TestEveryJournalStepHasItsCallAndItsLabel(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"journal-graph-mirror", "journal-graph-twin", "journal-graph-ring", "journal-graph-misdirect",
	} {
		c := journalCfg(t, name)
		labels, operators := map[string]bool{}, map[string]bool{}
		for _, call := range storage.JournalActions(c) {
			assert.False(t, labels[call.Label], "label %s occurs twice", call.Label)
			assert.False(t, operators[call.Operator], "operator %s occurs twice", call.Operator)
			labels[call.Label], operators[call.Operator] = true, true
		}
		m := storage.Journal(c)
		eachJournalState(m, func(s journalState) {
			m.Next(s, func(a journalAction, _ journalState) {
				require.True(t, labels[a.String()], "step %s of %s is not listed", a, name)
			})
		})
	}
	calls := storage.JournalActions(journalCfg(t, "journal-ring"))
	for _, want := range []storage.ActionCall{
		{Operator: "Boot_", Call: "Boot", Label: "Boot"},
		{Operator: "Adopt_1_none", Call: "Adopt(1, <<>>)", Label: "Adopt(1,[])"},
		{Operator: "Adopt_1_02", Call: "Adopt(1, <<0, 2>>)", Label: "Adopt(1,[1:0,2:2])"},
		{Operator: "Kill_torn", Call: `Kill("torn")`, Label: `Kill("torn")`},
		{
			Operator: "PowerLoss_klt_F_2_T",
			Call:     `PowerLoss(<<"kept", "lost", "torn">>, FALSE, {2}, TRUE)`,
			Label:    `PowerLoss([1:"kept",2:"lost",3:"torn"],F,{2},T)`,
		},
	} {
		assert.Contains(t, calls, want)
	}
}

func TestJournalKeyAndCanonicalTextTellTheSameStatesApart(t *testing.T) {
	t.Parallel()
	for _, c := range []storage.JournalConfig{
		journalCfg(t, "journal-graph-mirror", "copies_left_unequal"),
		journalCfg(t, "journal-graph-ring", "hollow_headers_only"),
		journalCfg(t, "journal-graph-misdirect"),
	} {
		m := storage.Journal(c)
		texts, keys := map[string]bool{}, map[string]bool{}
		eachJournalState(m, func(s journalState) {
			key, text := string(m.Key(nil, s)), string(m.Canonical(nil, s))
			require.False(t, texts[text], "one text, two states: %s", text)
			require.False(t, keys[key], "one key, two states: %s", text)
			texts[text], keys[key] = true, true
		})
		assert.Greater(t, len(texts), 1000)
	}
}

func TestJournalCanonicalTextIsThatOfAppendixB(t *testing.T) {
	t.Parallel()
	m := storage.Journal(journalCfg(t, "journal-views"))
	s := m.Init()[0]
	for _, label := range []string{
		"AppendPrepare", "WriteBatch", "SyncWAL", "EnterView", "Adopt(1,[1:0])", "WriteBatch",
	} {
		s = journalStep(t, m, s, label)
	}
	text := string(m.Canonical(nil, s))
	assert.Contains(t, text, `["adopted":[0:[],1:[1:0],2:[]],"bodies_synced":{[1:0]},`)
	assert.Contains(t, text, `"history":[0:[1:0],1:[1:0],2:[]],`)
	assert.Contains(t, text, `"prepare_oks":{[1:[1:0],2:0]},"queue":[],`)
	assert.Contains(t, text, `"status":"running","superblock":["checkpoint":0,"log_view":0,`+
		`"sequence":0,"view":0,"whole":T],`)
	assert.Contains(t, text, `["boot":0,"legible":T,"parent_boot":0,"records":`+
		`[1:["from":0,"head":1,"headers":[1:0],"hollow":{},"in_doubt":F,"kind":"state",`+
		`"log_view":1]],"sequence":2,"synced_through":1,"whole":T]`)
	assert.Contains(t, text, `[1:["entry":[1:0],"kind":"prepare","log_view":0]]`)

	lines := strings.Join(m.Format(s), "\n")
	assert.Contains(t, lines, "replica = running view=1 log_view=1 log <0>")
	assert.Contains(t, lines, "slot 2 = batch 2 boot 0 after boot 0 synced_through 1 "+
		"[state log_view 1 head 1 headers above 0 <0>]; on disk no batch")
	s = journalStep(t, m, s, `Kill("nothing")`)
	s = journalStep(t, m, s, "Rot(1)")
	s = journalStep(t, m, s, "Boot")
	lines = strings.Join(m.Format(s), "\n")
	assert.Contains(t, lines, "log <0> in doubt", "batch 2 says that batch 1 was synced: rot")
	assert.Contains(t, lines, " unreadable")
}

func TestJournalConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	valid := func() storage.JournalConfig { return journalCfg(t, "journal") }
	require.NoError(t, valid().Validate())
	for name, tc := range map[string]struct {
		change func(c *storage.JournalConfig)
		want   string
	}{
		"no policy": {
			func(c *storage.JournalConfig) { c.Policy = 0 },
			"Policy is Policy(0), expected persisted or replicated",
		},
		"too many ops": {
			func(c *storage.JournalConfig) { c.MaxOp = 3 }, "MaxOp is 3, expected 0 to 2",
		},
		"no slot": {
			func(c *storage.JournalConfig) { c.Slots = 0 }, "Slots is 0, expected 1 to 4",
		},
		"no record": {
			func(c *storage.JournalConfig) { c.MaxRecords = 0 }, "MaxRecords is 0, expected 1 to 2",
		},
		"an unknown mutant": {
			func(c *storage.JournalConfig) { c.Bugs = []storage.Bug{"typo"} },
			`unknown bug "typo", expected one of [ack_before_flush `,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := valid()
			tc.change(&c)
			require.ErrorContains(t, c.Validate(), tc.want)
			assert.Panics(t, func() { storage.Journal(c) })
			assert.Panics(t, func() { storage.JournalActions(c) })
		})
	}
	policy, err := storage.ParsePolicy("replicated")
	require.NoError(t, err)
	assert.Equal(t, storage.Replicated, policy)
	_, err = storage.ParsePolicy("durable")
	require.EqualError(t, err, `Policy is "durable", expected "persisted" or "replicated"`)
	assert.Equal(t, "JournalActionKind(99)", storage.JournalActionKind(99).String())
}

// pickJournal returns the one invariant of m of that name.
func pickJournal(t *testing.T, m journalModel, name string) []explore.Property[journalState] {
	t.Helper()
	for _, p := range m.Always {
		if p.Name == name {
			return []explore.Property[journalState]{p}
		}
	}
	require.Fail(t, "no invariant "+name)
	return nil
}

// journalStep takes the step of that label, which must exist.
func journalStep(t *testing.T, m journalModel, s journalState, label string) journalState {
	t.Helper()
	var labels []string
	next, found := s, false
	m.Next(s, func(a journalAction, to journalState) {
		labels = append(labels, a.String())
		if a.String() == label {
			next, found = to, true
		}
	})
	require.True(t, found, "no step %s among %v", label, labels)
	return next
}

// eachJournalState visits every reachable state once, each after its predecessor.
func eachJournalState(m journalModel, visit func(journalState)) {
	queue := m.Init()
	seen := map[journalState]bool{queue[0]: true}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		visit(s)
		m.Next(s, func(_ journalAction, next journalState) {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		})
	}
}
