package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/impl/sim/nodes"
)

func (t *tool) simShrink() *cobra.Command {
	var f nodesFlags
	command := &cobra.Command{
		Use:   "shrink --seed N",
		Short: "the smallest run of whole processes that fails like a seed",
		Long: long(`Leave out kinds of fault, groups, clients, processes and ticks, one after the other,
as long as the run fails in the same way, and print the command that runs what is left.
The flags are those of "sim nodes", with which the seed fails.`,
			"viewstamp sim shrink --seed 3 --defect execute_twice"),
		Args: none,
	}
	flags := command.Flags()
	seed := flags.Uint64("seed", 1, "a seed that fails")
	f.add(flags)
	asJSON := jsonFlag(flags)
	command.RunE = func(command *cobra.Command, _ []string) error {
		options, err := f.options(command)
		if err != nil {
			return err
		}
		options.Seed, options.Judge = *seed, verify.JudgeNodes
		report := t.report("sim shrink", *asJSON)
		report.details = true
		smallest, err := nodes.Shrink(command.Context(), options, func(runs int) {
			report.bar.show(fmt.Sprintf("%d runs", runs), runs, -1)
		})
		if err != nil {
			report.bar.clear()
			return fmt.Errorf("shrink seed %d: %w", *seed, err)
		}
		report.add(verify.NodesRun(smallest))
		return report.end()
	}
	return command
}
