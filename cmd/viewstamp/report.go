package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/viewstamp/viewstamp/cmd/viewstamp/verify"
)

// report prints the checks of one command, as a table while they come or as one JSON
// object at the end.
type report struct {
	tool   *tool
	verb   string
	json   bool
	begin  time.Time
	checks []verify.Check
	bar    *progress
	// details shows the detail of passed checks too, minor the rows of minor ones.
	details, minor bool
	// notBegun says why some checks have not begun, empty if all have.
	notBegun string
}

func (t *tool) report(verb string, asJSON bool) *report {
	return &report{
		tool: t, verb: verb, json: asJSON, begin: time.Now(), bar: newProgress(t.stderr),
	}
}

// run does the sections' jobs on all cores and ends the report.
func (r *report) run(ctx context.Context, sections []verify.Section) error {
	return r.runOn(ctx, sections, runtime.GOMAXPROCS(0))
}

// runOn is run with at most so many jobs at a time.
func (r *report) runOn(ctx context.Context, sections []verify.Section, jobs int) error {
	r.do(ctx, sections, jobs)
	return r.end()
}

// do does the sections' jobs and reports their checks, without a verdict.
func (r *report) do(ctx context.Context, sections []verify.Section, jobs int) {
	verify.Run(ctx, sections, jobs, verify.Observer{
		Begun: r.bar.jobs, Reported: r.add,
	})
}

// add takes up a check and prints its row.
func (r *report) add(c verify.Check) {
	if c.Figures == nil {
		c.Figures = verify.Figures{}
	}
	r.checks = append(r.checks, c)
	switch {
	case c.NotBegun: // There may be many, and they have nothing to say.
		r.notBegun = c.Reason
		return
	case r.json, c.Minor && !r.minor && c.Status == verify.Passed:
		return
	}
	r.bar.clear()
	fmt.Fprint(r.tool.stdout, row(c))
	if r.details || c.Status != verify.Passed {
		fmt.Fprint(r.tool.stdout, indent(c.Detail))
	}
}

// end prints the verdict and returns it as the command's error.
func (r *report) end() error {
	r.bar.clear()
	if r.notBegun != "" && !r.json {
		fmt.Fprintf(r.tool.stdout, "the other checks: %s\n", r.notBegun)
	}
	verdict := verify.Judge(r.checks)
	seconds := time.Since(r.begin).Seconds()
	var err error
	if r.json {
		err = writeJSON(r.tool.stdout, r.object(verdict, seconds))
	} else {
		_, err = fmt.Fprintln(r.tool.stdout, summary(r.checks, verdict, seconds))
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return verdictError{verdict}
}

// object is what --json prints; the form is in design.md, section 10.
type object struct {
	Tool    string         `json:"tool"`
	Version string         `json:"version"`
	Verb    string         `json:"verb"`
	Passed  bool           `json:"passed"`
	Seconds float64        `json:"seconds"`
	Checks  []verify.Check `json:"checks"`
}

func (r *report) object(verdict verify.Status, seconds float64) object {
	checks := r.checks
	if checks == nil {
		checks = []verify.Check{}
	}
	return object{
		Tool: "viewstamp", Version: verify.Version(), Verb: r.verb,
		Passed: verdict == verify.Passed, Seconds: float64(int(seconds*1000)) / 1000,
		Checks: checks,
	}
}

func writeJSON(to io.Writer, o object) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(o)
}

// row is a check as one line of the table, with the reason and the command that
// reproduces it below where it is not passed.
func row(c verify.Check) string {
	line := fmt.Sprintf("%-9s  %-34s  %-7s  %s", c.Status, c.Name, c.Engine, figures(c.Figures))
	text := fmt.Sprintf("%-110s %7.1f s\n", line, c.Seconds)
	if c.Status == verify.Passed {
		return text
	}
	text += "           " + c.Reason + "\n"
	if c.Status != verify.Skipped {
		text += "           reproduce: " + c.Reproduce + "\n"
	}
	return text
}

// detailLinesMax bounds what a table shows of one check's detail.
const detailLinesMax = 400

func indent(text string) string {
	if text == "" {
		return ""
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(lines) - detailLinesMax; more > 0 {
		lines = append(lines[:detailLinesMax], fmt.Sprintf("... %d more lines", more))
	}
	return "           " + strings.Join(lines, "\n           ") + "\n"
}

// summary is the line below the table.
func summary(checks []verify.Check, verdict verify.Status, seconds float64) string {
	count := verify.Count(checks)
	text := fmt.Sprintf("%s: %d of %d checks passed", strings.ToUpper(string(verdict)),
		count[verify.Passed], len(checks))
	for _, status := range []verify.Status{verify.Failed, verify.Undecided, verify.Skipped} {
		if count[status] > 0 {
			text += fmt.Sprintf(", %d %s", count[status], status)
		}
	}
	if count[verify.Skipped] > 0 {
		text += " (not counted as passed)"
	}
	return text + fmt.Sprintf("; %.1f s", seconds)
}
