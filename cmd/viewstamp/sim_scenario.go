package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
)

func (t *tool) simScenario() *cobra.Command {
	command := &cobra.Command{
		Use:   "scenario [--update] FILE|FOLDER...",
		Short: "hand-written scenarios with expected output",
		Long: long(`Run scenarios and compare their output with what they expect. The checks in a scenario
must hold; those of a twin (twin_*.txt), which breaks a rule on purpose, must not.

The scenarios of this repository are in the program: "regress/4294" needs no file.`,
			"viewstamp sim scenario regress/4294",
			"viewstamp sim scenario traces/testdata/view_change",
			"viewstamp sim scenario --update mine.txt      write the output into the file"),
		Args: some("FILE or FOLDER"),
	}
	update := command.Flags().Bool("update", false, "rewrite the expected output in the files")
	asJSON := jsonFlag(command.Flags())
	command.RunE = func(_ *cobra.Command, args []string) error {
		scenarios, err := findScenarios(args, *update)
		if err != nil {
			return err
		}
		report := t.report("sim scenario", *asJSON)
		for _, s := range scenarios {
			begin := time.Now()
			c, result, err := verify.RunScenario(s.name, s.text)
			if err != nil {
				return err
			}
			if *update && !result.Passed() {
				if err := os.WriteFile(s.name, []byte(result.Output), 0o644); err != nil {
					return fmt.Errorf("rewrite scenario: %w", err)
				}
				fmt.Fprintf(t.stderr, "viewstamp: %s rewritten; read the difference\n", s.name)
				if c, _, err = verify.RunScenario(s.name, result.Output); err != nil {
					return err
				}
			}
			c.Seconds = time.Since(begin).Seconds()
			report.add(c)
		}
		report.total()
		return report.end()
	}
	return command
}

// namedText is a scenario.
type namedText struct{ name, text string }

// findScenarios reads the scenarios that the arguments name: files, folders, or, where
// there is neither, scenarios that the program carries. Those cannot be rewritten.
func findScenarios(arguments []string, update bool) ([]namedText, error) {
	var found []namedText
	for _, argument := range arguments {
		embedded := verify.EmbeddedScenarios(strings.TrimSuffix(filepath.ToSlash(argument), "/"))
		_, err := os.Stat(argument)
		if errors.Is(err, fs.ErrNotExist) && len(embedded) > 0 && !update {
			for _, name := range embedded {
				text, err := verify.EmbeddedScenario(name)
				if err != nil {
					return nil, fmt.Errorf("read scenario: %w", err)
				}
				found = append(found, namedText{name, text})
			}
			continue
		}
		files, err := expand([]string{argument}, "scenarios", []string{".txt"})
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("read scenario: %w", err)
			}
			found = append(found, namedText{file, string(text)})
		}
	}
	return found, nil
}
