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
	all := make([]*traces.Trace, len(paths))
	cuts := make([]*traces.FormatError, len(paths))
	for i, path := range paths {
		var err error
		if all[i], cuts[i], err = readWhole(path); err != nil {
			return nil, err
		}
		if err := tlcbatch.Fits(all[i]); err != nil {
			return nil, err
		}
	}
	var result *tlcbatch.Result
	if box.tools != nil {
		var err error
		result, err = tlcbatch.Check(ctx, box.tools, all)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	var checks []Check
	for i, t := range all {
		byTLC := opinionCheck(t.Path, both)
		switch {
		case box.tools == nil:
			byTLC.Status, byTLC.Reason = box.status, box.reason
		case result == nil:
			byTLC = Interrupted(ctx, byTLC.Name, byTLC.Engine, byTLC.Reproduce)
		default:
			byTLC.followed(t, result.Verdicts[i])
		}
		if both {
			report, err := conform.Trace(t)
			if err != nil {
				return nil, err
			}
			byGo := conformCheck(t.Path)
			byGo.explained(report)
			byGo.cut(report.Events, cuts[i])
			checks = append(checks, byGo)
			if result != nil {
				byTLC.compare(report, result.Verdicts[i])
			}
		}
		byTLC.cut(len(t.Events), cuts[i])
		checks = append(checks, byTLC)
	}
	return checks, nil
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
