package mutants

import (
	"context"
	"fmt"
	"strings"
)

// statusFailed is the exit status of a test binary with a failed test, unless it panicked, and of
// the tool with a failed check; statusPanicked is a panic's, of either.
const (
	statusFailed   = 1
	statusPanicked = 2
)

// judge says what a run of the mutant shows.
func (p Patch) judge(ctx context.Context, ran result) Verdict {
	v := Verdict{Outcome: Elsewhere, Output: ran.output}
	switch {
	case ctx.Err() != nil:
		return Verdict{Outcome: Ended, Reason: context.Cause(ctx).Error()}
	case ran.late:
		v.Outcome = Ended
		v.Reason = fmt.Sprintf("it ran for %s without an end: %s", ran.limit, p.Catch)
	case ran.err != nil:
		v.Outcome, v.Reason = Broken, ran.err.Error()
	case ran.status == 0:
		v.Outcome = Survived
		v.Reason = fmt.Sprintf("it survived: %s passes, expected a failure", p.Catch)
	case !p.Catch.failed(ran):
		v.Reason = fmt.Sprintf("%s ends with status %d, expected %s; it prints %q", p.Catch,
			ran.status, p.Catch.failure(), lastLine(ran.output))
	case !strings.Contains(ran.output, p.Expect):
		v.Reason = fmt.Sprintf("%s fails, and does not say %q, as the patch expects; it prints %q",
			p.Catch, p.Expect, lastLine(ran.output))
	default:
		v = Verdict{Outcome: Caught}
	}
	return v
}

// failed says whether the very test has failed, or a check of the tool.
func (c Catch) failed(ran result) bool {
	if c.Tool != nil {
		return ran.status == statusFailed
	}
	return (ran.status == statusFailed || ran.status == statusPanicked) &&
		ran.says("--- FAIL: "+c.Test)
}

// failure is what failed looks for, for people.
func (c Catch) failure() string {
	if c.Tool != nil {
		return "1: a failed check"
	}
	return "a failure of " + c.Test
}

// passed says why a run without a patch is none that has passed.
func (c Catch) passed(ran result) error {
	switch {
	case ran.late:
		return fmt.Errorf("%s ran for %s without an end", c, ran.limit)
	case ran.err != nil:
		return ran.err
	case ran.status != 0:
		return fmt.Errorf("%s fails with status %d, expected it to pass; it prints %q", c,
			ran.status, lastLine(ran.output))
	case c.Tool == nil && !ran.says("--- PASS: "+c.Test):
		return fmt.Errorf("%s runs no test %s, expected one that passes", c, c.Test)
	}
	return nil
}

// says reports whether a line of the output begins so, the indentation and a duration behind it
// left out.
func (r result) says(text string) bool {
	for line := range strings.Lines(r.output) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " (")
		if line == text {
			return true
		}
	}
	return false
}

// lastLine is the last line that says something.
func lastLine(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
