package linearizability

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// CheckOptions bound a check. The zero value is a sensible choice; the time limit
// is the deadline of the context.
type CheckOptions struct {
	// Workers is how many partitions are searched at the same time. 0 means one a
	// CPU.
	Workers int
	// StepsMax bounds the steps of each search of a partition. 0 means no bound.
	// Unlike time it gives the same verdict on every machine.
	StepsMax uint64
	// MemoryMaxBytes bounds the estimated memory of all searches together. 0 means
	// [DefaultMemoryMaxBytes].
	MemoryMaxBytes uint64
	// ShrinkStepsMax bounds the steps spent on making a witness smaller. 0 means
	// [DefaultShrinkStepsMax].
	ShrinkStepsMax uint64
	// SkipWitness leaves out the witness: the verdict alone is wanted.
	SkipWitness bool
	// SearchAlways searches also what could be decided without a search: to compare the two.
	SearchAlways bool
}

const (
	// DefaultMemoryMaxBytes is 1 GiB. The estimate is an upper bound, so the memory
	// in use is smaller.
	DefaultMemoryMaxBytes = 1 << 30
	// DefaultShrinkStepsMax takes some seconds. For offsets, metadata, sessions and sets, whose
	// steps read their state from a text, it is divided by 25.
	DefaultShrinkStepsMax = 5_000_000
	shapedStepCost        = 25
)

// Check decides whether the history is linearizable. It partitions by key, reduces
// each partition (reduce.go) and lets Porcupine search for an order (order.go), in
// rounds of growing bounds (rounds.go), within the deadline of ctx and the bounds of
// options. Where a search gets stuck it looks at short windows (cut.go), which
// often show a violation that the search alone would take for ever to prove.
//
// A cancelled context is not an error: the verdict then is Undecided, or Violation
// with a witness that is not minimal. Errors: a history that is not valid (see
// [History.Validate]); nothing has been searched then.
//
// The result is the same on every run, up to Seconds, unless time or memory ended
// the search.
func Check(ctx context.Context, h *History, options CheckOptions) (Report, error) {
	started := now()
	if err := h.Validate(); err != nil {
		return Report{}, err
	}
	spec, _ := h.Model.specification()
	options = options.withDefaults(spec)
	ended := func() StopReason { return endedBy(ctx) }
	searched := searchPartitions(ended, spec, h.partitions(), options)
	report := Report{Operations: len(h.Operations), Partitions: searched.reports}
	report.decide()
	if report.Verdict == Violation && !options.SkipWitness {
		first := slices.IndexFunc(report.Partitions, func(p PartitionReport) bool {
			return p.Verdict == Violation
		})
		if long := searched.long[first]; long.exact {
			report.Witness = long.report(report.Partitions[first].Key)
		} else {
			report.Witness = witness(
				ended, spec, searched.violations[first], searched.stuck[first], options)
		}
	}
	report.Seconds = now().Sub(started).Seconds()
	return report, nil
}

func (o CheckOptions) withDefaults(spec *specification) CheckOptions {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MemoryMaxBytes == 0 {
		o.MemoryMaxBytes = DefaultMemoryMaxBytes
	}
	if o.ShrinkStepsMax == 0 {
		o.ShrinkStepsMax = DefaultShrinkStepsMax
		if spec.shapes != nil {
			o.ShrinkStepsMax /= shapedStepCost
		}
	}
	return o
}

// decide derives the verdict of the history from those of its partitions.
func (r *Report) decide() {
	r.Verdict, r.Stop = Linearizable, StopNone
	for _, p := range r.Partitions {
		if p.Verdict == Violation {
			r.Verdict, r.Stop = Violation, StopNone
			return
		}
		if p.Verdict == Undecided && r.Verdict == Linearizable {
			r.Verdict, r.Stop = Undecided, p.Stop
		}
	}
}

func endedBy(ctx context.Context) StopReason {
	if ctx.Err() != nil {
		return StopTime
	}
	return StopNone
}

// now reads the clock for Report.Seconds and for nothing else.
func now() time.Time {
	return time.Now() //nolint:forbidigo // Only reported: no verdict depends on it.
}
