package nodes

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/impl/sim/seeds"
	"github.com/viewstamp/viewstamp/impl/wire"
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

	Ticks, Operations, Unknown, Resent, Sessions, Committed int
	Crashes, Restarts, Frames, Comparisons                  int
	// Injected and the others sum up those of the runs.
	Injected, Delivered, Refused, Answers map[string]int
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
	r := &SwarmResult{
		From: from, To: to, Passed: true, Injected: map[string]int{},
		Delivered: map[string]int{}, Refused: map[string]int{}, Answers: map[string]int{},
	}
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
	r.Crashes += run.Crashes
	r.Restarts += run.Restarts
	r.Frames += run.Frames
	r.Comparisons += run.Comparisons
	for _, sum := range []struct{ to, from map[string]int }{
		{r.Injected, run.Injected}, {r.Delivered, run.Delivered}, {r.Refused, run.Refused},
		{r.Answers, run.Answers},
	} {
		for name, n := range sum.from {
			sum.to[name] += n
		}
	}
}

// Complete reports whether all seeds of the range ran.
func (r *SwarmResult) Complete() bool { return r.Seeds == r.To-r.From+1 }

// Row says how often one thing happened in all runs of a swarm.
type Row struct {
	Group, Name string
	Count       int
}

// Coverage lists everything that was counted, in a fixed order.
func (r *SwarmResult) Coverage() []Row {
	var rows []Row
	for _, group := range []struct {
		name   string
		counts map[string]int
	}{
		{"fault", r.Injected}, {"message", r.Delivered}, {"answer", r.Answers},
		{"reply", r.Refused},
	} {
		for _, name := range slices.Sorted(maps.Keys(group.counts)) {
			rows = append(rows, Row{group.name, name, group.counts[name]})
		}
	}
	return rows
}

// Missing names what a swarm of some hundred seeds should have seen, and has not: a kind of
// fault, a kind of frame, an answer, as "group/name".
func (r *SwarmResult) Missing() []string {
	var missing []string
	need := func(group, name string, counts map[string]int) {
		if counts[name] == 0 {
			missing = append(missing, group+"/"+name)
		}
	}
	for i := range features {
		need("fault", features[i].name, r.Injected)
	}
	for _, command := range wire.Commands() {
		need("message", command.String(), r.Delivered)
	}
	for _, name := range []string{"reply", "session", "over"} {
		need("answer", name, r.Answers)
	}
	for _, name := range []string{"not_accepted", "invalid_session"} {
		need("reply", name, r.Refused)
	}
	return missing
}
