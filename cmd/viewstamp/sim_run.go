package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/traces"
)

func (t *tool) simRun() *cobra.Command {
	var f simFlags
	command := &cobra.Command{
		Use:   "run --seed N",
		Short: "one run of the simulator",
		Long: long("Run one seed. Equal seeds and flags give equal runs.",
			"viewstamp sim run --seed 7",
			"viewstamp sim run --seed 7 --trace run.jsonl --history run.history.jsonl",
			"viewstamp sim run --seed 2 --faults heavy --defect no_nonce"),
		Args: none,
	}
	flags := command.Flags()
	seed := flags.Uint64("seed", 1, "decides everything that is left to chance")
	f.add(flags)
	trace := flags.String("trace", "", "write what happened to this file, as a trace")
	history := flags.String("history", "", "write what the clients saw to this file")
	asJSON := jsonFlag(flags)
	command.RunE = func(command *cobra.Command, _ []string) error {
		options, err := f.options(command)
		if err != nil {
			return err
		}
		if *trace != "" && *history != "" && sameFile(*trace, *history) {
			return usage(command, "--trace and --history are both %s: expected two files", *trace)
		}
		options.Seed = *seed
		report := t.report("sim run", *asJSON)
		report.details = true
		report.bar.show(fmt.Sprintf("seed %d", *seed), 0, -1)
		var result *sim.Result
		ctx := command.Context()
		if !verify.Within(ctx, func() { result, err = runOnce(options, *trace, *history) }) {
			name := fmt.Sprintf("sim/seed-%d", *seed)
			report.add(verify.Interrupted(ctx, name, verify.EngineSim,
				verify.ReproduceRun(options)))
			return report.end()
		}
		if err != nil {
			report.bar.clear()
			return err
		}
		c := verify.RunCheck(result)
		c.Seconds = time.Since(report.begin).Seconds()
		report.add(c)
		return report.end()
	}
	return command
}

// runOnce runs a seed and writes its trace and history, where a path is given. A file
// is written also if the run fails: then it is wanted most.
func runOnce(options sim.Options, trace, history string) (result *sim.Result, err error) {
	if history != "" {
		file, err := os.Create(history)
		if err != nil {
			return nil, fmt.Errorf("write history: %w", err)
		}
		// A failed close can be the only sign of a lost write.
		defer multierr.AppendInvoke(&err, multierr.Close(file))
		options.History = file
	}
	if trace == "" {
		return sim.Run(options)
	}
	writer, err := traces.Create(trace, verify.TraceHeader(options))
	if err != nil {
		return nil, err
	}
	options.Trace = record.New(writer, record.Options{})
	result, err = sim.Run(options)
	if err != nil {
		return nil, multierr.Append(err, writer.Abort())
	}
	return result, writer.Close()
}
