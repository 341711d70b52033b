package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/export"
)

// showFlags are the flags of "viewstamp trace show".
type showFlags struct {
	filter        traces.Filter
	view          uint32
	group         string
	mermaid, html string
	json          bool
}

func (t *tool) traceShow() *cobra.Command {
	var f showFlags
	command := &cobra.Command{
		Use:   "show FILE",
		Short: "print a trace: what each step changed; or a page of it",
		Long: long(`Print a trace for reading: for each event, what it changed in its replica.

--html writes one page that needs no network: a lane for each replica, messages as arrows,
views coloured, the states of all replicas at the step that is clicked, and search.
--mermaid writes a sequence diagram of the events that are shown; - is stdout.`,
			"viewstamp trace show run.jsonl",
			"viewstamp trace show --op 21 run.jsonl         what happened to op 21",
			"viewstamp trace show --replica 1 run.jsonl     what replica 1 did",
			"viewstamp trace show --view 2 run.jsonl        what happened in view 2",
			"viewstamp trace show --view 2 --mermaid - run.jsonl",
			"viewstamp trace show --html run.html run.jsonl"),
		Args: one("FILE"),
	}
	flags := command.Flags()
	flags.Uint64Var(&f.filter.Op, "op", 0, "only events that concern this op, from 1 on")
	flags.IntVar(&f.filter.Replica, "replica", traces.AllReplicas, "only events of this replica")
	flags.Uint32Var(&f.view, "view", 0, "only events of this view, or that enter or leave it")
	flags.StringVar(&f.group, "group", "", "only events of this group")
	flags.StringVar(&f.mermaid, "mermaid", "", "write a sequence diagram to this file")
	flags.StringVar(&f.html, "html", "", "write a page to this file, of all events")
	asJSON := jsonFlag(flags)
	command.RunE = func(command *cobra.Command, args []string) error {
		f.json = *asJSON
		if flags.Changed("view") {
			f.filter.View = &f.view
		}
		if flags.Changed("group") {
			f.filter.Group = &f.group
		}
		if err := f.validate(command, args[0]); err != nil {
			return err
		}
		trace, err := traces.ReadFile(command.Context(), args[0])
		if err != nil {
			return err
		}
		if err := f.fits(command, trace); err != nil {
			return err
		}
		return t.showTrace(command.Context(), f, trace)
	}
	return command
}

// validate refuses flags that make no sense together.
func (f showFlags) validate(command *cobra.Command, file string) error {
	filtered := false
	for _, name := range []string{"op", "replica", "view", "group"} {
		filtered = filtered || command.Flags().Changed(name)
	}
	switch {
	case command.Flags().Changed("op") && f.filter.Op == 0:
		return usage(command, "--op 0: expected an op from 1 on")
	case f.html != "" && filtered:
		return usage(command, "--html: a page has all events and a search; expected no --op, "+
			"--replica, --view or --group with it")
	case f.html != "" && f.mermaid != "":
		return usage(command, "--html and --mermaid: expected one of them")
	}
	for _, out := range []string{f.html, f.mermaid} {
		if out != "" && sameFile(out, file) {
			return usage(command, "%s is the trace itself, expected another file", out)
		}
	}
	return nil
}

// fits refuses a filter for what the trace does not have.
func (f showFlags) fits(command *cobra.Command, trace *traces.Trace) error {
	last := trace.Header.Replicas - 1
	r := f.filter.Replica
	if command.Flags().Changed("replica") && (r < 0 || r > last) {
		return usage(command, "--replica %d: the trace has replicas 0 to %d", r, last)
	}
	if f.filter.Group == nil {
		return nil
	}
	var groups []string
	for _, e := range trace.Events {
		if e.Group == f.group {
			return nil
		}
		if !slices.Contains(groups, e.Group) {
			groups = append(groups, e.Group)
		}
	}
	return usage(command, "--group %q: the trace has %s", f.group, strings.Join(groups, ", "))
}

func (t *tool) showTrace(ctx context.Context, f showFlags, trace *traces.Trace) error {
	pageOf := func(w io.Writer) error { return export.WriteHTML(w, trace) }
	diagram := func(w io.Writer) error { return export.WriteMermaid(w, trace, f.filter) }
	switch {
	case f.html != "":
		return t.writeTo(ctx, f.html, pageOf)
	case f.mermaid != "":
		return t.writeTo(ctx, f.mermaid, diagram)
	case f.json:
		report := t.report("trace show", true)
		report.add(verify.Done("show/"+trace.Path, verify.EngineGo, verify.Figures{
			verify.FigureEvents: float64(len(trace.Events)),
		}, "viewstamp trace show "+trace.Path))
		return report.end()
	}
	if err := traces.Show(untilDone{ctx, t.stdout}, trace, f.filter); err != nil {
		return fmt.Errorf("show trace: %w", err)
	}
	return nil
}
