package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/sim/seeds"
)

// SwarmResult sums up the runs of a range of seeds.
type SwarmResult struct {
	// From and To are the range asked for, both included; Seeds is how many of it ran: all,
	// or those before the context ended.
	From, To, Seeds uint64
	Passed          bool
	// Failures are the results of the seeds that failed, by seed.
	Failures []*Result
	// Undecided are the seeds whose history could not be decided within its limit.
	Undecided []uint64

	Ticks, Operations, Abandoned, Committed, ViewChanges int
	Crashes, Restarts                                    int
	PacketsSent, PacketsLost                             int
	PacketsDuplicated, PacketsCorrupted                  int
	Comparisons                                          int
	Coverage                                             Coverage
}

// Missing names what none of the seeds has seen although a swarm should; see [Coverage].
func (r *SwarmResult) Missing() []string { return r.Coverage.Missing() }

// Complete reports whether all seeds of the range ran.
func (r *SwarmResult) Complete() bool { return r.Seeds == r.To-r.From+1 }

// String returns a short summary in one line.
func (r *SwarmResult) String() string {
	return fmt.Sprintf("%d seeds: %d failed, %d undecided; %d ticks, %d operations, %d committed, "+
		"%d view changes, %d crashes, %d packets, %d comparisons", r.Seeds, len(r.Failures),
		len(r.Undecided), r.Ticks, r.Operations, r.Committed, r.ViewChanges, r.Crashes,
		r.PacketsSent, r.Comparisons)
}

// Progress says how far a swarm has come.
type Progress struct {
	Done, Total uint64
	Failed      int
}

// Swarm runs the seeds from and to and all between with the same options, on all cores, and
// sums up. The result depends on the seeds and options alone: on the number of cores it does
// not. progress is called after each seed, in the order of the seeds, if it is not nil.
//
// If ctx ends, seeds that have begun come to their end, and what has been done so far is
// returned. Errors: options out of range, a trace or history (several runs cannot share one).
func Swarm(
	ctx context.Context, from, to uint64, options Options, progress func(Progress),
) (*SwarmResult, error) {
	switch {
	case to < from || to-from == ^uint64(0):
		return nil, fmt.Errorf("run swarm: seeds %d to %d: expected a range", from, to)
	case options.Trace != nil || options.History != nil:
		return nil, errors.New("run swarm: trace or history: expected none, runs would share it")
	}
	r := &SwarmResult{From: from, To: to, Passed: true, Coverage: newCoverage()}
	total := to - from + 1
	run := func(seed uint64) (*Result, error) {
		options := options
		options.Seed = seed
		return Run(options)
	}
	for result, err := range seeds.InOrder(ctx, from, total, run) {
		if err != nil {
			return nil, fmt.Errorf("run swarm: %w", err)
		}
		r.add(result)
		if progress != nil {
			progress(Progress{Done: r.Seeds, Total: total, Failed: len(r.Failures)})
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
	r.Abandoned += run.Abandoned
	r.Committed += run.Committed
	r.ViewChanges += run.ViewChanges
	r.Crashes += run.Crashes
	r.Restarts += run.Restarts
	r.PacketsSent += run.PacketsSent
	r.PacketsLost += run.PacketsLost
	r.PacketsDuplicated += run.PacketsDuplicated
	r.PacketsCorrupted += run.PacketsCorrupted
	r.Comparisons += run.Comparisons
	r.Coverage.add(run)
}
