package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/sim/nodes"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
)

func (t *tool) simNodes() *cobra.Command {
	var f nodesFlags
	command := &cobra.Command{
		Use:   "nodes --seeds A..B",
		Short: "whole processes on disks that fail: many runs",
		Long: long(fmt.Sprintf(`Run all seeds from A to B of the simulator of whole processes:
production hosts with their write-ahead log and superblock on disks in memory, several
groups in each process. With at least %d seeds, and the kinds of fault left to the seeds,
something that no seed has seen is a failure: a fault, a message, a stop of the commit
walk, an outcome of a merge.

A seed whose choice says "modelled" has no checkpoint and no log in doubt: each event of
its replicas is held against the model, and its trace is one for 'trace conform'.`,
			coverageSeeds),
			"viewstamp sim nodes --seeds 1..500",
			"viewstamp sim nodes --seeds 7..7 --only kill,power_loss --ticks 400",
			"viewstamp sim nodes --seeds 7..7 --trace run.jsonl && "+
				"viewstamp trace show --group 0 --op 3 run.jsonl",
			"viewstamp sim nodes --seeds 1..50 --defect report_before_flush"),
		Args: none,
	}
	flags := command.Flags()
	seeds := flags.String("seeds", "", "first and last seed, such as 1..500")
	f.add(flags)
	trace := flags.String("trace", "",
		"write what the replicas of one seed did to this file, as a trace of all groups")
	asJSON := jsonFlag(flags)
	command.RunE = func(command *cobra.Command, _ []string) error {
		from, to, err := parseSeeds(*seeds)
		if err != nil {
			return usage(command, "--%v", err)
		}
		options, err := f.options(command)
		if err != nil {
			return err
		}
		report := t.report("sim nodes", *asJSON)
		report.details = true
		if *trace != "" {
			if from != to {
				return usage(command, "--trace with %d seeds: expected one, such as --seeds %d..%d",
					to-from+1, from, from)
			}
			options.Seed = from
			result, err := traceNodes(options, *trace)
			if err != nil {
				return err
			}
			report.add(verify.NodesRun(result))
			return report.end()
		}
		job := verify.Nodes(from, to, options, f.whole() && to-from+1 >= coverageSeeds,
			report.bar.swarm)
		verify.Run(command.Context(), []verify.Section{{Jobs: []verify.Job{job}}}, 1,
			verify.Observer{Reported: report.add})
		return report.end()
	}
	return command
}

// traceNodes runs a seed and writes its trace, also if the run fails: then it is wanted most.
func traceNodes(options nodes.Options, file string) (*nodes.Result, error) {
	header, err := nodes.TraceHeader(options, spec.SHA256("VSR"))
	if err != nil {
		return nil, err
	}
	header.Commit = verify.Revision()
	writer, err := traces.Create(file, header)
	if err != nil {
		return nil, err
	}
	options.Trace, options.Judge = record.New(writer, record.Options{}), verify.JudgeNodes
	result, err := nodes.Run(options)
	if err = errors.Join(err, options.Trace.Err()); err != nil {
		return nil, multierr.Append(err, writer.Abort())
	}
	return result, writer.Close()
}

// nodesFlags are the flags of runs of whole processes.
type nodesFlags struct {
	ticks, replicas, groups, clients int
	faults                           string
	writes                           bool
	only, defects                    []string
}

func (f *nodesFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.ticks, "ticks", nodes.DefaultTicks, "length of the phase with faults, in ticks")
	flags.IntVar(&f.replicas, "replicas", 0, "processes, each with a replica of each group; "+
		"0: the seed chooses")
	flags.IntVar(&f.groups, "groups", 0, "groups; 0: the seed chooses")
	flags.IntVar(&f.clients, "clients", 0, "clients, each with one request at a time; 0: the seed "+
		"chooses")
	flags.StringVar(&f.faults, "faults", string(sim.FaultsSwarm),
		"none, or swarm: the seed chooses the kinds of fault")
	flags.BoolVar(&f.writes, "writes", false, "no client reads: all that they ask for goes through "+
		"the log")
	flags.StringSliceVar(&f.only, "only", nil, "kinds of fault that the seed may choose")
	flags.StringSliceVar(&f.defects, "defect", nil,
		"break a rule on purpose: of the host, such as report_before_flush, or of the core")
}

// whole says that a range of seeds should see everything that there is to see.
func (f *nodesFlags) whole() bool {
	return f.faults == string(sim.FaultsSwarm) && f.replicas == 0 && f.groups == 0 &&
		f.clients == 0 && !f.writes && len(f.only) == 0 && len(f.defects) == 0
}

// options returns the options of a run, or which flag is out of range.
func (f *nodesFlags) options(command *cobra.Command) (nodes.Options, error) {
	o := nodes.Options{
		Ticks: f.ticks, Replicas: f.replicas, Groups: f.groups, Clients: f.clients, Only: f.only,
		Calm: f.faults == string(sim.FaultsNone), Writes: f.writes,
	}
	switch {
	case !o.Calm && f.faults != string(sim.FaultsSwarm):
		return o, usage(command, "--faults %q: expected none or swarm", f.faults)
	case f.ticks < 1 || f.ticks > ticksMax:
		return o, usage(command, "--ticks %d: expected 1 to %d", f.ticks, ticksMax)
	}
	for _, name := range f.defects {
		if defect, err := replica.ParseDefect(name); err == nil {
			o.Defects |= defect
		} else if core, coreErr := vsr.ParseDefect(name); coreErr == nil {
			o.Core |= core
		} else {
			return o, usage(command, "--defect: %v; or one of the core's", err)
		}
	}
	if err := o.Validate(); err != nil {
		return o, usage(command, "--%v", err)
	}
	return o, nil
}
