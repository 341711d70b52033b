package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func (t *tool) trace() *cobra.Command {
	command := &cobra.Command{
		Use:   "trace",
		Short: "generate, replay, import, merge, conform, show, export",
		Long: long(`Traces are what a replica did, step by step, and its state after each step. The model
writes traces that the production code must follow (gen, replay); what the simulator or
another system has recorded must be explained by the model (conform).`),
		RunE: t.group,
		Args: cobra.ArbitraryArgs,
	}
	command.AddCommand(t.traceGen(), t.traceReplay(), t.traceConform(), t.traceImport(),
		t.traceShow(), t.traceExport(), t.traceMerge())
	return command
}

// traceSuffixes end the names of trace files in a folder.
var traceSuffixes = []string{".jsonl", ".jsonl.zst"}

// traceFiles returns the files that the arguments name: a file is itself, a folder is
// the trace files in it, sorted by name. A folder without any is an error.
func traceFiles(arguments []string) ([]string, error) {
	return expand(arguments, "traces", traceSuffixes)
}

func expand(arguments []string, kind string, suffixes []string) ([]string, error) {
	var files []string
	for _, argument := range arguments {
		info, err := os.Stat(argument)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", kind, err)
		}
		if !info.IsDir() {
			files = append(files, argument)
			continue
		}
		found, err := filesIn(argument, suffixes)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", kind, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("read %s: folder %s has none, expected files *%s", kind, argument,
				strings.Join(suffixes, " or *"))
		}
		files = append(files, found...)
	}
	return files, nil
}

// filesIn lists the files of a folder, and of folders in it, whose names end in one of
// the suffixes.
func filesIn(folder string, suffixes []string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(path, s) }) {
			found = append(found, path)
		}
		return nil
	})
	return found, err
}

// emptyFolder makes a folder for new traces. One that has traces already is refused:
// old and new ones would mix.
func emptyFolder(folder string) error {
	found, err := filesIn(folder, traceSuffixes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("make folder for traces: %w", err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("look into folder for traces: %w", err)
	case len(found) > 0:
		return fmt.Errorf("folder %s has %d traces already, expected a new or empty one", folder,
			len(found))
	}
	return nil
}
