package verify

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform/partial"
	"github.com/viewstamp/viewstamp/traces/iggysim"
	"github.com/viewstamp/viewstamp/traces/iggysim/sample"
)

// The numbers of replicas of the sample logs.
const (
	sampleLeast = 3
	sampleMost  = 5
)

// ConformImported is the job that imports sample logs in upstream's format and checks them: as
// they are, and with each defect at each place that can have it, where they must be rejected at
// that line.
func ConformImported() Job {
	job := Job{Name: "conform/imported", Engine: EngineConform, Reproduce: "viewstamp verify"}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		var err error
		for n := sampleLeast; n <= sampleMost && err == nil && c.Status == ""; n++ {
			err = conformSample(ctx, &c, sample.Standard(n), fmt.Sprintf("%d replicas", n))
		}
		switch {
		case c.Status == Failed:
		case c.Figures[FigureRejected] == 0:
			c.failVacuous("defect in a log")
		default:
			c.Status = Passed
		}
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

// conformSample checks one log and its broken copies. The error is that of the context.
func conformSample(ctx context.Context, c *Check, lines []string, name string) error {
	v, err := judge(lines)
	if err != nil || v.Rejection != nil {
		c.fail("sample log of %s: %v %v", name, err, v.Rejection)
		return nil
	}
	c.Figures[FigureTraces]++
	c.Figures[FigureEvents] += float64(v.Events)
	c.Figures[FigureHeld] += float64(v.Held())
	for _, defect := range sample.Defects() {
		for _, place := range sample.Break(lines, defect) {
			if err := ctx.Err(); err != nil {
				return err
			}
			v, err := judge(place.Lines)
			switch want := fmt.Sprintf("log:%d", place.Line); {
			case err != nil || v.Rejection == nil:
				c.fail("sample log of %s with %s at line %d: accepted (%v)", name, defect, place.Line, err)
				return nil
			case v.Rejection.Place != want:
				c.fail("sample log of %s with %s: expected a rejection at %s, got %v", name, defect, want,
					v.Rejection)
				return nil
			}
			c.Figures[FigureRejected]++
		}
	}
	return nil
}

// judge imports lines and checks the trace, without any file.
func judge(lines []string) (partial.Verdict, error) {
	text := strings.Join(lines, "\n") + "\n"
	source := iggysim.Source{
		Path: "log", Replica: iggysim.AnyReplica,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}
	var checker *partial.Checker
	_, err := iggysim.Import([]iggysim.Source{source}, 0, func(h traces.Header) error {
		checker = partial.New(h, "trace")
		return nil
	}, func(e traces.Event) error {
		checker.Add(e)
		return nil
	})
	if err != nil {
		return partial.Verdict{}, err
	}
	return checker.Verdict(), nil
}
