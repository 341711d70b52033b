package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// The formats of --from.
const (
	fromJSONL       = "jsonl"
	fromJepsenEtcd  = "jepsen-etcd"
	fromJepsenEDN   = "jepsen-edn"
	fromPorcupineKV = "porcupine-kv"
)

func (t *tool) lin() *cobra.Command {
	command := &cobra.Command{
		Use:   "lin",
		Short: "check",
		Long: long(`Check what clients of a system saw: could it have been one atomic object?
The histories may come from any system.`),
		RunE: t.group,
		Args: cobra.ArbitraryArgs,
	}
	command.AddCommand(t.linCheck())
	return command
}

// timeoutDefault is the limit of a file if nobody gives one.
const timeoutDefault = time.Minute

const (
	bytesMiB     = 1 << 20
	memoryMiBMax = 1 << 20 // 1 TiB.
)

// linFlags are the flags of "viewstamp lin check".
type linFlags struct {
	model, from, html string
	timeout           time.Duration
	memoryMiB         uint64
}

func (t *tool) linCheck() *cobra.Command {
	var f linFlags
	command := &cobra.Command{
		Use:   "check --model MODEL FILE...",
		Short: "is a client history linearizable?",
		Long: long(`Decide whether histories are linearizable. A violation is shown by the smallest
part of the history that is one by itself, and the operations that contradict each
other. The models:

  register      one value a key: read, write, compare and set
  kv            one text a key: get, put, append
  partition     the log of one partition a key: append and poll
  offsets       one consumer's stored offset a key: store, get, delete
  metadata      names with ids: create, delete, lookup by name and by id
  sessions      requests that are executed at most once
  set           one set a key: add and read

The formats:

  jsonl         JSON lines, the format of this project: viewstamp sim run --history
  jepsen-etcd   the log of a Jepsen run against etcd's register
  jepsen-edn    history.edn of a Jepsen test; --model register, set or kv (append)
  porcupine-kv  a key-value history in the form of those that ship with Porcupine`,
			"viewstamp sim run --seed 7 --history h.jsonl",
			"viewstamp lin check --model register h.jsonl",
			"viewstamp lin check --model kv --from porcupine-kv --html h.html c10-bad.txt"),
		Args: some("FILE"),
	}
	flags := command.Flags()
	flags.StringVar(&f.model, "model", "", "one of those above; jsonl histories name their own")
	flags.StringVar(&f.from, "from", fromJSONL, "one of those formats")
	flags.StringVar(&f.html, "html", "", "draw the history into this file, for a browser")
	flags.DurationVar(&f.timeout, "timeout", timeoutDefault,
		"limit of each file, such as 30s; 0: none. What is not decided then is undecided")
	flags.DurationVar(&f.timeout, "time", timeoutDefault, "the same as --timeout")
	flags.Uint64Var(&f.memoryMiB, "memory", lin.DefaultMemoryMaxBytes/bytesMiB,
		"limit of the search's memory, in MiB. What is not decided within it is undecided")
	asJSON := jsonFlag(flags)
	command.RunE = func(command *cobra.Command, args []string) error {
		if err := f.validate(command, args); err != nil {
			return err
		}
		report := t.report("lin check", *asJSON)
		report.details = true
		for i, file := range args {
			report.bar.show(file, i, len(args))
			c, err := f.check(command.Context(), file)
			if err != nil {
				report.bar.clear()
				return err
			}
			report.add(c)
			if command.Context().Err() != nil {
				break
			}
		}
		report.total()
		return report.end()
	}
	return command
}

// models are the models of each format that has one of its own.
var models = map[string]lin.Model{fromJepsenEtcd: lin.Register, fromPorcupineKV: lin.KV}

func (f linFlags) validate(command *cobra.Command, files []string) error {
	formats := []string{fromJSONL, fromJepsenEtcd, fromJepsenEDN, fromPorcupineKV}
	of, fixed := models[f.from]
	switch {
	case f.timeout < 0:
		return usage(command, "--timeout %v: expected at least 0", f.timeout)
	case f.memoryMiB == 0 || f.memoryMiB > memoryMiBMax:
		return usage(command, "--memory %d: expected 1 to %d MiB", f.memoryMiB, memoryMiBMax)
	case f.model != "" && !slices.Contains(lin.Models(), lin.Model(f.model)):
		return usage(command, "--model %q: expected one of %v", f.model, lin.Models())
	case !slices.Contains(formats, f.from):
		return usage(command, "--from %q: expected one of %q", f.from, formats)
	case f.from == fromJepsenEDN && !slices.Contains(lin.JepsenEDNModels(), lin.Model(f.model)):
		return usage(command, "--from %s: expected --model of %v, got %q", f.from,
			lin.JepsenEDNModels(), f.model)
	case fixed && f.model != "" && lin.Model(f.model) != of:
		return usage(command, "--model %s: histories of %s are of model %s", f.model, f.from, of)
	}
	if f.html != "" && len(files) != 1 {
		return usage(command, "--html: %d histories, expected one", len(files))
	}
	if f.html != "" && sameFile(f.html, files[0]) {
		return usage(command, "--html %s: it is the history, expected another file", f.html)
	}
	return nil
}

func (f linFlags) check(ctx context.Context, file string) (verify.Check, error) {
	begin := time.Now()
	var h *lin.History
	var err error
	if !verify.Within(ctx, func() { h, err = f.read(file) }) {
		return verify.HistoryInterrupted(ctx, file, f.again(f.model, file)), nil
	}
	if err != nil {
		return verify.Check{}, err
	}
	if len(h.Operations) == 0 {
		return verify.Check{}, &lin.FormatError{
			Path: file, Line: 1, Expected: "at least one operation", Got: "a history without any",
		}
	}
	limited := ctx
	if f.timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	report, err := lin.Check(limited, h, lin.CheckOptions{MemoryMaxBytes: f.memoryMiB * bytesMiB})
	if err != nil {
		return verify.Check{}, err
	}
	if f.html != "" {
		if err := draw(f.html, h, report); err != nil {
			return verify.Check{}, err
		}
	}
	c := verify.HistoryCheck(file, report)
	c.Reproduce = f.again(string(h.Model), file)
	if c.Status == verify.Undecided && ctx.Err() != nil { // It was no limit that ended it.
		c.Reason = verify.HistoryInterrupted(ctx, file, "").Reason + "; " + report.Progress()
	}
	c.Seconds = time.Since(begin).Seconds()
	return c, nil
}

// again is the command that checks a file alone, in the same way.
func (f linFlags) again(model, file string) string {
	command := "viewstamp lin check "
	if model != "" {
		command += fmt.Sprintf("--model %s ", model)
	}
	command += fmt.Sprintf("--from %s ", f.from)
	if f.timeout != timeoutDefault {
		command += fmt.Sprintf("--timeout %v ", f.timeout)
	}
	if f.memoryMiB*bytesMiB != lin.DefaultMemoryMaxBytes {
		command += fmt.Sprintf("--memory %d ", f.memoryMiB)
	}
	return command + file
}

// read reads a history in the format that the flags name.
func (f linFlags) read(file string) (h *lin.History, err error) {
	if f.from == fromJSONL {
		h, err := lin.ReadFile(file)
		if err == nil && f.model != "" && h.Model != lin.Model(f.model) {
			return nil, &lin.FormatError{
				Path: file, Line: 1, Expected: fmt.Sprintf("model %q, as --model says", f.model),
				Got: fmt.Sprintf("%q", h.Model),
			}
		}
		return h, err
	}
	importer := map[string]func(io.Reader, string) (*lin.History, error){
		fromJepsenEtcd: lin.ImportJepsenEtcd, fromPorcupineKV: lin.ImportPorcupineKV,
		fromJepsenEDN: func(from io.Reader, name string) (*lin.History, error) {
			return lin.ImportJepsenEDN(from, name, lin.Model(f.model))
		},
	}[f.from]
	opened, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	defer multierr.AppendInvoke(&err, multierr.Close(opened))
	return importer(opened, file)
}

func draw(path string, h *lin.History, report lin.Report) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("draw history: %w", err)
	}
	defer multierr.AppendInvoke(&err, multierr.Close(file))
	return lin.WriteHTML(file, h, report)
}
