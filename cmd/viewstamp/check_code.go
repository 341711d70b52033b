package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
	"github.com/viewstamp/viewstamp/traces/mutants"
)

// checkCode is --code-mutants: the production code is broken on purpose, and a check must notice.
func (t *tool) checkCode(command *cobra.Command, f checkFlags) error {
	with := []string{"code-mutants", "name", "write-table", "json", "time"}
	var other string
	command.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(with, flag.Name) {
			other = flag.Name
		}
	})
	switch {
	case other != "":
		return usage(command, "--%s: expected only --%s with --code-mutants", other,
			strings.Join(with[1:], ", --"))
	case f.writeTable && f.name != "":
		return usage(command, "--write-table: expected all mutants, without --name")
	}
	found := verify.FindCodeMutants()
	keep := func(mutants.Patch) bool { return true }
	if f.name != "" && len(found.Patches) > 0 {
		var err error
		if keep, err = found.Match(f.name); err != nil {
			return err
		}
	}
	report := t.report("check", f.json)
	report.minor, report.details = true, f.name != ""
	ctx, stop := f.limits.within(command.Context())
	defer stop()
	report.do(ctx, []verify.Section{found.Section(keep)}, runtime.GOMAXPROCS(0))
	if f.writeTable && found.Root != "" {
		at := filepath.Join(found.Root, filepath.FromSlash(mutants.TableFile))
		table := mutants.Table(found.Patches, found.Seconds(report.checks))
		if err := os.WriteFile(at, []byte(table), 0o644); err != nil { //nolint:gosec // A document.
			return fmt.Errorf("--write-table: %w", err)
		}
	}
	return report.end()
}
