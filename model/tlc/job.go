package tlc

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"go.uber.org/multierr"
)

// Job is one run of TLC.
type Job struct {
	// Files are the modules that are not in the jar: name (VSR.tla) to content.
	Files map[string][]byte
	// Module is the module to check, without .tla.
	Module string
	// Config is the text of the configuration file.
	Config string
	// Workers is the number of TLC's threads; 0 stands for 1. With more than one,
	// the depth and which of several shortest counterexamples is found may vary.
	Workers int
	// Short says that the run is expected to be over within some ten seconds. Java
	// then compiles quickly rather than well and collects garbage in one thread,
	// which about halves the processor time of a run of a few thousand states, and
	// costs a long run as much again.
	Short bool
	// StackMiB is the size of each thread's stack; 0 leaves it to Java. TLC goes some calls
	// deeper for each element of a quantifier in an action.
	StackMiB int
	// Coverage asks for [Outcome.Actions], at some cost in speed.
	Coverage bool
	// KeepText makes [Tools.Graph] keep the canonical text of each state, so that a
	// difference between two graphs can be shown, at the cost of the memory.
	KeepText bool
	// Printed, if set, gets each line that the module prints (Print, PrintT), as
	// the run goes on. Some lines are repeated: always with several workers, and
	// again where TLC rebuilds a counterexample. TLC breaks a value of more than
	// about 80 characters over several lines.
	Printed func(line string)
}

var identifier = regexp.MustCompile(`^[A-Za-z0-9_]*[A-Za-z][A-Za-z0-9_]*$`)

// validate refuses a job that cannot be laid out as files.
func (j Job) validate() error {
	if !identifier.MatchString(j.Module) {
		return fmt.Errorf("module %q: expected a TLA+ identifier", j.Module)
	}
	for _, name := range slices.Sorted(maps.Keys(j.Files)) {
		if filepath.Ext(name) != ".tla" || !identifier.MatchString(name[:len(name)-len(".tla")]) {
			return fmt.Errorf("file %q: expected the name of a module, like VSR.tla", name)
		}
	}
	if _, ok := j.Files[j.Module+".tla"]; !ok {
		return fmt.Errorf("module %s: expected %s.tla among the files %q",
			j.Module, j.Module, slices.Sorted(maps.Keys(j.Files)))
	}
	if j.Workers < 0 {
		return fmt.Errorf("module %s: expected at least one worker, not %d", j.Module, j.Workers)
	}
	if j.StackMiB < 0 {
		return fmt.Errorf("module %s: expected a stack of at least 0 MiB, not %d",
			j.Module, j.StackMiB)
	}
	return nil
}

// folder is where one run of Java has all its files.
type folder struct {
	path string
}

const (
	configName = "run.cfg"
	// Java's own temporary folder: SANY unpacks the standard modules there, under
	// names that any two runs share.
	scratchName = "scratch"
	metaName    = "meta"
)

// newFolder creates a folder with the modules and the configuration.
func (t *Tools) newFolder(files map[string][]byte, config string) (folder, error) {
	path, err := os.MkdirTemp(t.scratch, "viewstamp-tlc-")
	if err != nil {
		return folder{}, fmt.Errorf("create a folder for TLC: %w", err)
	}
	f := folder{path: path}
	if err := f.fill(files, config); err != nil {
		return folder{}, multierr.Append(err, f.remove())
	}
	return f, nil
}

func (f folder) fill(files map[string][]byte, config string) error {
	for _, name := range []string{scratchName, metaName} {
		if err := os.Mkdir(f.join(name), 0o755); err != nil {
			return fmt.Errorf("create a folder for TLC: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(f.join(name), files[name], 0o644); err != nil {
			return fmt.Errorf("write module %s: %w", name, err)
		}
	}
	if err := os.WriteFile(f.join(configName), []byte(config), 0o644); err != nil {
		return fmt.Errorf("write TLC's configuration: %w", err)
	}
	return nil
}

func (f folder) join(name string) string { return filepath.Join(f.path, name) }

func (f folder) remove() error {
	if err := os.RemoveAll(f.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove TLC's folder: %w", err)
	}
	return nil
}
