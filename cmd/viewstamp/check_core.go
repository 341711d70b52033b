package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces/refine"
)

// checkCore is --core: real cores are driven through all interleavings.
func (t *tool) checkCore(command *cobra.Command, f checkFlags) error {
	other := f.mutants || f.graphs || f.golden || f.writeGolden != "" || f.bug != "" ||
		f.exports.any() || f.engine != verify.EngineGo
	switch {
	case other || f.limits.memory != 0 || f.limits.save != "" || f.limits.resume != "":
		return usage(command, "--core: expected --cfg NAME, or --all with or without --tier, "+
			"and no other flag but --json and --time")
	case f.all == (f.cfg != ""):
		return usage(command, "--core: expected either --cfg NAME or --all")
	case f.tier != spec.TierCI && f.tier != spec.TierNightly:
		return usage(command, "--tier %q: expected ci or nightly", f.tier)
	}
	report := t.report("check", f.json)
	report.details = true
	ctx, stop := f.limits.within(command.Context())
	defer stop()
	var section verify.Section
	for _, cfg := range refine.Cfgs() {
		if f.all && (f.tier == spec.TierNightly || !cfg.Nightly) {
			section.Jobs = append(section.Jobs, verify.Core(cfg, 1, nil))
		}
	}
	if f.cfg != "" {
		cfg, err := refine.Lookup(f.cfg)
		if err != nil {
			return err
		}
		progress := func(at explore.Progress) {
			report.bar.states(check.Progress{Cfg: cfg.Name, Progress: at})
		}
		section.Jobs = []verify.Job{verify.Core(cfg, runtime.GOMAXPROCS(0), progress)}
	}
	return report.run(ctx, []verify.Section{section})
}
