package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/iggysim"
)

// importFlags are what a trace is made from and how.
type importFlags struct {
	from, out string
	writers   []int
	replicas  int
	asJSON    bool
}

func (t *tool) traceImport() *cobra.Command {
	command := &cobra.Command{
		Use:   "import --from iggy.sim LOG... [--out FILE]",
		Short: "make a trace of another system's log",
		Long: long(`Turn logs of Apache Iggy's consensus (events of the target iggy.sim at level DEBUG)
into a trace that 'viewstamp trace conform' checks. A log is plain text or gzip, of a simulator (all
replicas in one stream) or of one server each: then give its replica with --replica, once
for each LOG and in their order. Other lines are counted as foreign. What a line does
not say is left open in the trace.

Without --out the trace goes to standard output and the summary to standard error.`,
			"viewstamp trace import --from iggy.sim cluster.log.gz --out cluster.jsonl",
			"viewstamp trace import --from iggy.sim --replica 0 --replica 1 a.log b.log"),
		Args: some("LOG"),
	}
	var f importFlags
	flags := command.Flags()
	flags.StringVar(&f.from, "from", "", "what wrote the logs: iggy.sim")
	flags.StringVar(&f.out, "out", "", "write the trace to this file (.zst compresses)")
	flags.IntSliceVar(&f.writers, "replica", nil, "replica that wrote the LOG, one for each LOG")
	flags.IntVar(&f.replicas, "replicas", 0,
		"replicas of each group (0: the fewest that explain the logs)")
	asJSON := jsonFlag(flags)
	command.RunE = func(command *cobra.Command, args []string) error {
		f.asJSON = *asJSON
		sources, err := f.sources(command, args)
		if err != nil {
			return err
		}
		return t.importLogs(command.Context(), f, sources)
	}
	return command
}

// sources pairs the logs with the replicas that wrote them.
func (f *importFlags) sources(command *cobra.Command, logs []string) ([]iggysim.Source, error) {
	switch {
	case f.from != traces.SourceIggySim:
		return nil, usage(command, "--from %q: expected %s", f.from, traces.SourceIggySim)
	case len(f.writers) > 0 && len(f.writers) != len(logs):
		return nil, usage(command, "--replica given %d times for %d logs: expected one for each",
			len(f.writers), len(logs))
	case f.replicas < 0:
		return nil, usage(command, "--replicas %d: expected 0 or more", f.replicas)
	case f.asJSON && f.out == "":
		return nil, usage(command, "--json without --out: the trace would be on the same output")
	}
	sources := make([]iggysim.Source, len(logs))
	for i, log := range logs {
		sources[i] = iggysim.Source{Path: log, Replica: iggysim.AnyReplica}
		if len(f.writers) > 0 {
			if f.writers[i] < 0 || f.writers[i] > 255 {
				return nil, usage(command, "--replica %d: expected 0 to 255", f.writers[i])
			}
			sources[i].Replica = f.writers[i]
		}
		if f.out != "" && sameFile(log, f.out) {
			return nil, usage(command, "--out %s is one of the logs", f.out)
		}
	}
	return sources, nil
}

// importLogs writes the trace and says what was read.
func (t *tool) importLogs(
	ctx context.Context, f importFlags, sources []iggysim.Source,
) (err error) {
	begin := time.Now()
	var writer *traces.Writer
	defer func() {
		if writer != nil {
			_ = writer.Abort() // After Close this does nothing.
		}
	}()
	summary, err := iggysim.Import(sources, f.replicas, func(h traces.Header) (err error) {
		if f.out == "" {
			writer, err = traces.NewWriter(t.stdout, h)
		} else {
			writer, err = traces.Create(f.out, h)
		}
		return err
	}, func(e traces.Event) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("import logs: %w", err)
		}
		return writer.Write(e)
	})
	if err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	if f.asJSON {
		report := t.report("trace import", true)
		c := verify.Done("import/"+f.out, verify.EngineGo, verify.Figures{
			verify.FigureEvents: float64(summary.Events), "lines": float64(summary.Lines),
			"foreign": float64(summary.Foreign), "lost": float64(summary.Missed),
		}, "viewstamp trace import --from iggy.sim")
		report.add(c)
		return report.end()
	}
	to := t.stdout
	if f.out == "" {
		to = t.stderr
	}
	fmt.Fprint(to, importText(f.out, summary))
	fmt.Fprintf(to, "%.1f s\n", time.Since(begin).Seconds())
	return nil
}

// importText is the summary of an import for people.
func importText(out string, s iggysim.Summary) string {
	text := fmt.Sprintf("%s lines read, %s events, %s foreign lines, %s lost lines",
		number(float64(s.Lines)), number(float64(s.Events)), number(float64(s.Foreign)),
		number(float64(s.Missed)))
	text += fmt.Sprintf("; %d replicas, quorum %d, %d groups\n", s.Header.Replicas,
		s.Header.Quorum.Replication, len(s.Header.Groups))
	for _, lost := range s.Lost {
		text += "  lost " + lost.String() + "\n"
	}
	if more := s.Missed - len(s.Lost); more > 0 {
		text += fmt.Sprintf("  and %d more lost lines\n", more)
	}
	if out != "" {
		text += "check it: viewstamp trace conform " + out + "\n"
	}
	return text
}
