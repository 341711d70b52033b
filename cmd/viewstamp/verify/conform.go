package verify

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
	"github.com/viewstamp/viewstamp/traces/conform/partial"
)

// Figures of a conformance check.
const (
	// FigureGroups is the number of groups whose events were seen.
	FigureGroups = "groups"
	// FigureHeld is the number of checks of a partial trace that held.
	FigureHeld = "held"
	// FigureCheckpoints and FigureInstalls count the checkpoints that were taken, and those that
	// replicas had from each other.
	FigureCheckpoints = "checkpoints"
	FigureInstalls    = "installs"
	// FigureCompared is the number of fields of the states that the model was held against.
	FigureCompared = "compared"
)

// ConformTrace asks whether the model explains a recorded trace.
//
// Errors: a trace that cannot be checked at all.
func ConformTrace(t *traces.Trace) (Check, error) {
	c := conformCheck(t.Path)
	report, err := conform.Trace(t)
	if err != nil {
		return Check{}, err
	}
	c.explained(report)
	return c, nil
}

// ConformFile asks whether the model explains the recorded trace of a file, or, if the trace
// leaves fields of the state open, begins in the middle, or is of one replica among several,
// whether it keeps the invariants that it can show. It reads
// one event at a time. A trace whose end is missing is undecided: what is there was checked.
//
// Errors: a trace that cannot be read or checked at all.
func ConformFile(path string) (_ Check, err error) {
	reader, err := traces.Open(path)
	if err != nil {
		return Check{}, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	if h := reader.Header(); len(h.Open) > 0 || h.Continues > 0 || h.Order == traces.OrderReplica {
		return conformPartial(reader, path)
	}
	c := conformCheck(path)
	if c.otherQuorums(reader.Header(), path) {
		return c, nil
	}
	checker, err := conform.New(reader.Header(), path)
	if err != nil {
		return Check{}, err
	}
	cut, err := eachEvent(reader, func(e traces.Event) bool { return checker.Add(e) == nil })
	if err != nil {
		return Check{}, err
	}
	report := checker.Report()
	if report.Events == 0 && report.Mismatch == nil {
		return Check{}, nothing(path, cut)
	}
	c.explained(report)
	c.cut(report.Events, cut)
	return c, nil
}

// otherQuorums fails the check of a trace whose header has quorums that the model does not have,
// such as the counterexample of a mutant of them: that is a verdict, and no reason to leave the
// other files of a folder unjudged.
func (c *Check) otherQuorums(header traces.Header, path string) bool {
	if n := header.Replicas; n < 1 || n > vsr.NMax {
		return false
	}
	err := conform.Quorums(header, path)
	if err != nil {
		c.Figures = Figures{FigureTraces: 1}
		c.fail("%v", err)
	}
	return err != nil
}

// readWhole reads a trace into memory. cut is why its end is missing, or nil.
func readWhole(path string) (t *traces.Trace, cut *traces.FormatError, err error) {
	reader, err := traces.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	t = &traces.Trace{Header: reader.Header(), Path: path}
	cut, err = eachEvent(reader, func(e traces.Event) bool {
		t.Events = append(t.Events, e)
		return true
	})
	if err == nil && len(t.Events) == 0 {
		err = nothing(path, cut)
	}
	return t, cut, err
}

func conformCheck(path string) Check {
	if path == "" {
		return Check{Name: "conform/trace", Engine: EngineConform, Status: Passed}
	}
	return Check{
		Name: nameOf("conform", path), Engine: EngineConform, Status: Passed,
		Reproduce: "viewstamp trace conform " + path,
	}
}

// explained takes up what the model says.
func (c *Check) explained(report conform.Report) {
	c.Figures = Figures{
		FigureTraces: 1, FigureEvents: float64(report.Events),
		FigureStutters: float64(report.Stutters), FigureGroups: float64(report.Groups),
		FigureCompared: float64(report.Compared),
	}
	c.Detail = fmt.Sprintf("%d of %d fields of the states are compared, at most %d states explain",
		report.Compared, report.Fields, report.States)
	if report.Checkpoints+report.Installs > 0 {
		c.Figures[FigureCheckpoints] = float64(report.Checkpoints)
		c.Figures[FigureInstalls] = float64(report.Installs)
		c.Detail += "\nof checkpoints only op, checksum, commit and order are compared: the model has " +
			"whole logs"
	}
	if report.Mismatch != nil {
		reason, detail, _ := strings.Cut(report.Mismatch.String(), "\n")
		c.fail("%s", reason)
		c.Detail = detail
	}
}

// conformPartial checks a trace that leaves fields of the state open.
func conformPartial(reader *traces.Reader, path string) (Check, error) {
	c := conformCheck(path)
	checker := partial.New(reader.Header(), path)
	cut, err := eachEvent(reader, func(e traces.Event) bool { return checker.Add(e) == nil })
	if err != nil {
		return Check{}, err
	}
	v := checker.Verdict()
	if v.Events == 0 && v.Rejection == nil {
		return Check{}, nothing(path, cut)
	}
	c.Figures = Figures{
		FigureTraces: 1, FigureEvents: float64(v.Events), FigureGroups: float64(v.Groups),
		FigureHeld: float64(v.Held()),
	}
	c.Detail = v.String()
	switch {
	case v.Rejection != nil:
		reason, detail, _ := strings.Cut(v.Rejection.String(), "\n")
		c.fail("%s", reason)
		c.Detail = detail + "\n" + c.Detail
	case v.Held() == 0:
		c.Status, c.Reason = Undecided, "the trace says nothing that could be checked"
	default:
		c.cut(v.Events, cut)
	}
	return c, nil
}

// eachEvent takes all events of a trace, until take returns false. cut is why the end of the
// trace is missing, or nil.
func eachEvent(
	reader *traces.Reader, take func(traces.Event) bool,
) (cut *traces.FormatError, err error) {
	for {
		e, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case errors.As(err, &cut) && cut.Truncated:
			return cut, nil
		case err != nil:
			return nil, err
		case !take(e):
			return nil, nil
		}
	}
}

// cut makes a check of a trace whose end is missing undecided, if what is there was explained.
func (c *Check) cut(events int, why *traces.FormatError) {
	if why != nil && c.Status == Passed {
		c.Status = Undecided
		c.Reason = OneLine(fmt.Sprintf("explained up to line %d; then %s", events+1, why.Error()))
	}
}

func nothing(path string, cut *traces.FormatError) error {
	if cut != nil {
		return cut
	}
	return &traces.FormatError{
		Path: path, Line: 1, Got: "no event", Want: "at least one: there is nothing to check",
	}
}
