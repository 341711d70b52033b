package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/traces"
)

// rowsMax bounds the files that are shown one by one if they pass.
const rowsMax = 25

func (t *tool) traceReplay() *cobra.Command {
	command := &cobra.Command{
		Use:   "replay FILE|FOLDER...",
		Short: "model to code: do real cores follow a trace?",
		Long: long(`Drive real cores through traces of the model, step by step, and compare every replica
after each step. A clean trace must be followed to its end; a mutant's counterexample
must be refused at the step that breaks the rule.

A folder stands for the *.jsonl and *.jsonl.zst files in it.`,
			"viewstamp trace gen --cfg ci-111 --cover walks --out walks",
			"viewstamp trace replay walks"),
		Args: some("FILE or FOLDER"),
	}
	asJSON := jsonFlag(command.Flags())
	command.RunE = func(command *cobra.Command, args []string) error {
		replay := func(path string) (verify.Check, error) {
			trace, err := traces.ReadFile(command.Context(), path)
			if err != nil {
				return verify.Check{}, err
			}
			return verify.ReplayTrace(trace)
		}
		return t.checkTraces(command, args, *asJSON, verify.EngineReplay, replay)
	}
	return command
}

func (t *tool) traceConform() *cobra.Command {
	command := &cobra.Command{
		Use:   "conform FILE|FOLDER...",
		Short: "code to model: is each step one that the model allows?",
		Long: long(`Ask whether the model explains recorded traces: which of its states can explain
the trace so far? Where there is none left the trace is rejected, with the event, the last
explained state, the nearest steps of the model and why each was refused.

A trace that says only part of the state, such as one that 'viewstamp trace import' made, is
held against invariants instead; the verdict says how often each could be checked, and what
no such trace can show. A trace whose end is missing is explained up to some line (status 3).

By --engine tlc, TLC follows the traces by the spec's own text: a second opinion, for traces
of at most 1,000 requests and 20,000 events that say the whole state. It says which event
nothing explains, not why. By --engine both, verdicts that differ fail.

A folder stands for the *.jsonl and *.jsonl.zst files in it.`,
			"viewstamp sim run --seed 7 --trace run.jsonl",
			"viewstamp trace conform run.jsonl",
			"viewstamp trace conform --engine both run.jsonl"),
		Args: some("FILE or FOLDER"),
	}
	asJSON := jsonFlag(command.Flags())
	engine := command.Flags().String("engine", verify.EngineGo, "go, tlc or both")
	command.RunE = func(command *cobra.Command, args []string) error {
		switch *engine {
		case verify.EngineGo:
		case verify.EngineTLC, engineBoth:
			return t.conformByTLC(command, args, *asJSON, *engine == engineBoth)
		default:
			return usage(command, "--engine %q: expected go, tlc or both", *engine)
		}
		return t.checkTraces(command, args, *asJSON, verify.EngineConform, verify.ConformFile)
	}
	return command
}

// conformByTLC has TLC follow the traces that the arguments name, all together.
func (t *tool) conformByTLC(command *cobra.Command, args []string, asJSON, both bool) error {
	files, err := traceFiles(args)
	if err != nil {
		return err
	}
	ctx := command.Context()
	report := t.report("trace "+command.Name(), asJSON)
	report.bar.show("TLC follows the traces", 0, -1)
	begin := time.Now()
	checks, err := verify.ConformByTLC(ctx, verify.FindTLC(ctx), files, both)
	if err != nil {
		report.bar.clear()
		return err
	}
	for i, c := range checks {
		if i == 0 {
			c.Seconds = time.Since(begin).Seconds() // Of all: TLC takes them in one run.
		}
		c.Minor = len(files) > rowsMax
		report.add(c)
	}
	report.total()
	return report.end()
}

// checkTraces checks the traces that the arguments name, one after the other. A file
// that is no trace ends it: that is bad input, and no verdict about the others is
// printed as JSON.
func (t *tool) checkTraces(
	command *cobra.Command, args []string, asJSON bool, engine string,
	check func(path string) (verify.Check, error),
) error {
	files, err := traceFiles(args)
	if err != nil {
		return err
	}
	ctx := command.Context()
	report := t.report("trace "+command.Name(), asJSON)
	report.details = len(files) == 1
	for i, file := range files {
		report.bar.show(file, i, len(files))
		begin := time.Now()
		var c verify.Check
		var err error
		ended := verify.Within(ctx, func() { c, err = check(file) })
		if !ended {
			report.add(verify.Interrupted(ctx, file, engine, command.CommandPath()+" "+file))
			break
		}
		if err != nil {
			report.bar.clear()
			return err
		}
		c.Seconds = time.Since(begin).Seconds()
		c.Minor = len(files) > rowsMax
		report.add(c)
	}
	report.total()
	return report.end()
}

// total prints what all checks counted together, where there are several.
func (r *report) total() {
	if r.json || len(r.checks) < 2 {
		return
	}
	sum := verify.Figures{}
	for _, c := range r.checks {
		for key, value := range c.Figures {
			sum[key] += value
		}
	}
	r.bar.clear()
	fmt.Fprintf(r.tool.stdout, "together: %s\n", figures(sum))
}
