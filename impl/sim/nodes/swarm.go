package nodes

import (
	"context"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/sim/seeds"
)

// SwarmResult sums up the runs of a range of seeds.
type SwarmResult struct {
	// From and To are the range asked for, both included; Seeds is how many of it ran.
	From, To, Seeds uint64
	Passed          bool
	// Failures are the results of the seeds that failed, by seed.
	Failures []*Result
	// Undecided are the seeds whose history could not be decided within its limit.
	Undecided []uint64

	Ticks, Operations, Unknown, Resent, Sessions, Committed, Requests int
	Crashes, Restarts, Frames, Comparisons                            int
	Coverage                                                          Coverage
}

// Swarm runs the seeds from and to and all between with the same options, on all cores, and
// sums up. progress is called after each seed, in the order of the seeds, if it is not nil.
//
// If ctx ends, what has been done so far is returned. Errors: options out of range.
func Swarm(
	ctx context.Context, from, to uint64, options Options, progress func(done, failed int),
) (*SwarmResult, error) {
	if to < from || to-from == ^uint64(0) {
		return nil, fmt.Errorf("run swarm: seeds %d to %d: expected a range", from, to)
	}
	r := &SwarmResult{From: from, To: to, Passed: true, Coverage: newCoverage()}
	run := func(seed uint64) (*Result, error) {
		options := options
		options.Seed = seed
		return Run(options)
	}
	for result, err := range seeds.InOrder(ctx, from, to-from+1, run) {
		if err != nil {
			return nil, fmt.Errorf("run swarm: %w", err)
		}
		r.add(result)
		if progress != nil {
			progress(int(r.Seeds), len(r.Failures))
		}
	}
	return r, nil
}

func (r *SwarmResult) add(run *Result) {
	r.Seeds++
	if !run.Passed {
		r.Passed = false
		r.Failures = append(r.Failures, run)
	}
	if run.Undecided != "" {
		r.Undecided = append(r.Undecided, run.Seed)
	}
	r.Ticks += run.Ticks
	r.Operations += run.Operations
	r.Unknown += run.Unknown
	r.Resent += run.Resent
	r.Sessions += run.Sessions
	r.Committed += run.Committed
	r.Requests += run.Requests
	r.Crashes += run.Crashes
	r.Restarts += run.Restarts
	r.Frames += run.Frames
	r.Comparisons += run.Comparisons
	r.Coverage.add(run)
}

// Complete reports whether all seeds of the range ran.
func (r *SwarmResult) Complete() bool { return r.Seeds == r.To-r.From+1 }
