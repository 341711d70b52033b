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
		Short: "measure",
		RunE:  t.group,
		Args:  cobra.ArbitraryArgs,
	}
	command.AddCommand(t.benchCheck(), t.benchWAL(), t.benchNode())
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

func (t *tool) benchWAL() *cobra.Command {
	command := &cobra.Command{
		Use:   "wal [--dir DIR]",
		Short: "compare appends with a bare flush, and recovery with reading",
		Long: long(`Append to a log on disk by 1, 16, 64 and 256 appenders, 256 B and 4 KiB each, and wait
for the flush. One appender alternates with a bare loop, which overwrites a pre-zeroed
file and flushes; recovery of a log of 128 MiB with reading its files. The figures say
whether the goals are met, 0.9 and 0.5 of the bare speed: the median of the ratios of
alternating rounds, with the tenth and the ninetieth percentile beside it.`,
			"viewstamp bench wal",
			"viewstamp bench wal --dir /var/lib"),
		Args: none,
	}
	dir := command.Flags().String("dir", "", "directory on the disk to measure; the system's for "+
		"temporary files if empty")
	asJSON := jsonFlag(command.Flags())
	command.RunE = func(command *cobra.Command, _ []string) error {
		var section verify.Section
		for _, bytes := range []int{256, 4096} {
			for _, appenders := range []int{1, 16, 64, 256} {
				section.Jobs = append(section.Jobs, verify.BenchWAL(*dir, appenders, bytes))
			}
		}
		for _, bytes := range []int{256, 4096, 65536} {
			section.Jobs = append(section.Jobs, verify.BenchRecovery(*dir, bytes))
		}
		report := t.report("bench wal", *asJSON)
		return report.runOn(command.Context(), []verify.Section{section}, 1)
	}
	return command
}
