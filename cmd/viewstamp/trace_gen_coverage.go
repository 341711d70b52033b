package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/model/generate"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
)

// writeGoals writes walks towards each goal, named by the goal and their seed.
func (g *generation) writeGoals(ctx context.Context, cfg spec.Cfg) error {
	return verify.EachGoalWalk(cfg, g.seed, max(g.count, 1), &g.coverage,
		func(goal string, t *traces.Trace) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			name := strings.ReplaceAll(goal, " ", "_")
			return g.save(fmt.Sprintf("%s-%05d", name, t.Header.Seed), t)
		})
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
	for _, part := range []struct {
		title string
		names []string
		count map[string]int
	}{
		{"steps by action", actions, g.coverage.Actions},
		{"steps by rule", generate.RuleNames(), g.coverage.Rules},
		{"traces by goal", generate.GoalNames(config), g.coverage.Goals},
	} {
		fmt.Fprintf(g.tool.stdout, "%s:\n", part.title)
		for _, name := range part.names {
			fmt.Fprintf(g.tool.stdout, "  %9s  %s\n", number(float64(part.count[name])), name)
		}
	}
	if missing := g.coverage.Missing(config); len(missing) > 0 {
		fmt.Fprintf(g.tool.stdout, "never seen: %s\n", strings.Join(missing, "; "))
	}
	return nil
}
