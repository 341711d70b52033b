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

// Result is what TLC says of some traces.
type Result struct {
	// Verdicts are in the order of the traces.
	Verdicts []Verdict
	// Runs is how often TLC ran, Distinct the number of states that it visited, CPUSeconds
	// the time of its processes.
	Runs, Distinct int
	CPUSeconds     float64
}

// Check has TLC follow traces, as many as possible in one run. The groups of a trace are
// followed each for itself.
//
// Errors: that of the first trace that cannot be followed at all ([Fits]); those of TLC, without
// a verdict; the context's cause if it ended.
func Check(ctx context.Context, tools *tlc.Tools, all []*traces.Trace) (*Result, error) {
	if len(all) == 0 {
		return nil, errors.New("follow traces with TLC: no trace, expected at least one")
	}
	files, err := spec.ModuleFiles("TraceVSR")
	if err != nil {
		return nil, err
	}
	return check(ctx, tools, files, all)
}

// check is Check with the text of the modules.
func check(
	ctx context.Context, tools *tlc.Tools, files map[string][]byte, all []*traces.Trace,
) (*Result, error) {
	runs, err := batches(all)
	if err != nil {
		return nil, err
	}
	result := &Result{Verdicts: make([]Verdict, len(all)), Runs: len(runs)}
	for i, t := range all {
		result.Verdicts[i].Events = len(t.Events)
	}
	for _, b := range runs {
		reached, outcome, err := b.follow(ctx, tools, files)
		if err != nil {
			return nil, fmt.Errorf("follow traces with TLC: %w", err)
		}
		result.Distinct += outcome.Distinct
		result.CPUSeconds += outcome.CPUSeconds
		b.judge(reached, result.Verdicts)
	}
	return result, nil
}

// stackMiB is enough for a view change with logs of [OpsMax].
const stackMiB = 64

// follow runs TLC and returns how many events of each piece it explained.
func (b *batch) follow(
	ctx context.Context, tools *tlc.Tools, files map[string][]byte,
) (reached []int, outcome *tlc.Outcome, err error) {
	files[moduleName+".tla"] = b.module()
	reached = make([]int, len(b.pieces))
	outcome, err = tools.Check(ctx, tlc.Job{
		Files: files, Module: moduleName, Config: b.config(), Short: true, StackMiB: stackMiB,
		Printed: func(line string) {
			var piece, event int
			if _, err := fmt.Sscanf(line, "<<%d, %d>>", &piece, &event); err == nil &&
				piece >= 1 && piece <= len(reached) {
				reached[piece-1] = max(reached[piece-1], event)
			}
		},
	})
	if err == nil && outcome.Status != tlc.Clean {
		err = errors.New("a violation, expected none: the module checks no property")
	}
	return reached, outcome, err
}

// judge says for each trace how far all of its groups were followed: up to the first event
// that nothing explains in any.
func (b *batch) judge(reached []int, verdicts []Verdict) {
	for i, p := range b.pieces {
		if reached[i] == len(p.events) {
			continue
		}
		stuck := p.events[reached[i]]
		if v := &verdicts[p.trace]; stuck.Step-1 < v.Events {
			v.Events, v.Line = stuck.Step-1, stuck.Line()
		}
	}
}
