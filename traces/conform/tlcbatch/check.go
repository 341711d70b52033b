package tlcbatch

import (
	"context"
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
)

// Verdict is what TLC says of one trace.
type Verdict struct {
	// Events is how many events are explained: all of the trace, if it is accepted.
	Events int
	// Line is that of the first event that nothing explains, in the trace's file; 0 if the
	// trace is accepted.
	Line int
}

// Accepted reports whether the whole trace is a behaviour of the module.
func (v Verdict) Accepted() bool { return v.Line == 0 }

// Result is what one run of TLC says of a batch of traces.
type Result struct {
	// Verdicts are in the order of the traces.
	Verdicts []Verdict
	// Distinct is the number of states that TLC visited, CPUSeconds the time of its process.
	Distinct   int
	CPUSeconds float64
}

// BatchMax is the largest number of traces of one batch.
const BatchMax = 4096

// Check has TLC follow a batch of traces, all of groups of the same number of replicas and
// with the same commit drivers. The groups of a trace are followed each for itself.
//
// Errors: a [*traces.FormatError] for a trace that cannot be followed at all (a number of
// replicas that the module has not, fields left open, no event, traces that do not fit
// together); those of TLC, without a verdict.
func Check(ctx context.Context, tools *tlc.Tools, batch []*traces.Trace) (*Result, error) {
	b, err := newBatch(batch)
	if err != nil {
		return nil, err
	}
	files, err := spec.ModuleFiles("TraceVSR")
	if err != nil {
		return nil, err
	}
	files[moduleName+".tla"] = b.module()
	reached := make([]int, len(b.pieces))
	outcome, err := tools.Check(ctx, tlc.Job{
		Files: files, Module: moduleName, Config: b.config(), Printed: func(line string) {
			var piece, event int
			if _, err := fmt.Sscanf(line, "<<%d, %d>>", &piece, &event); err == nil &&
				piece >= 1 && piece <= len(reached) {
				reached[piece-1] = max(reached[piece-1], event)
			}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("follow traces with TLC: %w", err)
	}
	if outcome.Status != tlc.Clean {
		return nil, errors.New("follow traces with TLC: " +
			"a violation, expected none: the batch has no invariants")
	}
	return &Result{
		Verdicts: b.verdicts(reached), Distinct: outcome.Distinct, CPUSeconds: outcome.CPUSeconds,
	}, nil
}

// verdicts says for each trace how far all of its groups were followed: up to the first event
// that nothing explains in any.
func (b *batch) verdicts(reached []int) []Verdict {
	verdicts := make([]Verdict, len(b.traces))
	for i, t := range b.traces {
		verdicts[i].Events = len(t.Events)
	}
	for i, p := range b.pieces {
		if reached[i] == len(p.events) {
			continue
		}
		stuck := p.events[reached[i]]
		if v := &verdicts[p.trace]; stuck.Step-1 < v.Events {
			v.Events, v.Line = stuck.Step-1, stuck.Line()
		}
	}
	return verdicts
}
