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
	command.AddCommand(t.benchCheck(), t.benchWAL(), t.benchConform(), t.benchLin(), t.benchSim(),
		t.benchNode())
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
		Long: long(`Append prepares to a log on disk by 1, 16, 64 and 256 appenders, with bodies of 256 B
and 4 KiB, through the lane that the hosts of a process use, and wait for the flush. One
appender alternates with a bare loop, which overwrites a pre-zeroed file and flushes. As in a
process, who has appended works for the lane unless another does. A bare
loop whose writes go past the page cache alternates with one through it. Recovery of a log of
128 MiB alternates with reading its files.
The figures say whether the goals are met, 0.9 and 0.5 of the bare speed: the median of the
ratios of alternating rounds, with the tenth and the ninetieth percentile beside it.`,
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
		for _, bytes := range []int{4096, 65536} {
			section.Jobs = append(section.Jobs, verify.BenchDirect(*dir, bytes))
		}
		for _, bytes := range []int{256, 4096, 65536} {
			section.Jobs = append(section.Jobs, verify.BenchRecovery(*dir, bytes))
		}
		report := t.report("bench wal", *asJSON)
		return report.runOn(command.Context(), []verify.Section{section}, 1)
	}
	return command
}

func (t *tool) benchConform() *cobra.Command {
	return t.benchAlone("conform", "how fast recorded traces are held against the model",
		long(`Record runs of the simulator and ask whether the model explains them, from the text of
the trace to the verdict: events per second of CPU time, user and system, the best of three,
and what the checker holds at the end. Less than 50,000 has failed.`,
			"viewstamp bench conform"), verify.BenchConform)
}

func (t *tool) benchLin() *cobra.Command {
	return t.benchAlone("lin", "how fast histories are decided, and Porcupine on the same ones",
		long(`Decide histories of a million operations of 64 clients on one register, and on one
partition's log, a hundredth of them unanswered: operations per second of CPU time, the best
of three. More than 2 s or 1 GiB has failed. Then smaller ones that a search can decide, too,
both ways: the search is Porcupine's, of the operations that matter.`,
			"viewstamp bench lin"), verify.BenchLin)
}

func (t *tool) benchSim() *cobra.Command {
	return t.benchAlone("sim", "how fast the simulators are",
		long(`Run fixed seeds of the simulators, of cores alone and of whole nodes, at three replicas
without faults and in swarm mode: ticks and committed requests per second of CPU time, user
and system. The figures say whether the goals are met, 100,000 requests without faults and
10,000 in swarm mode. Without faults the clients of whole nodes do not read, which commits
nothing, and three checks of the swarm are left out, which the figures say too: the disks are
not searched for what a process promises or a client was told of.`,
			"viewstamp bench sim"), verify.BenchSim)
}

// benchAlone is a benchmark without flags but --json, whose jobs run one at a time.
func (t *tool) benchAlone(
	name, short, text string, jobs func() []verify.Job,
) *cobra.Command {
	command := &cobra.Command{Use: name, Short: short, Long: text, Args: none}
	asJSON := jsonFlag(command.Flags())
	command.RunE = func(command *cobra.Command, _ []string) error {
		report := t.report("bench "+name, *asJSON)
		return report.runOn(command.Context(), []verify.Section{{Jobs: jobs()}}, 1)
	}
	return command
}
