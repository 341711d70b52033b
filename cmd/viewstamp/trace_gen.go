package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/model/generate"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
)

// The covers of "viewstamp trace gen".
var covers = []string{verify.CoverEdges, verify.CoverWalks, verify.CoverGoals, verify.CoverMutants}

// allCfgs as --cfg, with --cover mutants, is every mutant's cfg.
const allCfgs = "all"

// walksDefault is how many walks there are if nobody says.
const walksDefault = 100

func (t *tool) traceGen() *cobra.Command {
	g := generation{tool: t}
	command := &cobra.Command{
		Use:   "gen --cfg NAME --cover edges|walks|goals|mutants --out FOLDER",
		Short: "write traces of the model",
		Long: long(`Write traces of the model of a cfg into a folder, one file each.

  edges    paths that together take every edge of the cfg's state graph
  walks    random walks in the shape of the cfg, far beyond its bounds
  goals    random walks that end where they reach a goal, such as "a nack drops an op":
           each goal in turn, or those of --goal; --goal list prints their names, and
           without --cfg the goals of all modules with a cfg that has them
  mutants  the counterexample of each mutant that shows within the cfg's bounds; of a
           mutant's cfg, its own; of --cfg all, one for each mutant's cfg of module VSR

A cfg of another module than VSR has goals only; what its walks show has no trace format of
ours, so they are written in that of the TLA+ tools (ITF).

How often each action was taken, each rule was at stake and each goal was reached is
printed for all but mutants.`,
			"viewstamp trace gen --cfg ci-110 --cover edges --out edges",
			"viewstamp trace gen --cfg ci-111 --cover walks --count 500 --seed 7 --out walks",
			"viewstamp trace gen --cfg ci-111 --cover goals --out goals",
			"viewstamp trace gen --goal list",
			"viewstamp trace gen --cfg transfer-all-views --goal ElectTransfers --out elect",
			`viewstamp trace gen --cfg ci-111 --goal "a nack drops an op" --count 5 --out nacks`,
			"viewstamp trace gen --cfg all --cover mutants --out mutants",
			"viewstamp trace gen --cfg bug-no_nonce --cover mutants --out mutants"),
		Args: none,
	}
	flags := command.Flags()
	flags.StringVar(&g.cfg, "cfg", "", "cfg of spec/manifest.json; all, for mutants")
	flags.StringVar(&g.cover, "cover", "", "edges, walks, goals or mutants")
	flags.StringArrayVar(&g.goals, "goal", nil,
		"walk towards this goal, may be repeated; --cover is goals then; list: print their names")
	flags.IntVar(&g.count, "count", 0,
		"traces at most, of goals each; 0: all, 100 walks, 1 for each goal")
	flags.Uint64Var(&g.seed, "seed", 1, "seed of the first walk; the others follow")
	flags.StringVar(&g.out, "out", "", "folder to write into, new or without traces")
	asJSON := jsonFlag(flags)
	command.RunE = func(command *cobra.Command, _ []string) error { return g.run(command, *asJSON) }
	return command
}

// generation is one run of "viewstamp trace gen".
type generation struct {
	tool                  *tool
	cfg, cover, out       string
	goals                 []string
	count                 int
	seed                  uint64
	tracesDone, eventDone int
	bar                   *progress
	coverage              generate.Coverage
}

// errEnough ends a generation that has written what was asked for.
var errEnough = errors.New("enough")

func (g *generation) run(command *cobra.Command, asJSON bool) error {
	if slices.Equal(g.goals, []string{listGoal}) {
		return g.printGoals(asJSON)
	}
	if done, err := g.ways(command, asJSON); done {
		return err
	}
	if len(g.goals) > 0 && g.cover == "" {
		g.cover = verify.CoverGoals
	}
	cfg, err := g.validate(command)
	if err != nil {
		return err
	}
	if err := emptyFolder(g.out); err != nil {
		return err
	}
	report := g.tool.report("trace gen", asJSON)
	g.bar = report.bar
	if g.cfg == allCfgs {
		err = g.writeMutants(command.Context())
	} else {
		err = g.write(command.Context(), cfg)
	}
	g.bar.clear()
	if err != nil && !errors.Is(err, errEnough) {
		return fmt.Errorf("generate traces: %w; %d are in %s", err, g.tracesDone, g.out)
	}
	if asJSON {
		report.add(verify.Done("gen/"+g.cfg+"-"+g.cover, verify.EngineGo, g.figures(), fmt.Sprintf(
			"viewstamp trace gen --cfg %s --cover %s --count %d --seed %d --out %s",
			g.cfg, g.cover, g.count, g.seed, g.out)))
		return report.end()
	}
	fmt.Fprintf(g.tool.stdout, "%s traces with %s events of %s (%s) written to %s\n",
		number(float64(g.tracesDone)), number(float64(g.eventDone)), g.cfg, g.cover, g.out)
	if g.cover != verify.CoverMutants {
		return g.printCoverage(cfg)
	}
	return nil
}

func (g *generation) validate(command *cobra.Command) (spec.Cfg, error) {
	switch {
	case g.cfg == "" || g.cover == "" || g.out == "":
		return spec.Cfg{}, usage(command, "expected --cfg NAME, --cover edges|walks|goals|"+
			"mutants and --out FOLDER")
	case !slices.Contains(covers, g.cover):
		return spec.Cfg{}, usage(command, "--cover %q: expected %s", g.cover,
			strings.Join(covers, ", "))
	case g.count < 0:
		return spec.Cfg{}, usage(command, "--count %d: expected at least 0", g.count)
	}
	if g.cfg == allCfgs && g.cover == verify.CoverMutants {
		return spec.Cfg{}, nil
	}
	cfg, err := g.lookup(command)
	if err != nil {
		return spec.Cfg{}, err
	}
	return cfg, g.validateGoals(command, cfg)
}

// lookup finds the cfg.
func (g *generation) lookup(command *cobra.Command) (spec.Cfg, error) {
	if g.cfg == "" {
		return spec.Cfg{}, usage(command, "expected --cfg NAME")
	}
	cfg, err := spec.Lookup(g.cfg)
	if err != nil {
		return spec.Cfg{}, err
	}
	if !check.HasTraces(cfg) {
		return spec.Cfg{}, usage(command, "cfg %s is of module %s, whose actions no trace has; "+
			"expected one of VSR, or --cover goals", cfg.Name, cfg.Module)
	}
	return cfg, nil
}

func (g *generation) write(ctx context.Context, cfg spec.Cfg) error {
	switch g.cover {
	case verify.CoverEdges:
		return verify.EachEdgeCounted(ctx, cfg, &g.coverage, g.numbered)
	case verify.CoverWalks:
		if g.count == 0 {
			g.count = walksDefault
		}
		return verify.EachWalkCounted(cfg, g.seed, g.count, &g.coverage, func(t *traces.Trace) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return g.save(fmt.Sprintf("walk-%05d", t.Header.Seed), t)
		})
	}
	if g.cover == verify.CoverGoals {
		return g.writeGoals(ctx, cfg)
	}
	silent, err := verify.EachCounterexample(ctx, cfg, func(t *traces.Trace) error {
		return g.save(t.Header.Mutant, t)
	})
	if len(silent) > 0 {
		fmt.Fprintf(g.tool.stderr, "viewstamp: no counterexample within the bounds of %s: %s\n",
			cfg.Name, strings.Join(silent, ", "))
	}
	return err
}

// writeMutants writes the counterexample of each mutant's cfg, named by the cfg.
func (g *generation) writeMutants(ctx context.Context) error {
	manifest, err := spec.Read()
	if err != nil {
		return err
	}
	for _, cfg := range manifest.Select(func(c spec.Cfg) bool {
		return !c.IsClean() && check.HasTraces(c)
	}) {
		_, err := verify.EachCounterexample(ctx, cfg, func(t *traces.Trace) error {
			return g.save(cfg.Name, t)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// numbered saves a trace of the edge cover under its number.
func (g *generation) numbered(t *traces.Trace) error {
	return g.save(fmt.Sprintf("edges-%05d", g.tracesDone+1), t)
}

func (g *generation) save(name string, t *traces.Trace) error {
	if g.count > 0 && g.cover != verify.CoverGoals && g.tracesDone == g.count {
		return errEnough
	}
	g.bar.show(name, g.tracesDone, max(g.count, -1))
	if err := traces.WriteFile(filepath.Join(g.out, name+".jsonl"), t); err != nil {
		return err
	}
	g.tracesDone++
	g.eventDone += len(t.Events)
	return nil
}
