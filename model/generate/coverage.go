package generate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// Coverage counts what traces took and reached. The zero value is ready.
type Coverage struct {
	// Traces and Steps are how many there were.
	Traces, Steps int
	// Actions and Rules count steps: by action, and by the rules that the action is about.
	Actions, Rules map[string]int
	// Goals counts the traces that reach each goal of [GoalNames].
	Goals map[string]int
}

// rules are those that each action is about, as in ARCHITECTURE.md.
var rules = map[string][]string{
	traces.ActionClientRequest:          {"R1", "R3"},
	traces.ActionReceivePrepare:         {"R3", "R8"},
	traces.ActionPrimaryCommit:          {"R3", "R10"},
	traces.ActionReceiveCommit:          {"R5", "R9"},
	traces.ActionWalkExecute:            {"R5"},
	traces.ActionPipelineExecute:        {"R5"},
	traces.ActionStallTruncate:          {"R6", "R7"},
	traces.ActionRepairPrepare:          {"R6", "R8", "R9"},
	traces.ActionStartViewChange:        {"R1"},
	traces.ActionReceiveStartViewChange: {"R1"},
	traces.ActionSendDoViewChange:       {"R1", "R12"},
	traces.ActionMergeVotes:             {"R12"},
	traces.ActionBecomePrimary:          {"R2", "R7", "R13"},
	traces.ActionReceiveStartView:       {"R2", "R7", "R11"},
	traces.ActionRestart:                {"R1", "R2", "R3"},
	traces.ActionAnswerProbe:            {"R4", "R11"},
	traces.ActionRecover:                {"R4", "R9", "R11"},
}

// goal is something that a path may reach. It is asked about one step after the other, from
// the first on, and says whether the step reaches it.
type goal struct {
	name string
	// start returns what is asked about the steps of one path.
	start func(c *vsr.Config) func(before *vsr.State, a vsr.Action, after *vsr.State) bool
}

// goalsOf are the situations that the constants allow, and what only a path shows.
func goalsOf(c vsr.Config) []goal {
	var goals []goal
	for _, g := range vsr.Goals(c) {
		if strings.HasPrefix(g.Name, "take ") {
			continue // The actions are counted themselves.
		}
		reached := g.Reached
		goals = append(goals, goal{g.Name, func(
			*vsr.Config,
		) func(*vsr.State, vsr.Action, *vsr.State) bool {
			return func(_ *vsr.State, _ vsr.Action, after *vsr.State) bool { return reached(*after) }
		}})
	}
	if c.MaxRequest > 0 && c.MaxView > 0 && c.MaxCrash > 0 {
		goals = append(goals, goal{"a nack drops an op", nackDrops},
			goal{"a rejoined primary repairs a hollow op", rejoinedRepairs})
	}
	return goals
}

// GoalNames lists what walks at the given constants can be led to: the situations of the
// model, and what only a path shows.
func GoalNames(c vsr.Config) []string {
	var names []string
	for _, g := range goalsOf(c) {
		names = append(names, g.name)
	}
	return names
}

// nackDrops: a merge ends below the head of the newest log among its votes, which are those
// of replicas that are still in the view change, so that their logs are what they voted.
func nackDrops(*vsr.Config) func(*vsr.State, vsr.Action, *vsr.State) bool {
	return func(before *vsr.State, a vsr.Action, after *vsr.State) bool {
		if a.Kind != vsr.ActionMergeVotes {
			return false
		}
		var logView vsr.View
		var head vsr.Op
		for _, voter := range vsr.ReplicaSet(a.Arg).Members() {
			if before.View(voter) != before.View(a.Replica) ||
				before.Status(voter) != vsr.StatusViewChange {
				return false
			}
			switch its := before.LogView(voter); {
			case its > logView:
				logView, head = its, before.Log(voter).Head()
			case its == logView:
				head = max(head, before.Log(voter).Head())
			}
		}
		return after.Merged(a.Replica).Log.Head() < head
	}
}

// rejoinedRepairs: a replica that had been a primary, crashed and came back stores a body
// that its log lacked.
func rejoinedRepairs(*vsr.Config) func(*vsr.State, vsr.Action, *vsr.State) bool {
	var wasPrimary, crashed, back [vsr.NMax]bool
	wasPrimary[0] = true // of view 0
	return func(before *vsr.State, a vsr.Action, _ *vsr.State) bool {
		r := a.Replica
		switch a.Kind { //nolint:exhaustive // The others do not matter here.
		case vsr.ActionBecomePrimary:
			wasPrimary[r] = true
		case vsr.ActionRestart:
			crashed[r], back[r] = crashed[r] || wasPrimary[r], false
		case vsr.ActionRecover, vsr.ActionReceiveStartView:
			back[r] = crashed[r]
		case vsr.ActionRepairPrepare:
			return back[r] && before.Status(r) == vsr.StatusNormal &&
				slices.Contains(vsr.Project(*before, r).Hollow, uint64(a.Arg))
		}
		return false
	}
}

// add counts a path.
func (v *Coverage) add(c vsr.Config, path Path) {
	if v.Actions == nil {
		v.Actions, v.Rules, v.Goals = map[string]int{}, map[string]int{}, map[string]int{}
	}
	v.Traces++
	v.Steps += max(len(path)-1, 0)
	for _, step := range path[min(1, len(path)):] {
		name := step.Action.Name()
		v.Actions[name]++
		for _, rule := range rules[name] {
			v.Rules[rule]++
		}
	}
	for _, g := range goalsOf(c) {
		if reachedAt(&c, g, path) > 0 {
			v.Goals[g.name]++
		}
	}
}

// reachedAt is the first step of a path that reaches a goal, 0 if none does.
func reachedAt(c *vsr.Config, g goal, path Path) int {
	reaches := g.start(c)
	for i := 1; i < len(path); i++ {
		if reaches(&path[i-1].State, path[i].Action, &path[i].State) {
			return i
		}
	}
	return 0
}

// Missing lists what was never seen of all that can be at the given constants: actions that
// are live there, and goals.
func (v *Coverage) Missing(c vsr.Config) []string {
	var missing []string
	for _, kind := range vsr.LiveActions(c) {
		if v.Actions[kind.String()] == 0 {
			missing = append(missing, kind.String())
		}
	}
	for _, name := range GoalNames(c) {
		if v.Goals[name] == 0 {
			missing = append(missing, name)
		}
	}
	return missing
}

// RuleNames lists the rules that some action is about, in the order of their numbers.
func RuleNames() []string {
	var all []string
	actions := slices.Sorted(maps.Keys(rules))
	for _, action := range actions {
		all = append(all, rules[action]...)
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return slices.Compact(all)
}
