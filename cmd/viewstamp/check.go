package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
	limits                              limits
}

func (t *tool) check() *cobra.Command {
	var f checkFlags
	command := &cobra.Command{
		Use:   "check --cfg NAME | --bug NAME | --mutants | --all | --graphs | --golden",
		Short: "explore the models: cfgs, mutants, state graphs",
		Long: long(`Explore the states of spec/'s modules, with the Go model or with TLC, and compare what
is found with spec/manifest.json: distinct states and depth of a clean cfg, property and
length of a mutant's counterexample.

A counterexample is printed step by step, with --bug as a story; --trace, --tla, --itf
and --mermaid also write it to a file.

A long search can be bounded by --memory and --time. --save keeps one that ends undecided,
and --resume goes on with it, under the same cfg and modules: the figures at its end are
those of a search that was never interrupted.`,
			"viewstamp check --cfg ci-111                      one cfg, with the Go model",
			"viewstamp check --cfg ci-110 --engine both        and with TLC",
			"viewstamp check --cfg bug-no_nonce --trace x.jsonl",
			"viewstamp check --bug no_nonce                    what a defect leads to, as a story",
			"viewstamp check --bug no_nonce --mermaid x.mmd    and as a sequence diagram",
			"viewstamp check --bug no_nonce --itf x.itf.json   and for the TLA+ tools",
			"viewstamp check --cfg ci-111 --bug no_nonce       a defect where none belongs: fails",
			"viewstamp check --cfg journal-views --memory 2GiB --time 8h --save x.search",
			"viewstamp check --cfg journal-views --resume x.search --save x.search",
			"viewstamp check --mutants                         each must be caught",
			"viewstamp check --all --tier nightly --engine both",
			"viewstamp check --graphs --cfg ci-110             Go and TLC: the same state graph?",
			"viewstamp check --golden                          the graphs of the golden files?"),
		Args: none,
	}
	flags := command.Flags()
	flags.StringVar(&f.cfg, "cfg", "", "cfg of spec/manifest.json, such as ci-111")
	flags.StringVar(&f.engine, "engine", verify.EngineGo, "go, tlc or both")
	flags.StringVar(&f.bug, "bug", "", "tell the counterexample of this mutant, of its own cfg; "+
		"with --cfg, switch it on there in place of the cfg's own")
	f.exports.flags(flags)
	f.limits.flags(flags)
	flags.BoolVar(&f.mutants, "mutants", false, "check that each mutant is caught")
	flags.BoolVar(&f.all, "all", false, "check all cfgs of the tier, mutants among them")
	flags.StringVar(&f.tier, "tier", spec.TierCI, "ci or nightly (which contains ci), for --all")
	flags.BoolVar(&f.graphs, "graphs", false,
		"compare the labelled state graphs of Go and TLC, of --cfg or of all golden cfgs")
	flags.BoolVar(&f.golden, "golden", false,
		"compare the Go model's state graphs with the golden files, of --cfg or of all")
	flags.StringVar(&f.writeGolden, "write-golden", "",
		"write golden files into this folder, where Go and TLC agree")
	flags.BoolVar(&f.json, "json", false, "print one JSON object on stdout and nothing else")
	command.RunE = func(command *cobra.Command, _ []string) error {
		manifest, err := spec.Read()
		if err != nil {
			return err
		}
		told := f.bug != "" && f.cfg == "" && len(f.modes()) == 0
		if told {
			if f.cfg, err = t.cfgOfMutant(command, manifest, f.bug); err != nil {
				return err
			}
		}
		if err := f.validate(command, manifest); err != nil {
			return err
		}
		if err := f.validateLimits(command); err != nil {
			return err
		}
		if f.writeGolden != "" {
			return t.writeGoldenFiles(command.Context(), f)
		}
		return t.runCheck(command.Context(), f, manifest, told)
	}
	return command
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

// runCheck checks what the flags ask for; told asks for a story of the mutant.
func (t *tool) runCheck(
	ctx context.Context, f checkFlags, manifest *spec.Manifest, told bool,
) error {
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
	if told {
		models.Options.Bug = "" // It is the cfg's own.
		models.Tell = true
	}
	verdict := report.run(ctx, f.sections(models, manifest))
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
	return s.both(func(c spec.Cfg) bool { return c.Name == f.cfg })
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
