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
	groupsState  = storage.GroupsState
	groupsAction = storage.GroupsAction
	groupsModel  = explore.Model[groupsState, groupsAction]
)

// groupsCfg is a bound: the constants in the order of the module, but for Bugs.
func groupsCfg(groups, op, view, batch, slots, crash, rot int, bugs ...storage.Bug,
) storage.GroupsConfig {
	return storage.GroupsConfig{
		Groups: groups, MaxOp: op, MaxView: view, MaxBatch: batch, Slots: slots,
		MaxCrash: crash, MaxRot: rot, Bugs: bugs,
	}
}

// Figures of TLC for spec/JournalGroups.tla, where a cfg has that bound; the last three
// have none, and show that the rules hold after more crashes and more rot.
func TestJournalGroupsIsAsLargeAsTLCSays(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config        storage.GroupsConfig
		states, depth int
	}{
		"groups":            {groupsCfg(2, 1, 1, 7, 6, 1, 1), 73_714, 24},
		"groups-ring":       {groupsCfg(1, 2, 2, 8, 5, 2, 1), 89_798, 32},
		"groups-graph-two":  {groupsCfg(2, 1, 1, 3, 6, 1, 1), 2_078, 14},
		"groups-graph-ring": {groupsCfg(1, 2, 2, 5, 5, 1, 0), 2_767, 20},
		"two rots":          {groupsCfg(1, 1, 1, 5, 5, 2, 2), 8_714, 22},
		"three crashes":     {groupsCfg(1, 1, 1, 7, 5, 3, 2), 32_593, 29},
		"no room at all":    {groupsCfg(2, 1, 1, 5, 5, 1, 1), 360, 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := explore.Check(context.Background(), storage.JournalGroups(tc.config),
				explore.Options{})
			require.NoError(t, err)
			assert.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Equal(t, tc.states, result.Distinct)
			assert.Equal(t, tc.depth, result.Depth)
			assert.Empty(t, result.Unreached(), "goals that no state reached")
		})
	}
}

// Each mutant breaks the invariant that its comment names, that one alone being checked;
// lengths count states and are TLC's with one worker.
func TestEachGroupsMutantIsCaught(t *testing.T) {
	t.Parallel()
	two, ring := groupsCfg(2, 1, 1, 4, 6, 1, 0), groupsCfg(1, 2, 2, 5, 5, 1, 0)
	rot, twice := groupsCfg(2, 1, 1, 3, 6, 1, 1), groupsCfg(2, 1, 1, 3, 6, 2, 1)
	caught := map[storage.Bug]bool{}
	for _, tc := range []struct {
		bug      storage.Bug
		config   storage.GroupsConfig
		property string
		states   int
	}{
		{"checkpoint_drops_other_state", two, "CrashAlone", 13},
		{"doubt_for_one_group_only", rot, "NackSafe", 7},
		{"full_is_acknowledged", two, "AckedSurvives", 4},
		{"move_verbatim", ring, "NackSafe", 11},
		{"no_first_states", twice, "NackSafe", 10},
		{"no_reserved_slot", two, "NoStall", 5},
		{"no_slot_for_boot", groupsCfg(2, 1, 1, 5, 5, 1, 1), "NoStall", 12},
		{"no_slot_for_moving", two, "NoStall", 5},
		{"release_by_lowest_of_one_group", two, "AckedSurvives", 12},
		{"release_unsynced_copy", ring, "AckedSurvives", 11},
		{"superblock_before_other_sync", rot, "CrashAlone", 6},
		{"superblock_of_one_group", rot, "ViewKept", 11},
	} {
		caught[tc.bug] = true
		t.Run(string(tc.bug), func(t *testing.T) {
			t.Parallel()
			tc.config.Bugs = []storage.Bug{tc.bug}
			m := storage.JournalGroups(tc.config)
			m.Always = pickGroups(t, m, tc.property)
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			require.NotNil(t, result.Violation, "the mutant survived")
			assert.NotEmpty(t, result.Violation.Reason)
			assert.Len(t, result.Violation.Path, tc.states)
		})
	}
	for _, bug := range storage.GroupsBugs() {
		assert.True(t, caught[bug], "%s has no row", bug)
	}
}

func TestEveryGroupsStepHasItsCallAndItsLabel(t *testing.T) {
	t.Parallel()
	c := groupsCfg(2, 1, 1, 3, 6, 1, 1)
	labels, operators := map[string]bool{}, map[string]bool{}
	calls := storage.GroupsActions(c)
	for _, call := range calls {
		assert.False(t, labels[call.Label], "label %s occurs twice", call.Label)
		assert.False(t, operators[call.Operator], "operator %s occurs twice", call.Operator)
		labels[call.Label], operators[call.Operator] = true, true
	}
	for _, want := range []storage.ActionCall{
		{Operator: "Boot_", Call: "Boot", Label: "Boot"},
		{Operator: "Crash_2_T", Call: "Crash(2, TRUE)", Label: "Crash(2,T)"},
		{Operator: "TakeSnapshot_2_1", Call: "TakeSnapshot(2, 1)", Label: "TakeSnapshot(2,1)"},
		{Operator: "Adopt_1", Call: "Adopt(1)", Label: "Adopt(1)"},
		{Operator: "Rot_3", Call: "Rot(3)", Label: "Rot(3)"},
	} {
		assert.Contains(t, calls, want)
	}
	m := storage.JournalGroups(c)
	eachGroupsState(m, func(s groupsState) {
		m.Next(s, func(a groupsAction, _ groupsState) {
			require.True(t, labels[a.String()], "step %s is not listed", a)
		})
	})
}

func TestGroupsKeyAndCanonicalTextTellTheSameStatesApart(t *testing.T) {
	t.Parallel()
	for _, c := range []storage.GroupsConfig{
		groupsCfg(2, 1, 1, 3, 6, 2, 1), groupsCfg(1, 2, 2, 5, 5, 1, 0, "move_verbatim"),
	} {
		m := storage.JournalGroups(c)
		texts, keys := map[string]bool{}, map[string]bool{}
		eachGroupsState(m, func(s groupsState) {
			key, text := string(m.Key(nil, s)), string(m.Canonical(nil, s))
			require.False(t, texts[text], "one text, two states: %s", text)
			require.False(t, keys[key], "one key, two states: %s", text)
			texts[text], keys[key] = true, true
		})
		assert.Greater(t, len(texts), 1_000)
	}
}

// The last batch rots. It may have been of either group: both are in doubt, and the doubt
// outlives a crash that takes the batch which was to make it durable.
func TestRotDoesNotSayWhichGroupsItTook(t *testing.T) {
	t.Parallel()
	m := storage.JournalGroups(groupsCfg(2, 1, 1, 4, 6, 2, 1))
	s := m.Init()[0]
	for _, label := range []string{
		"SayStates", "AppendPrepare(2)", "Sync", "Crash(2,F)", "Rot(2)", "Boot",
	} {
		s = groupsStep(t, m, s, label)
	}
	lines := strings.Join(m.Format(s), "\n")
	assert.Contains(t, lines, "group 1 = log_view=0 head=0 in doubt;")
	assert.Contains(t, lines, "group 2 = log_view=0 head=0 in doubt;")
	assert.Contains(t, lines, "group 2 promised = log_view 0, ops {1}")
	assert.Contains(t, lines, "node = running base=1 written=1 synced=1 free=5 states unsaid")
	assert.Contains(t, lines, "slot 2 = batch 2 synced_through 0 [] unreadable")
	assert.Contains(t, string(m.Canonical(nil, s)), `"in_doubt":[1:T,2:T],`)
	assert.Contains(t, string(m.Canonical(nil, s)), `["bodies":{},"over":F,"sequence":1,`+
		`"states":{["group":1,"head":0,"in_doubt":F,"log_view":0],`+
		`["group":2,"head":0,"in_doubt":F,"log_view":0]},"synced_through":0,"whole":T]`)
	for _, label := range []string{"SayStates", "Crash(1,F)", "Boot"} {
		s = groupsStep(t, m, s, label)
	}
	assert.Equal(t, [storage.GroupsMax]bool{true, true}, s.InDoubt)
}

func TestGroupsConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	require.NoError(t, groupsCfg(2, 1, 1, 3, 6, 1, 1).Validate())
	for name, tc := range map[string]struct {
		config storage.GroupsConfig
		want   string
	}{
		"no group":          {groupsCfg(0, 1, 1, 3, 6, 1, 1), "Groups is 0, expected 1 to 2"},
		"a larger ring":     {groupsCfg(2, 1, 1, 3, 7, 1, 1), "Slots is 7, expected 1 to 6"},
		"an unknown mutant": {groupsCfg(2, 1, 1, 3, 6, 1, 1, "typo"), `unknown bug "typo"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, tc.config.Validate(), tc.want)
			assert.Panics(t, func() { storage.JournalGroups(tc.config) })
			assert.Panics(t, func() { storage.GroupsActions(tc.config) })
		})
	}
	assert.Equal(t, "GroupsActionKind(99)", storage.GroupsActionKind(99).String())
}

// pickGroups returns the one invariant of m of that name.
func pickGroups(t *testing.T, m groupsModel, name string) []explore.Property[groupsState] {
	t.Helper()
	for _, p := range m.Always {
		if p.Name == name {
			return []explore.Property[groupsState]{p}
		}
	}
	require.Fail(t, "no invariant "+name)
	return nil
}

// groupsStep takes the step of that label, which must exist.
func groupsStep(t *testing.T, m groupsModel, s groupsState, label string) groupsState {
	t.Helper()
	var labels []string
	next, found := s, false
	m.Next(s, func(a groupsAction, to groupsState) {
		labels = append(labels, a.String())
		if a.String() == label {
			next, found = to, true
		}
	})
	require.True(t, found, "no step %s among %v", label, labels)
	return next
}

// eachGroupsState visits every reachable state once.
func eachGroupsState(m groupsModel, visit func(groupsState)) {
	queue := m.Init()
	seen := map[groupsState]bool{queue[0]: true}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		visit(s)
		m.Next(s, func(_ groupsAction, next groupsState) {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		})
	}
}
