package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/traces"
)

func (t *tool) traceShow() *cobra.Command {
	command := &cobra.Command{
		Use:   "show [--op N] [--replica R] FILE",
		Short: "print a trace: what each step changed",
		Long: long(`Print a trace for reading: for each event, what it changed in its replica.`,
			"viewstamp trace show run.jsonl",
			"viewstamp trace show --op 21 run.jsonl         what happened to op 21",
			"viewstamp trace show --replica 1 run.jsonl     what replica 1 did"),
		Args: one("FILE"),
	}
	op := command.Flags().Uint64("op", 0, "only events that concern this op, from 1 on")
	replica := command.Flags().Int("replica", traces.AllReplicas, "only events of this replica")
	asJSON := jsonFlag(command.Flags())
	command.RunE = func(command *cobra.Command, args []string) error {
		if command.Flags().Changed("op") && *op == 0 {
			return usage(command, "--op 0: expected an op from 1 on")
		}
		trace, err := traces.ReadFile(args[0])
		if err != nil {
			return err
		}
		last := trace.Header.Replicas - 1
		if command.Flags().Changed("replica") && (*replica < 0 || *replica > last) {
			return usage(command, "--replica %d: the trace has replicas 0 to %d", *replica, last)
		}
		if *asJSON {
			report := t.report("trace show", true)
			report.add(verify.Done("show/"+args[0], verify.EngineGo, verify.Figures{
				verify.FigureEvents: float64(len(trace.Events)),
			}, "viewstamp trace show "+args[0]))
			return report.end()
		}
		if err := traces.Show(t.stdout, trace, traces.Filter{Op: *op, Replica: *replica}); err != nil {
			return fmt.Errorf("show trace: %w", err)
		}
		return nil
	}
	return command
}
