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

// printGoals prints the names of the goals, one a line.
func (g *generation) printGoals(command *cobra.Command) error {
	if g.cfg == "" {
		return g.printAllGoals()
	}
	if cfg, err := spec.Lookup(g.cfg); err == nil && !check.HasTraces(cfg) {
		names, err := check.GoalNames(cfg)
		for _, name := range names {
			fmt.Fprintln(g.tool.stdout, name)
		}
		return err
	}
	cfg, err := g.lookup(command)
	if err != nil {
		return err
	}
	shape, err := verify.WalkShape(cfg)
	if err != nil {
		return err
	}
	for _, goal := range generate.GoalNames(shape) {
		fmt.Fprintln(g.tool.stdout, goal)
	}
	return nil
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
