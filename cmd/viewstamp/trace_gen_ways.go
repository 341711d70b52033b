package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
)

// waySteps bounds a walk towards a goal of a module other than VSR: its cfg bounds it, too.
const waySteps = 300

// walkSource is the source of chance of the walk of a seed.
func walkSource(seed uint64) explore.Random {
	return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
}

// ways writes walks towards goals of a module that has no traces, in the format of the TLA+
// tools. It says whether that was asked for.
func (g *generation) ways(command *cobra.Command, asJSON bool) (bool, error) {
	cfg, err := spec.Lookup(g.cfg)
	if err != nil || check.HasTraces(cfg) || g.cover != "" && g.cover != verify.CoverGoals {
		return false, nil
	}
	known, err := check.GoalNames(cfg)
	if err != nil {
		return true, err
	}
	if len(g.goals) == 0 {
		g.goals = known
	}
	for _, goal := range g.goals {
		if !slices.Contains(known, goal) {
			return true, usage(command, "--goal %q: no such goal of cfg %s, expected one of: %s", goal,
				cfg.Name, strings.Join(known, "; "))
		}
	}
	if g.out == "" || g.count < 0 {
		return true, usage(command, "expected --out FOLDER and a --count of at least 0")
	}
	if err := emptyFolder(g.out); err != nil {
		return true, err
	}
	return true, g.writeWays(command.Context(), cfg, asJSON)
}

func (g *generation) writeWays(ctx context.Context, cfg spec.Cfg, asJSON bool) error {
	g.cover = verify.CoverGoals
	report := g.tool.report("trace gen", asJSON)
	g.bar = report.bar
	actions, reached := map[string]int{}, map[string]int{}
	for _, goal := range g.goals {
		seed := g.seed
		for range max(g.count, 1) {
			g.bar.show(goal, g.tracesDone, -1)
			way, err := check.Towards(ctx, cfg, goal, seed, waySteps, walkSource)
			if err != nil {
				g.bar.clear()
				return err
			}
			if err := g.saveWay(way); err != nil {
				return err
			}
			for action, n := range way.Actions {
				actions[action] += n
			}
			reached[goal]++
			if seed = way.Seed + 1; way.Seed == 0 {
				break // The shortest way: there is no other.
			}
		}
	}
	g.bar.clear()
	g.coverage.Actions, g.coverage.Goals = actions, reached
	if asJSON {
		report.add(verify.Done("gen/"+g.cfg+"-"+g.cover, verify.EngineGo, g.figures(), fmt.Sprintf(
			"viewstamp trace gen --cfg %s --cover goals --seed %d --out %s", g.cfg, g.seed,
			g.out)))
		return report.end()
	}
	fmt.Fprintf(g.tool.stdout, "%s ways with %s steps of %s written to %s\n",
		number(float64(g.tracesDone)), number(float64(g.eventDone)), g.cfg, g.out)
	names, err := check.ActionNames(cfg)
	g.printCounts("steps by action", names, actions)
	g.printCounts("ways by goal", g.goals, reached)
	return err
}

func (g *generation) saveWay(way *check.Way) (err error) {
	name := fmt.Sprintf("%s-%05d.itf.json", strings.ReplaceAll(way.Goal, " ", "_"), way.Seed)
	file, err := os.Create(filepath.Join(g.out, name))
	if err != nil {
		return err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(file))
	g.tracesDone++
	g.eventDone += way.Steps
	return way.Write(file, check.FormatITF)
}

// allGoals are the goals of all modules, each with the first cfg that has it.
func (g *generation) allGoals() ([]namedGoal, error) {
	var goals []namedGoal
	manifest, err := spec.Read()
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	clean := manifest.Select(spec.Cfg.IsClean)
	slices.SortStableFunc(clean, func(a, b spec.Cfg) int {
		return strings.Compare(a.Module, b.Module)
	})
	for _, cfg := range clean {
		names, err := goalNames(cfg)
		if err != nil {
			continue // A module without a Go model has no walks.
		}
		for _, name := range names {
			if !listed[cfg.Module+name] {
				listed[cfg.Module+name] = true
				goals = append(goals, namedGoal{cfg.Module, cfg.Name, name})
			}
		}
	}
	return goals, nil
}
