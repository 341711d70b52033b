package verify

import (
	"context"
	"fmt"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
	"github.com/viewstamp/viewstamp/traces/conform/tlcbatch"
)

// ConformByTLC has TLC say whether the traces of files are behaviours of the spec, many in one
// run. With both, the Go model says so as well, and verdicts that differ fail: of each file
// there are then two checks. Where there is no TLC its checks are skipped.
//
// Errors: the first trace that cannot be read, or followed by TLC at all.
func ConformByTLC(ctx context.Context, box Toolbox, paths []string, both bool) ([]Check, error) {
	files := make([]opinionFile, len(paths))
	var follow []*traces.Trace
	for i, path := range paths {
		f := &files[i]
		var err error
		if f.trace, f.cut, err = readWhole(path); err != nil {
			return nil, err
		}
		f.byGo, f.byTLC = conformCheck(path), opinionCheck(path, both)
		if f.byGo.otherQuorums(f.trace.Header, path) {
			f.judged = f.byTLC.otherQuorums(f.trace.Header, path)
			continue // No engine has to look at its events.
		}
		if err := tlcbatch.Fits(f.trace); err != nil {
			return nil, err
		}
		follow = append(follow, f.trace)
	}
	var result *tlcbatch.Result
	if box.tools != nil && len(follow) > 0 {
		var err error
		result, err = tlcbatch.Check(ctx, box.tools, follow)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	var checks []Check
	for i := range files {
		f := &files[i]
		if !f.judged {
			var verdict *tlcbatch.Verdict
			if result != nil {
				verdict, result.Verdicts = &result.Verdicts[0], result.Verdicts[1:]
			}
			if err := f.judge(ctx, box, verdict, both); err != nil {
				return nil, err
			}
		}
		if both {
			checks = append(checks, f.byGo)
		}
		checks = append(checks, f.byTLC)
	}
	return checks, nil
}

// opinionFile is a trace of a file and what is said of it.
type opinionFile struct {
	trace *traces.Trace
	cut   *traces.FormatError // Why its end is missing, or nil.
	// judged says that the checks are done, without the events.
	judged      bool
	byGo, byTLC Check
}

// judge takes up TLC's verdict, which is nil where there is none, and gives the Go model's.
func (f *opinionFile) judge(
	ctx context.Context, box Toolbox, verdict *tlcbatch.Verdict, both bool,
) error {
	switch {
	case box.tools == nil:
		f.byTLC.Status, f.byTLC.Reason = box.status, box.reason
	case verdict == nil:
		f.byTLC = Interrupted(ctx, f.byTLC.Name, f.byTLC.Engine, f.byTLC.Reproduce)
	default:
		f.byTLC.followed(f.trace, *verdict)
	}
	if both {
		report, err := conform.Trace(f.trace)
		if err != nil {
			return err
		}
		f.byGo.explained(report)
		f.byGo.cut(report.Events, f.cut)
		if verdict != nil {
			f.byTLC.compare(report, *verdict)
		}
	}
	f.byTLC.cut(len(f.trace.Events), f.cut)
	return nil
}

func opinionCheck(path string, both bool) Check {
	engine := EngineTLC
	if both {
		engine = "both"
	}
	return Check{
		Name: nameOf("conform", path), Engine: EngineTLC, Status: Passed, Figures: Figures{},
		Reproduce: fmt.Sprintf("viewstamp trace conform --engine %s %s", engine, path),
	}
}

// followed takes up what TLC says of a trace.
func (c *Check) followed(t *traces.Trace, v tlcbatch.Verdict) {
	c.Figures = Figures{FigureTraces: 1, FigureEvents: float64(v.Events)}
	if !v.Accepted() {
		c.fail("%s:%d: no step of the module explains event %d: %s", t.Path, v.Line,
			v.Events+1, traces.Describe(t.Events[v.Events]))
	}
}

// compare fails the check if the two verdicts on a trace differ.
func (c *Check) compare(byGo conform.Report, byTLC tlcbatch.Verdict) {
	if reason := differ(byGo, byTLC); reason != "" {
		c.fail("the verdicts differ: %s", reason)
	}
}

// differ says how two verdicts on a trace differ, or nothing.
func differ(byGo conform.Report, byTLC tlcbatch.Verdict) string {
	line := 0
	if byGo.Mismatch != nil {
		line = byGo.Mismatch.Line
	}
	if line == byTLC.Line {
		return ""
	}
	said := func(line int) string {
		if line == 0 {
			return "accepts the trace"
		}
		return fmt.Sprintf("rejects line %d", line)
	}
	return fmt.Sprintf("Go %s, TLC %s", said(line), said(byTLC.Line))
}
