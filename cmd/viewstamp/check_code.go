package main

import (
	"context"
	"errors"
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

// Seeds of --by-swarm for each mutant: usually, and at most.
const (
	huntSeeds    = 2000
	huntSeedsMax = 1_000_000
)

// checkCode is --code-mutants: the production code is broken on purpose, and a check must notice.
func (t *tool) checkCode(command *cobra.Command, f checkFlags) error {
	if err := f.validateCode(command); err != nil {
		return err
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
	if f.rate {
		report.do(ctx, []verify.Section{found.RateSection(keep, f.seeds)}, 1)
		return report.end()
	}
	if f.bySwarm {
		if err := report.hunt(ctx, found, keep, f); err != nil {
			return err
		}
		return report.end()
	}
	report.do(ctx, []verify.Section{found.Section(keep)}, runtime.GOMAXPROCS(0))
	if f.writeTable && found.Root != "" {
		table := mutants.Table(found.Patches, found.Seconds(report.checks))
		if err := writeTable(found.Root, mutants.TableFile, table); err != nil {
			return err
		}
	}
	return report.end()
}

// validateCode refuses flags that do not go with --code-mutants.
func (f *checkFlags) validateCode(command *cobra.Command) error {
	with := []string{
		"code-mutants", "name", "by-swarm", "rate", "seeds", "write-table", "json", "time",
	}
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
	case f.writeTable && f.name != "" && !f.bySwarm:
		return usage(command, "--write-table: expected all mutants, without --name")
	case command.Flags().Changed("seeds") && !f.bySwarm:
		return usage(command, "--seeds: expected --by-swarm with it")
	case f.rate && (!f.bySwarm || f.name == "" || f.writeTable):
		return usage(command, "--rate: expected --by-swarm and --name with it, no --write-table")
	case f.seeds == 0 || f.seeds > huntSeedsMax:
		return usage(command, "--seeds %d: expected 1 to %d", f.seeds, huntSeedsMax)
	}
	return nil
}

// hunt is --by-swarm: seeds of a simulator are to find the mutants. One process at a time: each
// has work for minutes. In the table the mutants that were not hunted now stay as they are.
func (r *report) hunt(
	ctx context.Context, found *verify.CodeMutants, keep func(mutants.Patch) bool, f checkFlags,
) error {
	table := map[string]mutants.Seeds{}
	if f.writeTable && found.Root != "" {
		text, err := os.ReadFile(filepath.Join(found.Root, filepath.FromSlash(mutants.SwarmFile)))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("--write-table: %w", err)
		}
		if table, err = mutants.ReadSwarm(string(text)); err != nil {
			return fmt.Errorf("--write-table: %w", err)
		}
	}
	hunted := func(name string, by mutants.Seeds, outcome mutants.Outcome) {
		if outcome == mutants.Caught || outcome == mutants.Survived {
			table[name] = by
		}
	}
	r.do(ctx, []verify.Section{found.SwarmSection(keep, f.seeds, hunted)}, 1)
	if !f.writeTable || found.Root == "" {
		return nil
	}
	return writeTable(found.Root, mutants.SwarmFile, mutants.SwarmTable(found.Patches, table))
}

// writeTable writes a table into the source tree.
func writeTable(root, name, table string) error {
	at := filepath.Join(root, filepath.FromSlash(name))
	if err := os.WriteFile(at, []byte(table), 0o644); err != nil { //nolint:gosec // A document.
		return fmt.Errorf("--write-table: %w", err)
	}
	return nil
}
