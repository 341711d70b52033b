package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/spec"
)

// engineBoth is the value of --engine for both model checkers.
const engineBoth = "both"

// checkFlags are the flags of "viewstamp check".
type checkFlags struct {
	cfg, engine, bug, tier, writeGolden string
	exports                             exports
	mutants, all, graphs, golden, json  bool
	core, full                          bool
	codeMutants, writeTable             bool
	bySwarm, rate                       bool
	seeds                               uint64
	name                                string
	limits                              limits
	// told are the cfgs whose counterexamples are told as stories, others those that show
	// the same mutants of the same modules.
	told, others []string
}

func (t *tool) check() *cobra.Command {
	var f checkFlags
	command := &cobra.Command{
		Use:   "check --cfg NAME | --bug NAME | --mutants | --all | --graphs | --golden",
		Short: "explore the models: cfgs, mutants, state graphs",
		Long:  checkHelp,
		Args:  none,
	}
	f.flags(command.Flags())
	command.RunE = func(command *cobra.Command, _ []string) error {
		switch {
		case f.codeMutants:
			return t.checkCode(command, f)
		case f.name != "" || f.writeTable || f.bySwarm || f.rate || command.Flags().Changed("seeds"):
			return usage(command, "--name, --write-table, --by-swarm and --seeds: expected "+
				"--code-mutants with them")
		case f.core:
			return t.checkCore(command, f)
		}
		manifest, err := spec.Read()
		if err != nil {
			return err
		}
		if f.bug != "" && f.cfg == "" && len(f.modes()) == 0 {
			f.told, f.others, err = cfgsOfMutant(command, manifest, f.bug)
			if err != nil {
				return err
			}
			f.cfg = f.told[0]
		}
		if err := f.validate(command, manifest); err != nil {
			return err
		}
		if err := f.validateTold(command); err != nil {
			return err
		}
		if err := f.validateLimits(command); err != nil {
			return err
		}
		if f.writeGolden != "" {
			return t.writeGoldenFiles(command.Context(), f)
		}
		t.sayOthers(f)
		if err := t.warnOfChanges(f, manifest); err != nil {
			return err
		}
		return t.runCheck(command.Context(), f, manifest)
	}
	return command
}

// flags declares the flags.
func (f *checkFlags) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.cfg, "cfg", "", "cfg of spec/manifest.json, such as ci-111")
	flags.StringVar(&f.engine, "engine", verify.EngineGo, "go, tlc or both")
	flags.StringVar(&f.bug, "bug", "", "tell the counterexample of this mutant, of its own cfg; "+
		"with --cfg, switch it on there in place of the cfg's own")
	flags.BoolVar(&f.full, "full", false, "show the whole initial state in a story of --bug")
	f.exports.flags(flags)
	f.limits.flags(flags)
	flags.BoolVar(&f.mutants, "mutants", false, "check that each mutant is caught")
	flags.BoolVar(&f.all, "all", false, "check all cfgs of the tier, mutants among them")
	flags.StringVar(&f.tier, "tier", spec.TierCI, "ci or nightly (which contains ci), for --all")
	flags.BoolVar(&f.core, "core", false,
		"drive real cores through all interleavings, of --cfg or of --all")
	flags.BoolVar(&f.codeMutants, "code-mutants", false,
		"check that each mutant of the production code is caught")
	flags.StringVar(&f.name, "name", "",
		"only these, for --code-mutants: names, or patterns such as wal_*, with commas")
	flags.BoolVar(&f.bySwarm, "by-swarm", false,
		"with --code-mutants: seeds of the simulator must find them, by themselves")
	flags.BoolVar(&f.rate, "rate", false,
		"with --by-swarm: all seeds run, and it says how many fail")
	flags.Uint64Var(&f.seeds, "seeds", huntSeeds, "the seeds that have to, from 1, for --by-swarm")
	flags.BoolVar(&f.writeTable, "write-table", false,
		"write the table of --code-mutants into the source tree, with the seconds of this run")
	flags.BoolVar(&f.graphs, "graphs", false,
		"compare the labelled state graphs of Go and TLC, of --cfg or of all golden cfgs")
	flags.BoolVar(&f.golden, "golden", false,
		"compare the Go model's state graphs with the golden files, of --cfg or of all")
	flags.StringVar(&f.writeGolden, "write-golden", "",
		"write golden files into this folder, where Go and TLC agree")
	flags.BoolVar(&f.json, "json", false, "print one JSON object on stdout and nothing else")
}

// modes are the flags that say what to check, of those that were given.
func (f checkFlags) modes() []string {
	var modes []string
	for _, mode := range []struct {
		name string
		set  bool
	}{
		{"--mutants", f.mutants},
		{"--all", f.all},
		{"--graphs", f.graphs},
		{"--golden", f.golden},
		{"--write-golden", f.writeGolden != ""},
	} {
		if mode.set {
			modes = append(modes, mode.name)
		}
	}
	return modes
}

// validate refuses flags that make no sense together.
func (f checkFlags) validate(command *cobra.Command, manifest *spec.Manifest) error {
	modes := f.modes()
	narrow := f.cfg != "" || f.bug != "" || f.exports.any()
	switch {
	case len(modes) == 0 && f.cfg == "":
		return usage(command, "nothing to check, expected --cfg NAME, --mutants, --all, "+
			"--graphs, --golden or --write-golden DIR")
	case len(modes) > 1:
		return usage(command, "%s: expected one of them", strings.Join(modes, " and "))
	case narrow && (f.mutants || f.all):
		return usage(command, "--cfg, --bug, --trace, --tla, --itf and --mermaid do not go "+
			"with %s", modes[0])
	case f.bug != "" && f.cfg == "":
		return usage(command, "--bug %s: expected --cfg NAME with it and %s", f.bug, modes[0])
	case f.bug != "" && f.writeGolden != "":
		return usage(command, "--bug does not go with --write-golden: golden files are clean")
	case f.golden && (f.bug != "" || f.engine != verify.EngineGo):
		return usage(command, "--golden compares the clean Go model with the golden files: "+
			"--bug and --engine do not go with it")
	case !slices.Contains([]string{verify.EngineGo, verify.EngineTLC, engineBoth}, f.engine):
		return usage(command, "--engine %q: expected go, tlc or both", f.engine)
	case f.tier != spec.TierCI && f.tier != spec.TierNightly:
		return usage(command, "--tier %q: expected ci or nightly", f.tier)
	}
	if err := f.exports.validate(command); err != nil {
		return err
	}
	if f.cfg == "" {
		return nil
	}
	cfg, err := manifest.Lookup(f.cfg)
	if err != nil {
		return err
	}
	return f.validateCfg(command, cfg, len(modes) > 0)
}

func (f checkFlags) validateCfg(command *cobra.Command, cfg spec.Cfg, graph bool) error {
	mutants, err := spec.Mutants(cfg.Module)
	if err != nil {
		return err
	}
	var names []string
	for _, m := range mutants {
		names = append(names, m.Name)
	}
	switch {
	case f.bug != "" && !slices.Contains(names, f.bug):
		return usage(command, "--bug %q: not a mutant of %s, expected one of %s", f.bug, cfg.Module,
			strings.Join(names, ", "))
	case f.exports.any() && (graph || f.engine == verify.EngineTLC):
		return usage(command, "--trace, --tla, --itf and --mermaid: only the Go model's "+
			"counterexamples are written, expected --engine go or both")
	case f.exports.trace != "" && !check.HasTraces(cfg):
		return usage(command, "--trace: cfg %s is of module %s, whose actions no trace has; "+
			"expected one of VSR", cfg.Name, cfg.Module)
	case graph && !cfg.IsClean():
		return usage(command, "cfg %s is a mutant's: its state graph is not compared, "+
			"expected a clean cfg", cfg.Name)
	case (f.golden || f.writeGolden != "") && !cfg.Golden:
		return usage(command, "cfg %s has no golden file; the manifest says which have", cfg.Name)
	}
	return nil
}

// needsTLC reports whether the checks run TLC.
func (f checkFlags) needsTLC() bool {
	return f.graphs || f.writeGolden != "" || !f.golden && f.engine != verify.EngineGo
}

// runCheck checks what the flags ask for.
func (t *tool) runCheck(ctx context.Context, f checkFlags, manifest *spec.Manifest) error {
	report := t.report("check", f.json)
	models := &verify.Models{TLC: verify.NoTLC("not asked for")}
	models.Options.Bug = f.bug
	models.Options.MemoryMax = int64(f.limits.memory)
	models.Options.SaveTo, models.Options.ResumeFrom = f.limits.save, f.limits.resume
	ctx, stop := f.limits.within(ctx)
	defer stop()
	if f.needsTLC() {
		models.TLC = verify.FindTLC(ctx)
	}
	report.minor = true
	if f.cfg != "" {
		report.details = true
		models.Options.Workers = runtime.GOMAXPROCS(0)
		if !f.graphs && !f.golden && f.engine == verify.EngineGo {
			models.Options.Progress = report.bar.states
		}
	}
	if len(f.told) > 0 {
		models.Options.Bug = "" // It is the cfg's own.
		models.Tell, models.TellAll = true, f.full
	}
	report.do(ctx, f.sections(models, manifest), runtime.GOMAXPROCS(0))
	if err := models.Refused(); err != nil {
		return err
	}
	verdict := report.end()
	if f.exports.any() {
		if err := t.export(f.exports, models.Counterexample(f.cfg)); err != nil {
			return err
		}
	}
	return verdict
}

// sections are what the flags ask for.
func (f checkFlags) sections(models *verify.Models, manifest *spec.Manifest) []verify.Section {
	s := selection{models: models, manifest: manifest, engine: f.engine}
	golden := func(c spec.Cfg) bool { return c.Golden && (f.cfg == "" || c.Name == f.cfg) }
	switch {
	case f.graphs && f.cfg != "":
		golden = func(c spec.Cfg) bool { return c.Name == f.cfg }
		fallthrough
	case f.graphs:
		return []verify.Section{s.jobs(golden, models.Graphs)}
	case f.golden && f.cfg != "":
		return []verify.Section{s.jobs(golden, models.Golden)}
	case f.golden:
		return []verify.Section{
			{Jobs: []verify.Job{verify.Manifest(), verify.GoldenFiles()}},
			s.jobs(golden, models.Golden),
			{Jobs: []verify.Job{models.Adequacy(manifest.GoldenCfgs())}},
		}
	case f.mutants:
		return s.mutants()
	case f.all:
		return s.all(f.tier)
	}
	return s.both(f.names)
}

// names reports whether a cfg is one of those that the flags name.
func (f checkFlags) names(c spec.Cfg) bool {
	return c.Name == f.cfg || slices.Contains(f.told, c.Name)
}

// selection makes sections of the cfgs of the manifest.
type selection struct {
	models   *verify.Models
	manifest *spec.Manifest
	engine   string
}

func (s selection) jobs(keep func(spec.Cfg) bool, job func(spec.Cfg) verify.Job) verify.Section {
	var section verify.Section
	for _, cfg := range s.manifest.Select(keep) {
		section.Jobs = append(section.Jobs, job(cfg))
	}
	return section
}

// both are sections for the engines that were asked for.
func (s selection) both(keep func(spec.Cfg) bool) []verify.Section {
	var sections []verify.Section
	if s.engine != verify.EngineTLC {
		sections = append(sections, s.jobs(keep, s.models.Go))
	}
	if s.engine != verify.EngineGo {
		sections = append(sections, s.jobs(keep, s.models.ByTLC))
	}
	return sections
}

func (s selection) mutants() []verify.Section {
	mutants := s.manifest.Select(func(c spec.Cfg) bool { return !c.IsClean() })
	var sections []verify.Section
	if s.engine != verify.EngineTLC {
		sections = append(sections,
			verify.MutantSection("mutants/go", verify.EngineGo, mutants, s.models.Go),
			verify.Section{Jobs: s.models.ClaimJobs(s.manifest)})
	}
	if s.engine != verify.EngineGo {
		sections = append(sections, verify.MutantSection("mutants/tlc", verify.EngineTLC,
			mutants, s.models.ByTLC))
	}
	return sections
}

// all are all cfgs of a tier, and whether together they cover the models.
func (s selection) all(tier string) []verify.Section {
	nightly := tier == spec.TierNightly
	var sections []verify.Section
	if s.engine != verify.EngineTLC {
		sections = append(sections, s.jobs(func(c spec.Cfg) bool {
			return nightly || c.Tier == tier
		}, s.models.Go), s.models.Coverage())
	}
	if s.engine != verify.EngineGo {
		sections = append(sections, s.jobs(func(c spec.Cfg) bool {
			return c.TierTLC == tier || nightly && c.TierTLC == spec.TierCI
		}, s.models.ByTLC))
	}
	return sections
}

// writeGoldenFiles is --write-golden.
func (t *tool) writeGoldenFiles(ctx context.Context, f checkFlags) error {
	if info, err := os.Stat(f.writeGolden); err != nil || !info.IsDir() {
		return fmt.Errorf("--write-golden %s: no such folder, expected one", f.writeGolden)
	}
	report := t.report("check", f.json)
	written := 0
	for _, c := range verify.WriteGolden(ctx, verify.FindTLC(ctx), f.writeGolden, f.cfg) {
		report.add(c)
		if c.Status == verify.Passed {
			written++
		}
	}
	fmt.Fprintf(t.stderr, "viewstamp: %d golden files written to %s\n", written, f.writeGolden)
	return report.end()
}
