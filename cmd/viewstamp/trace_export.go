package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/export"
)

// exportFormats are the values of --to.
var exportFormats = []string{"itf", "shiviz", "perfetto", "mermaid"}

func (t *tool) traceExport() *cobra.Command {
	command := &cobra.Command{
		Use:   "export --to itf|shiviz|perfetto|mermaid FILE",
		Short: "write a trace in a format that other tools read",
		Long: long(`Write a trace in a format that other tools read.

  itf       Informal Trace Format of the TLA+ tools (Apalache, Quint, ITF viewers)
  shiviz    log with vector clocks for ShiViz; its first line is the parser expression
  perfetto  trace-event JSON for ui.perfetto.dev and chrome://tracing
  mermaid   sequence diagram`,
			"viewstamp trace export --to itf run.jsonl --out run.itf.json",
			"viewstamp trace export --to shiviz run.jsonl --out run.log",
			"viewstamp trace export --to perfetto run.jsonl --out run.json",
			"viewstamp trace export --to mermaid run.jsonl"),
		Args: one("FILE"),
	}
	format := command.Flags().String("to", "", "itf, shiviz, perfetto or mermaid")
	file := command.Flags().String("out", "", "file to write; without it stdout")
	command.RunE = func(command *cobra.Command, args []string) error {
		switch {
		case !slices.Contains(exportFormats, *format):
			return usage(command, "--to %q: expected %s", *format, strings.Join(exportFormats, ", "))
		case *file != "" && sameFile(*file, args[0]):
			return usage(command, "--out %s: the trace itself, expected another file", *file)
		}
		ctx := command.Context()
		trace, err := traces.ReadFile(ctx, args[0])
		if err != nil {
			return err
		}
		return t.writeTo(ctx, *file, func(w io.Writer) error {
			switch *format {
			case "itf":
				return export.WriteITF(w, trace)
			case "shiviz":
				return export.WriteShiViz(w, trace)
			case "perfetto":
				return export.WritePerfetto(w, trace)
			}
			return export.WriteMermaid(w, trace, traces.Everything())
		})
	}
	return command
}

// untilDone is a writer that takes nothing after its context has ended.
type untilDone struct {
	ctx context.Context //nolint:containedctx // It is a call's, and does not outlive it.
	to  io.Writer
}

// Write writes, or says that the context has ended.
func (w untilDone) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}

// writeTo writes to a file, or to stdout if its name is empty or a dash. A file is written
// at once and in whole, so that none is left half written, and none after an interruption.
func (t *tool) writeTo(ctx context.Context, file string, write func(w io.Writer) error) error {
	var text bytes.Buffer
	if err := write(untilDone{ctx, &text}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("nothing written: %w", err)
	}
	if file == "" || file == "-" {
		if _, err := t.stdout.Write(text.Bytes()); err != nil {
			return fmt.Errorf("write to stdout: %w", err)
		}
		return nil
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	fmt.Fprintf(t.stderr, "viewstamp: %d bytes written to %s\n", text.Len(), file)
	return nil
}
