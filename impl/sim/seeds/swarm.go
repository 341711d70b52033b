package seeds

import (
	"context"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/sim/coverage"
)

// Outcome is what one seed came to, as far as a swarm sums it up.
type Outcome struct {
	Seed uint64
	// Failure is what was wrong in one line; empty if nothing was. Reproduce is the command that
	// runs the same again, Chosen what the seed chose.
	Failure, Reproduce string
	Chosen             []string
	// Undecided says why the history of the run was not decided; empty if it was.
	Undecided string
	// Figures are what is summed up over all seeds, by name.
	Figures map[string]int
	// Seen goes into the table of the swarm.
	Seen coverage.Counts
}

// Swarm is what the runs of a range of seeds came to together.
type Swarm struct {
	// From and To are the range asked for, both included; Seeds is how many of it ran: all,
	// or those before the context ended.
	From, To, Seeds uint64
	// Failures are the outcomes of the seeds that failed, by seed.
	Failures []Outcome
	// Undecided are the seeds whose history could not be decided within its limit.
	Undecided []uint64
	Figures   map[string]int
	Coverage  coverage.Table
}

// Passed reports whether no seed failed.
func (s *Swarm) Passed() bool { return len(s.Failures) == 0 }

// Complete reports whether all seeds of the range ran.
func (s *Swarm) Complete() bool { return s.Seeds == s.To-s.From+1 }

// Progress says how far a swarm has come.
type Progress struct {
	Done, Total uint64
	Failed      int
}

// Sum runs the seeds from and to and all between, on all cores, and sums up; table is the one of
// the simulator, empty. The result depends on the seeds alone: on the number of cores it does
// not. progress is called after each seed, in the order of the seeds, if it is not nil.
//
// If ctx ends, seeds that have begun come to their end, and what has been done so far is
// returned. Errors: no range; the first error of a run.
func Sum(
	ctx context.Context, from, to uint64, table coverage.Table,
	run func(seed uint64) (Outcome, error), progress func(Progress),
) (*Swarm, error) {
	if to < from || to-from == ^uint64(0) {
		return nil, fmt.Errorf("run swarm: seeds %d to %d: expected a range", from, to)
	}
	defer collectSeldom()()
	s := &Swarm{From: from, To: to, Figures: map[string]int{}, Coverage: table}
	for outcome, err := range InOrder(ctx, from, to-from+1, run) {
		if err != nil {
			return nil, fmt.Errorf("run swarm: %w", err)
		}
		s.add(&outcome)
		if progress != nil {
			progress(Progress{Done: s.Seeds, Total: to - from + 1, Failed: len(s.Failures)})
		}
	}
	return s, nil
}

func (s *Swarm) add(o *Outcome) {
	s.Seeds++
	if o.Failure != "" {
		s.Failures = append(s.Failures, *o)
	}
	if o.Undecided != "" {
		s.Undecided = append(s.Undecided, o.Seed)
	}
	for name, n := range o.Figures { //nolint:maporder // sums are the same in any order
		s.Figures[name] += n
	}
	s.Coverage.Add(o.Seen)
}
