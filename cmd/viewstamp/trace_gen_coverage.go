package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/model/generate"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
)

// writeGoals writes walks towards each goal, named by the goal and their seed.
func (g *generation) writeGoals(ctx context.Context, cfg spec.Cfg) error {
	return verify.EachGoalWalk(cfg, g.goals, g.seed, max(g.count, 1), &g.coverage,
		func(goal string, t *traces.Trace) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			name := strings.ReplaceAll(goal, " ", "_")
			return g.save(fmt.Sprintf("%s-%05d", name, t.Header.Seed), t)
		})
}

// listGoal as --goal prints the names of the goals.
const listGoal = "list"

// validateGoals is what --goal asks of the other flags, and of the names.
func (g *generation) validateGoals(command *cobra.Command, cfg spec.Cfg) error {
	if len(g.goals) == 0 {
		return nil
	}
	if g.cover != verify.CoverGoals {
		return usage(command, "--goal: expected --cover goals, got %q", g.cover)
	}
	shape, err := verify.WalkShape(cfg)
	if err != nil {
		return err
	}
	known := generate.GoalNames(shape)
	for _, goal := range g.goals {
		if !slices.Contains(known, goal) {
			return usage(command, "--goal %q: no such goal of cfg %s, expected one of: %s", goal,
				cfg.Name, strings.Join(known, "; "))
		}
	}
	return nil
}

// namedGoal is a goal and a cfg whose walks can reach it.
type namedGoal struct{ module, cfg, name string }

// printGoals prints the names of the goals: without --cfg those of all modules, by module.
func (g *generation) printGoals(asJSON bool) error {
	goals, err := g.goalsOf()
	if err != nil {
		return err
	}
	if asJSON {
		report := g.tool.report("trace gen", true)
		for _, goal := range goals {
			report.add(verify.Done("goal/"+goal.cfg+"/"+goal.name, verify.EngineGo, nil,
				fmt.Sprintf("viewstamp trace gen --cfg %s --goal %q --out goals", goal.cfg, goal.name)))
		}
		return report.end()
	}
	module := ""
	for _, goal := range goals {
		if g.cfg != "" {
			fmt.Fprintln(g.tool.stdout, goal.name)
			continue
		}
		if module != goal.module {
			module = goal.module
			fmt.Fprintf(g.tool.stdout, "%s\n", module)
		}
		fmt.Fprintf(g.tool.stdout, "  %-24s %s\n", goal.cfg, goal.name)
	}
	return nil
}

// goalsOf are the goals of --cfg, or of all modules.
func (g *generation) goalsOf() ([]namedGoal, error) {
	if g.cfg == "" {
		return g.allGoals()
	}
	cfg, err := spec.Lookup(g.cfg)
	if err != nil {
		return nil, err
	}
	names, err := goalNames(cfg)
	if err != nil {
		return nil, err
	}
	goals := make([]namedGoal, len(names))
	for i, name := range names {
		goals[i] = namedGoal{cfg: g.cfg, name: name}
	}
	return goals, nil
}

// goalNames are the goals of a cfg; those of VSR's are walked to beyond the cfg's bounds.
func goalNames(cfg spec.Cfg) ([]string, error) {
	if !check.HasTraces(cfg) {
		return check.GoalNames(cfg)
	}
	shape, err := verify.WalkShape(cfg)
	if err != nil {
		return nil, err
	}
	return generate.GoalNames(shape), nil
}

// figures are what was written, and how often each action was taken, each rule was at stake and
// each goal was reached.
func (g *generation) figures() verify.Figures {
	figures := verify.Figures{
		verify.FigureTraces: float64(g.tracesDone), verify.FigureEvents: float64(g.eventDone),
	}
	for kind, counts := range map[string]map[string]int{
		"action": g.coverage.Actions, "rule": g.coverage.Rules, "goal": g.coverage.Goals,
	} {
		for name, n := range counts {
			figures[kind+"/"+name] = float64(n)
		}
	}
	return figures
}

// printCoverage prints what the traces took and reached: steps by action and by rule, traces
// by goal, and at the end what they never saw.
func (g *generation) printCoverage(cfg spec.Cfg) error {
	config, err := check.VSRConfig(cfg)
	if g.cover != verify.CoverEdges {
		config, err = verify.WalkShape(cfg)
	}
	if err != nil {
		return err
	}
	var actions []string
	for _, kind := range vsr.LiveActions(config) {
		actions = append(actions, kind.String())
	}
	g.printCounts("steps by action", actions, g.coverage.Actions)
	g.printCounts("steps by rule", generate.RuleNames(), g.coverage.Rules)
	g.printCounts("traces by goal", generate.GoalNames(config), g.coverage.Goals)
	if missing := g.coverage.Missing(config); len(missing) > 0 {
		fmt.Fprintf(g.tool.stdout, "never seen: %s\n", strings.Join(missing, "; "))
	}
	return nil
}

func (g *generation) printCounts(title string, names []string, count map[string]int) {
	fmt.Fprintf(g.tool.stdout, "%s:\n", title)
	for _, name := range names {
		fmt.Fprintf(g.tool.stdout, "  %9s  %s\n", number(float64(count[name])), name)
	}
}
