package tlc

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"go.uber.org/multierr"
)

// Check has TLC check a module under a configuration and returns its verdict: a
// nil error means that the Outcome is [Clean] or [Violated].
//
// Errors: a *[RunError] if TLC came to no verdict, together with an Outcome that
// has the status [Failed]; the context's cause if it ended, after the process was
// killed; else that of the operating system or of a job that makes no sense. No
// file is left behind in any case.
func (t *Tools) Check(ctx context.Context, job Job) (*Outcome, error) {
	return t.check(ctx, job, nil)
}

// check is Check with further options of TLC; then, if set, may read the run's
// files before they are removed. It is called for a verdict only.
func (t *Tools) check(
	ctx context.Context, job Job, then func(f folder, o *Outcome) error, options ...string,
) (outcome *Outcome, err error) {
	if err := job.validate(); err != nil {
		return nil, fmt.Errorf("prepare TLC: %w", err)
	}
	f, err := t.newFolder(job.Files, job.Config)
	if err != nil {
		return nil, err
	}
	defer func() { err = multierr.Append(err, f.remove()) }()

	v := &verdict{config: readConfig(job.Config), printed: job.Printed}
	read := func(stdout io.Reader) { readMessages(stdout, v) }
	ended, err := t.java(ctx, f, job.tuning(), read, "tlc2.TLC", job.arguments(options)...)
	if err != nil {
		return nil, fmt.Errorf("check module %s: %w", job.Module, err)
	}
	v.nameTemporal()
	outcome = &v.outcome
	outcome.Status = v.status(ended.status)
	outcome.CPUSeconds = ended.cpuSeconds
	outcome.Output = ended.stdout + ended.stderr
	if outcome.Status == Failed {
		return outcome, &RunError{
			Module: job.Module, ExitStatus: ended.status, Message: f.withoutPath(v.failure(ended)),
		}
	}
	if v.badStep != nil {
		outcome.Status = Failed
		return outcome, fmt.Errorf("check module %s: %w", job.Module, v.badStep)
	}
	if then != nil {
		if err := then(f, outcome); err != nil {
			return outcome, err
		}
	}
	return outcome, nil
}

// tuning returns the options for Java itself.
func (j Job) tuning() []string {
	options := longRun
	if j.Short {
		options = shortRun
	}
	if j.StackMiB > 0 {
		options = append(slices.Clone(options), fmt.Sprintf("-Xss%dm", j.StackMiB))
	}
	return options
}

// arguments returns TLC's command line. The fingerprint polynomial and the seed
// are fixed so that a run can be repeated exactly.
func (j Job) arguments(options []string) []string {
	arguments := []string{
		"-tool", "-workers", strconv.Itoa(max(j.Workers, 1)), "-metadir", metaName,
		"-fp", "0", "-seed", "1", "-config", configName,
	}
	if j.Coverage {
		arguments = append(arguments, "-coverage", "1")
	}
	arguments = append(arguments, options...)
	return append(arguments, j.Module+".tla")
}
