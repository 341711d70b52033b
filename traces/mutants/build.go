package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// waitMax is how long the output of a process that was ended is waited for.
const waitMax = 5 * time.Second

// result is what a process came to.
type result struct {
	status int
	output string
	cpu    time.Duration
	limit  time.Duration
	late   bool  // Its time, limit, was over.
	err    error // It could not be run.
}

// overlay writes the changed files of a patch into a folder, and beside them the file that tells
// the Go tool where they are. It returns its path.
func (r *Runner) overlay(folder string, p Patch) (string, error) {
	files, err := p.Apply(func(file string) ([]byte, error) {
		return os.ReadFile(filepath.Join(r.root, filepath.FromSlash(file)))
	})
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for file, content := range files { // Each has a name of its own: the order leaves no mark.
		at := filepath.Join(folder, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(at, content, 0o600); err != nil {
			return "", fmt.Errorf("write mutant: %w", err)
		}
		replace[filepath.Join(r.root, filepath.FromSlash(file))] = at
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("write overlay: %w", err)
	}
	at := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(at, text, 0o600); err != nil {
		return "", fmt.Errorf("write overlay: %w", err)
	}
	return at, nil
}

// target is what is built: the command in a folder of the tree, or the tests of its package.
type target struct {
	folder string
	tests  bool
}

// build builds a program, with an overlay if there is one.
func (r *Runner) build(ctx context.Context, t target, program, overlay string) (result, error) {
	arguments := []string{"build"}
	if t.tests {
		arguments = []string{"test", "-c", "-vet=off"}
	}
	// The symbols of a debugger are half of the time of the linker.
	arguments = append(arguments, "-buildvcs=false", "-ldflags=-s -w", "-o", program)
	if overlay != "" {
		arguments = append(arguments, "-overlay", overlay)
	}
	built := r.start(ctx, buildMax, r.root, r.tool, append(arguments, t.folder)...)
	switch {
	case built.err != nil:
		return built, built.err
	case built.late:
		return built, fmt.Errorf("%s: the build took more than %s", t.folder, buildMax)
	case built.status != 0:
		return built, fmt.Errorf("%s does not compile: %s", t.folder, oneLine(built.output))
	}
	return built, nil
}

// run runs the program of a command, a test in its package's folder.
func (r *Runner) run(ctx context.Context, c Catch, program string) result {
	if c.Tool != nil {
		return r.start(ctx, r.runMax, r.root, program, c.Tool...)
	}
	arguments := append([]string{"-test.v", "-test.count=1", "-test.run=" + c.pattern()}, c.Flags...)
	return r.start(ctx, r.runMax, filepath.Join(r.root, filepath.FromSlash(c.Package)), program,
		arguments...)
}

// start runs a process to its end, or to the end of its time. One core is enough for it: as many
// as are tried at once make use of the others.
func (r *Runner) start(
	ctx context.Context, limit time.Duration, folder, program string, arguments ...string,
) result {
	within, stop := context.WithTimeout(ctx, limit)
	defer stop()
	var output bytes.Buffer
	command := exec.CommandContext(within, program, arguments...)
	command.Dir, command.Stdout, command.Stderr = folder, &output, &output
	command.Env = append(os.Environ(), "GOMAXPROCS=1", "PWD="+folder)
	command.WaitDelay = waitMax
	endWithChildren(command)
	err := command.Run()
	ran := result{output: output.String(), limit: limit, late: within.Err() != nil && ctx.Err() == nil}
	if state := command.ProcessState; state != nil {
		ran.status = state.ExitCode()
		ran.cpu = state.UserTime() + state.SystemTime()
	}
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) && within.Err() == nil {
		ran.err = fmt.Errorf("run %s: %w", filepath.Base(program), err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cpu += ran.cpu
	return ran
}

// oneLine is what a compiler says, without the line that names the package.
func oneLine(output string) string {
	var lines []string
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "; ")
}
