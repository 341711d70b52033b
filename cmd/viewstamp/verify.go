package main

import (
	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
)

func (t *tool) verify() *cobra.Command {
	command := &cobra.Command{
		Use:   "verify [--quick] [--json]",
		Short: "everything, one table",
		Long: long(`Run every check of the project and print one table.

The models of all cfgs in Go and in TLC; every mutant, which must be caught as the
manifest says; the state graphs of both; generated traces replayed on real cores;
recorded traces explained by the model; negative controls of all of these; the
simulator's swarm; the scenarios; histories with known verdicts.

TLC needs Java and its jar, which Maven fetches once. Where they are missing its checks
are skipped and not counted as passed; VIEWSTAMP_REQUIRE_TLC=1 makes that a failure.

Minutes on two cores; --quick takes a slice of each layer and less than one.`,
			"viewstamp verify --quick        before a commit",
			"viewstamp verify --json > v.json"),
		Args: none,
	}
	quick := command.Flags().Bool("quick", false, "a slice of each layer, in less than a minute")
	asJSON := jsonFlag(command.Flags())
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		report := t.report("verify", *asJSON)
		report.bar.show("looking for TLC", 0, -1)
		sizes := verify.Full()
		if *quick {
			sizes = verify.Quick()
		}
		sections, err := verify.Plan(sizes, verify.FindTLC(ctx))
		report.bar.clear()
		report.bar = newProgress(t.stderr)
		if err != nil {
			report.add(verify.Errored("spec/manifest", verify.EngineGo, "viewstamp verify", err))
			return report.end()
		}
		return report.run(ctx, sections)
	}
	return command
}
