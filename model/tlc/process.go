package tlc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// outputTailMax is how much of the output is kept for [Outcome.Output], in bytes.
const outputTailMax = 16 << 10

// exit is how a Java process ended.
type exit struct {
	status     int     // The exit status; -1 if a signal ended it.
	words      string  // The same, as the operating system says it.
	cpuSeconds float64 // User and system time.
	stdout     string  // The end of the standard output.
	stderr     string  // The end of the standard error.
}

// Java's options for a run that is over before its compilers have paid off, and for
// one that is not.
var (
	shortRun = []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}
	longRun  = []string{"-XX:+UseParallelGC"}
)

// java runs a class of the jar in f, tuned by options of Java, and hands its standard
// output to read, which must read it to the end. When ctx ends, the process is killed.
//
// Errors: Java did not start, the output could not be read, or ctx ended. A
// status other than 0 is no error here.
func (t *Tools) java(
	ctx context.Context, f folder, tuning []string, read func(stdout io.Reader),
	class string, args ...string,
) (exit, error) {
	options := append(slices.Clone(tuning), "-Dfile.encoding=UTF-8",
		"-Djava.io.tmpdir="+f.join(scratchName), "-cp", t.Jar, class)
	cmd := exec.CommandContext(ctx, t.Java, append(options, args...)...)
	cmd.Dir = f.path
	cmd.WaitDelay = killedWaitMax
	var stdoutTail, stderrTail tail
	cmd.Stderr = &stderrTail
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return exit{}, fmt.Errorf("open Java's output: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return exit{}, fmt.Errorf("start Java: %w", err)
	}
	read(io.TeeReader(stdout, &stdoutTail))
	waitErr := cmd.Wait()
	if ctx.Err() != nil {
		return exit{}, context.Cause(ctx)
	}
	if failed := (*exec.ExitError)(nil); waitErr != nil && !errors.As(waitErr, &failed) {
		return exit{}, fmt.Errorf("run Java: %w", waitErr)
	}
	state := cmd.ProcessState
	return exit{
		status:     state.ExitCode(),
		words:      state.String(),
		cpuSeconds: (state.UserTime() + state.SystemTime()).Seconds(),
		stdout:     f.withoutPath(stdoutTail.text()),
		stderr:     f.withoutPath(stderrTail.text()),
	}, nil
}

// withoutPath takes the folder out of text: it is gone when the text is read.
func (f folder) withoutPath(text string) string {
	return strings.ReplaceAll(text, f.path+string(filepath.Separator), "")
}

// tail is a writer that keeps the end of what is written.
type tail struct {
	kept    []byte
	dropped bool
}

// Write takes all of p.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	// Cut rarely, so that a long output costs one copy per outputTailMax bytes.
	if len(t.kept) > 2*outputTailMax {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-outputTailMax:]...)
		t.dropped = true
	}
	return len(p), nil
}

// text returns the last lines, whole ones unless there is only one.
func (t *tail) text() string {
	kept, dropped := t.kept, t.dropped
	if len(kept) > outputTailMax {
		kept, dropped = kept[len(kept)-outputTailMax:], true
	}
	if dropped {
		if _, rest, ok := bytes.Cut(kept, []byte("\n")); ok {
			kept = rest
		}
	}
	return string(kept)
}
