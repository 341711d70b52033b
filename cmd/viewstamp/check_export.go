package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/traces"
)

// exports are the files that a counterexample is written to; empty names ask for none.
type exports struct {
	trace, tla, itf, mermaid string
}

func (e *exports) flags(flags *pflag.FlagSet) {
	flags.StringVar(&e.trace, "trace", "", "write the counterexample as a trace (module VSR)")
	flags.StringVar(&e.tla, "tla", "", "write the counterexample as a TLA+ module")
	flags.StringVar(&e.itf, "itf", "", "write the counterexample in the Informal Trace Format")
	flags.StringVar(&e.mermaid, "mermaid", "", "write the counterexample as a Mermaid diagram")
}

func (e exports) any() bool {
	return e.trace != "" || e.tla != "" || e.itf != "" || e.mermaid != ""
}

func (e exports) validate(command *cobra.Command) error {
	flagOf := map[string]string{}
	for _, flag := range []struct{ name, file string }{
		{"--trace", e.trace}, {"--tla", e.tla}, {"--itf", e.itf}, {"--mermaid", e.mermaid},
	} {
		if other, ok := flagOf[flag.file]; ok && flag.file != "" {
			return usage(command, "%s and %s: the same file %s, expected two", other, flag.name,
				flag.file)
		}
		flagOf[flag.file] = flag.name
		if info, err := os.Stat(flag.file); flag.file != "" && err == nil && info.IsDir() {
			return usage(command, "%s %s: a folder, expected a file", flag.name, flag.file)
		}
		if err := writable(flag.file); flag.file != "" && err != nil {
			return fmt.Errorf("%s %s: %w", flag.name, flag.file, err)
		}
	}
	return nil
}

// export writes a counterexample in each form that is asked for.
func (t *tool) export(e exports, found *check.Counterexample) error {
	if found == nil {
		fmt.Fprintln(t.stderr, "viewstamp: no counterexample, so none is written")
		return nil
	}
	for _, form := range []struct {
		file  string
		write func(file string) error
	}{
		{e.trace, func(file string) error {
			trace, err := verify.CounterexampleTrace(found)
			if err != nil {
				return err
			}
			return traces.WriteFile(file, trace)
		}},
		{e.tla, func(file string) error { return writeFormat(file, found, check.FormatTLA) }},
		{e.itf, func(file string) error { return writeFormat(file, found, check.FormatITF) }},
		{e.mermaid, func(file string) error {
			return writeFormat(file, found, check.FormatMermaid)
		}},
	} {
		if form.file == "" {
			continue
		}
		if err := form.write(form.file); err != nil {
			return err
		}
		fmt.Fprintf(t.stderr, "viewstamp: counterexample of %d states written to %s\n",
			found.States, form.file)
	}
	return nil
}

func writeFormat(file string, found *check.Counterexample, format check.Format) error {
	var text bytes.Buffer
	if err := found.Write(&text, format); err != nil {
		return err
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write counterexample: %w", err)
	}
	return nil
}
