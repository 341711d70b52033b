package main

import (
	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/spec"
)

// benchWorkers is the number of threads of each engine.
const benchWorkers = 2

// benchCfgs are large enough for the start of Java not to count.
var benchCfgs = []string{"ci-211-lazy", "sessions"}

func (t *tool) bench() *cobra.Command {
	command := &cobra.Command{
		Use:   "bench",
		Short: "measure, and fail where it is too slow",
		RunE:  t.group,
		Args:  cobra.ArbitraryArgs,
	}
	command.AddCommand(t.benchCheck())
	return command
}

func (t *tool) benchCheck() *cobra.Command {
	command := &cobra.Command{
		Use:   "check [--cfg NAME ...]",
		Short: "compare the speed of the Go models with TLC's",
		Long: long(`Explore the same cfgs with the Go model and with TLC, one after the other with two
threads each, and compare distinct states per second of CPU time, user and system. TLC's
is that of its process, with the start of Java. Less than ten times TLC's has failed.`,
			"viewstamp bench check",
			"viewstamp bench check --cfg ci-210 --cfg journal"),
		Args: none,
	}
	cfgs := command.Flags().StringArray("cfg", benchCfgs, "cfg of spec/manifest.json; may be repeated")
	asJSON := jsonFlag(command.Flags())
	command.RunE = func(command *cobra.Command, _ []string) error {
		models := &verify.Models{}
		models.Options.Workers = benchWorkers
		var section verify.Section
		for _, name := range *cfgs {
			cfg, err := spec.Lookup(name)
			if err != nil {
				return err
			}
			if !cfg.IsClean() {
				return usage(command, "cfg %s is a mutant's, whose search ends early; "+
					"expected a clean cfg", name)
			}
			section.Jobs = append(section.Jobs, models.Bench(cfg))
		}
		if len(section.Jobs) == 0 {
			return usage(command, "no cfg, expected --cfg NAME")
		}
		models.TLC = verify.FindTLC(command.Context())
		report := t.report("bench check", *asJSON)
		return report.runOn(command.Context(), []verify.Section{section}, 1)
	}
	return command
}
