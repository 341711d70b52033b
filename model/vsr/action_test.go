package vsr

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/traces"
)

func TestLabelsOfActions(t *testing.T) {
	t.Parallel()
	for want, action := range map[string]Action{
		"ClientRequest(0)":            {ActionClientRequest, 0, 0},
		"ReceivePrepare(1)":           {ActionReceivePrepare, 1, 0},
		"PrimaryCommit(0)":            {ActionPrimaryCommit, 0, 0},
		"ReceiveCommit(1,2)":          {ActionReceiveCommit, 1, 2},
		"WalkExecute(1)":              {ActionWalkExecute, 1, 0},
		"PipelineExecute(1)":          {ActionPipelineExecute, 1, 0},
		"StallTruncate(1)":            {ActionStallTruncate, 1, 0},
		"RepairPrepare(1,2)":          {ActionRepairPrepare, 1, 2},
		"StartViewChange(1)":          {ActionStartViewChange, 1, 0},
		"ReceiveStartViewChange(1,2)": {ActionReceiveStartViewChange, 1, 2},
		"SendDoViewChange(1)":         {ActionSendDoViewChange, 1, 0},
		"MergeVotes(1,{0,1})":         {ActionMergeVotes, 1, 0b011},
		"BecomePrimary(1)":            {ActionBecomePrimary, 1, 0},
		"ReceiveStartView(1,2)":       {ActionReceiveStartView, 1, 2},
		"Restart(1)":                  {ActionRestart, 1, 0},
		"AnswerProbe(0,1)":            {ActionAnswerProbe, 0, 1},
		"Recover(1,12)":               {ActionRecover, 1, 12},
	} {
		assert.Equal(t, want, action.String())
	}
	assert.Equal(t, "ActionKind(0)", Action{}.Name())
}

func TestKindsAreTheActionsOfTraces(t *testing.T) {
	t.Parallel()
	var names []string
	for _, kind := range ActionKinds() {
		names = append(names, kind.String())
		parsed, err := ParseActionKind(kind.String())
		require.NoError(t, err)
		assert.Equal(t, kind, parsed)
	}
	assert.Equal(t, traces.Actions(), names)
	_, err := ParseActionKind("Typo")
	assert.ErrorContains(t, err, `action "Typo": expected one of ClientRequest, `)
}

func TestActionCallsAreTheWholeOfNext(t *testing.T) {
	t.Parallel()
	c := bound(2, 3, 1, WalkAndPipeline)
	calls := ActionCalls(c)
	byLabel, operators := map[string]ActionCall{}, map[string]bool{}
	for _, call := range calls {
		byLabel[call.Label] = call
		operators[call.Operator] = true
		assert.Regexp(t, `^[A-Z][A-Za-z]*(_[0-9]+)+$`, call.Operator)
	}
	assert.Len(t, byLabel, len(calls), "labels differ")
	assert.Len(t, operators, len(calls), "operators differ")
	// Ten actions of a replica; two of an op; three of a view; a replica; a quorum.
	assert.Len(t, calls, 3*(10+2*2+3*4+3+3))
	assert.Equal(t, ActionCall{
		Operator: "MergeVotes_1_01", Call: "MergeVotes(1, {0, 1})", Label: "MergeVotes(1,{0,1})",
	}, byLabel["MergeVotes(1,{0,1})"])
	assert.Equal(t, ActionCall{
		Operator: "ReceiveCommit_2_1", Call: "ReceiveCommit(2, 1)", Label: "ReceiveCommit(2,1)",
	}, byLabel["ReceiveCommit(2,1)"])
	assert.Equal(t, ActionCall{
		Operator: "Restart_0", Call: "Restart(0)", Label: "Restart(0)",
	}, byLabel["Restart(0)"])

	for _, s := range reachable(t, c, 4000) {
		Next(&c, &s, func(a Action, _ State) { require.Contains(t, byLabel, a.String()) })
	}
	c.MaxView = Unbounded
	assert.Nil(t, ActionCalls(c), "without a bound there is no end")
}

// An action is yielded if and only if Refuse has nothing against it, with any
// parameter, and the step of its kind and replica yields it.
func TestRefuseAgreesWithNext(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		bound(1, 1, 1, Walk), bound(2, 1, 0, WalkAndPipeline), lazy(bound(2, 1, 0, Walk)),
		of(2, bound(2, 1, 1, Walk)), of(5, again(bound(1, 1, 0, Walk))),
		{N: 3, MaxRequest: 2, MaxView: 1, MaxCrash: 1, Drivers: WalkAndPipeline, Bugs: AllMutants()},
	} {
		possible := possibleActions(c)
		for _, s := range reachable(t, c, 1500) {
			requireRefusals(t, c, s, possible)
		}
	}
}

// The same on walks that leave every bound behind.
func TestRefuseAgreesWithNextWithoutBounds(t *testing.T) {
	t.Parallel()
	c := bound(Unbounded, Unbounded, Unbounded, Walk)
	possible := possibleActions(bound(12, 12, 0, Walk))
	random := newRandom(1)
	for range 6 {
		for _, step := range explore.Walk(Model(c), random, 80, nil) {
			requireRefusals(t, c, step.State, possible)
		}
	}
}

// A parked primary merges once more if a vote beyond the quorum says something else, and
// under MergeAgain alone; that is no fair step.
func TestASecondMerge(t *testing.T) {
	t.Parallel()
	c := again(bound(2, 1, 0, Walk))
	fair, once, seconds := Fairness(c), bound(2, 1, 0, Walk), 0
	for _, s := range reachable(t, c, 40000) {
		if s.merged[1] == nil {
			continue
		}
		Step(c, s, ActionMergeVotes, 1, func(a Action, after State) {
			seconds++
			assert.Equal(t, "MergeVotes(1,{0,1,2})", a.String())
			assert.NotEqual(t, s.Merged(1), after.Merged(1))
			assert.Negative(t, fair.Class(s, a))
			assert.Equal(t, "r1 has merged the votes for view 1, expected no merged log yet",
				Refuse(once, s, a))
			assert.NotEmpty(t, Refuse(c, after, a), "the same votes say nothing else")
		})
	}
	assert.Positive(t, seconds)
}

func possibleActions(c Config) []Action {
	var actions []Action
	for _, kind := range ActionKinds() {
		for r := range c.N {
			for _, arg := range argumentsOf(&c, kind) {
				actions = append(actions, Action{kind, r, arg})
			}
		}
	}
	return actions
}

func requireRefusals(t *testing.T, c Config, s State, possible []Action) {
	t.Helper()
	yielded := map[Action]int{}
	Next(&c, &s, func(a Action, _ State) { yielded[a]++ })
	steps := map[Action]int{}
	for _, kind := range ActionKinds() {
		for r := range c.N {
			Step(c, s, kind, r, func(a Action, _ State) {
				require.Equal(t, kind, a.Kind)
				require.Equal(t, r, a.Replica)
				steps[a]++
			})
		}
	}
	require.Equal(t, yielded, steps)
	for _, a := range possible {
		reason := Refuse(c, s, a)
		require.Equal(t, yielded[a] > 0, reason == "", "%v: %q", a, reason)
		if yielded[a] > 0 {
			require.False(t, Useless(c, s, a), "%v is a step", a)
		}
	}
}

func TestActionsThatDoNotExist(t *testing.T) {
	t.Parallel()
	c := bound(1, 1, 1, Walk)
	s := Init(c)
	for want, a := range map[string]Action{
		"action 0 does not exist, expected 1 to 17":              {},
		"action 18 does not exist, expected 1 to 17":             {Kind: actionEnd},
		"replica 3 does not exist, expected 0 to 2":              {ActionRestart, 3, 0},
		"replica -1 does not exist, expected 0 to 2":             {ActionRestart, -1, 0},
		"parameter -1 is out of range, expected 0 to 2147483647": {ActionRecover, 1, -1},
		"replica 3 does not exist, expected one below 3":         {ActionAnswerProbe, 0, 3},
		"the set has members that are no replicas, expected a view change quorum": {
			ActionMergeVotes, 0, 8,
		},
	} {
		assert.Equal(t, want, Refuse(c, s, a))
		assert.False(t, Useless(c, s, a))
		Step(c, s, a.Kind, a.Replica, func(got Action, _ State) {
			assert.NotEqual(t, a, got)
		})
	}
}

func TestReplicaSets(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "{}", ReplicaSet(0).String())
	assert.Equal(t, "{0,2}", ReplicaSet(0b101).String())
	assert.Equal(t, []int{0, 2}, ReplicaSet(0b101).Members())
	assert.Equal(t, 2, ReplicaSet(0b101).Len())
	assert.Equal(t, []ReplicaSet{0b011, 0b101, 0b110}, setsOf[3][2])
	assert.Len(t, setsOf[5][3], 10)
}
