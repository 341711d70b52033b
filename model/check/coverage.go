package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Coverage judges runs of the Go model ([Go]) together: each action of their
// modules must have been taken, by some cfg or mutant, and each goal of the models
// must have been reached in a clean cfg. Properties that hold where nothing happens
// prove nothing.
//
// Outcomes of other checks are left out; without any run of the Go model the
// status is Failed.
func Coverage(outcomes []Outcome) Outcome {
	taken, goals := map[string]bool{}, map[string]bool{}
	runs := 0
	for _, o := range outcomes {
		if len(o.names) == 0 {
			continue
		}
		runs++
		for _, name := range o.names {
			taken[name] = taken[name] || o.actions[name] > 0
		}
		clean := o.Counterexample == nil
		for _, name := range slices.Sorted(maps.Keys(o.goals)) {
			goals[name] = goals[name] || clean && o.goals[name]
		}
	}
	result := Outcome{
		Name: "check/coverage", Engine: EngineGo, Status: Passed, Figures: map[string]float64{},
		Reproduce: "viewstamp check --all",
	}
	result.count(FigureActionsTotal, len(taken))
	result.count(FigureActionsCovered, reached(taken))
	result.count(FigureSometimesTotal, len(goals))
	result.count(FigureSometimesHit, reached(goals))
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(taken)) {
		if !taken[name] {
			missing = append(missing, "action "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(goals)) {
		if !goals[name] {
			missing = append(missing, "goal "+name)
		}
	}
	switch {
	case runs == 0:
		result.Status, result.Reason = Failed, "no run of the Go model to judge, expected some"
	case len(missing) > 0:
		result.Status = Failed
		result.Reason = fmt.Sprintf("never reached: %s", strings.Join(missing, ", "))
	}
	return result
}
