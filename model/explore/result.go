package explore

import (
	"fmt"
	"maps"
	"slices"
)

// Options bound and observe a search. The zero value searches everything on all
// cores.
type Options struct {
	// Workers is the number of goroutines; 0 means GOMAXPROCS.
	Workers int
	// MaxStates ends the search once that many distinct states are known; 0 means no
	// bound. The search stops between blocks of 4,096 expanded states, so it can know
	// more states than this, but the same ones for every number of workers.
	MaxStates int
	// MaxDepth is the greatest depth, in states, that is visited; 0 means no bound.
	// States of that depth are checked and not expanded.
	MaxDepth int
	// KeepGoing searches on after a violation, until every invariant has failed or
	// everything was seen. Result.Violations then has a shortest counterexample of
	// each invariant that can be broken.
	KeepGoing bool
	// MemoryMax ends the search when the whole process has that much memory, in bytes,
	// from the operating system; 0 means no bound. While the search runs it is also the
	// limit of Go's garbage collector, which is one for the process.
	MemoryMax int64
	// SaveTo is the file that a search without a verdict is saved to, whatever ended it;
	// empty means none. The file is replaced as a whole or not at all.
	SaveTo string
	// ResumeFrom is the file of a saved search to go on with; empty means none. It must be
	// one of the same model ([ErrNotResumable]). The states are not in it: they are
	// rebuilt by running the model, and must be the same. The final figures are those of
	// a search that was never interrupted.
	ResumeFrom string
	// Identity says what the model was made of, such as the hash of its source. A saved
	// search is resumed under the same Identity only.
	Identity string
	// Progress, if not nil, is called after each level, from one goroutine.
	Progress func(Progress)
}

// Progress tells how far a search has come.
type Progress struct {
	Depth       int // Levels whose states are all known.
	Distinct    int // Distinct states known.
	Transitions int // Successors computed.
	Queue       int // States of the last level, which wait for their expansion.
	// Estimate is about how many distinct states there will be, extrapolated from the
	// sizes of the last levels; 0 while these do not tell.
	Estimate int
}

// Stop says why a search ended.
type Stop uint8

const (
	// StopComplete: everything was seen.
	StopComplete Stop = iota + 1
	// StopViolation: a property failed; with Options.KeepGoing, all of them did.
	StopViolation
	// StopStates and StopDepth: Options.MaxStates or MaxDepth was reached.
	StopStates
	StopDepth
	// StopMemory: Options.MemoryMax was reached.
	StopMemory
	// StopContext: the context ended.
	StopContext
)

// String says what was reached.
func (s Stop) String() string {
	switch s {
	case StopComplete:
		return "the end"
	case StopViolation:
		return "a violation"
	case StopStates:
		return "the bound on states"
	case StopDepth:
		return "the bound on depth"
	case StopMemory:
		return "the memory limit"
	case StopContext:
		return "an interruption"
	}
	return fmt.Sprintf("Stop(%d)", uint8(s))
}

// Result is what a search found. After a violation the counts are those of the
// level in which it was found, which is always finished.
type Result[S any, A Action] struct {
	// Model is the model's name.
	Model string
	// Distinct is the number of distinct states.
	Distinct int
	// Transitions is the number of successors that Next yielded, self loops and
	// duplicates included: TLC's "states generated" less the initial states.
	Transitions int
	// Depth is the number of levels; the initial states are level 1, as TLC counts.
	Depth int
	// Actions counts the successors that Next yielded per action name, so its sum is
	// Transitions. For distinct labelled edges see [Graph.Counts].
	Actions map[string]int
	// Goals tells for each of the model's goals whether a state reached it.
	Goals map[string]bool
	// Violation is the first violation, nil if every invariant held in each state.
	Violation *Violation[S, A]
	// Violations are all that were found: at most one without Options.KeepGoing, else
	// one per broken invariant, by depth and then in the model's order.
	Violations []*Violation[S, A]
	// Complete is true if every reachable state was visited and expanded. It is false
	// after a bound, after the context ended, and after a violation that ended the run.
	// Stop says which.
	Complete bool
	// Stop says why the search ended, and Waiting how many known states were not expanded
	// then.
	Stop    Stop
	Waiting int
	// Saved is true if Options.SaveTo was written.
	Saved bool
	// CollisionEstimate is the expected number of pairs of distinct states that the
	// search took for one because their fingerprints are equal: n(n-1)/2^65.
	CollisionEstimate float64
	// BytesPerState is the memory of the visited set plus the largest pair of levels
	// held at once (without what states point to), divided by Distinct.
	BytesPerState float64
	// OverheadPerState is what of BytesPerState the states themselves do not take: the
	// visited set and the fingerprints of the two levels. Of more than some thousand states
	// it is at most 56.
	OverheadPerState float64
	// Degrees tells how many successors the expanded states have.
	Degrees Degrees
	// CPUSeconds is the CPU time, user and system, that the whole process spent during
	// the search; 0 where the system does not tell.
	CPUSeconds float64
}

// Violation is a broken invariant and a shortest way to break it.
type Violation[S any, A Action] struct {
	Property string
	Reason   string
	// Path leads from an initial state, Path[0], to the state that breaks the
	// invariant. No path to a state that breaks any invariant is shorter, except with
	// Options.KeepGoing, where this holds for this invariant.
	Path []Step[S, A]
}

// Unreached returns the names of the goals that no state reached, sorted. It is
// the non-vacuity check of a complete run.
func (r *Result[S, A]) Unreached() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.Goals)) {
		if !r.Goals[name] {
			names = append(names, name)
		}
	}
	return names
}

// String is the result in one line, without the counterexample.
func (r *Result[S, A]) String() string {
	verdict := "no violation, complete"
	switch {
	case r.Violation != nil:
		verdict = fmt.Sprintf("%s violated in %d states", r.Violation.Property, len(r.Violation.Path))
	case !r.Complete:
		verdict = "no violation, incomplete"
	}
	return fmt.Sprintf("%s: %s; %d distinct states, %d transitions, depth %d, "+
		"%.1e collisions expected, %.0f bytes a state, %.1f CPU-s", r.Model, verdict,
		r.Distinct, r.Transitions, r.Depth, r.CollisionEstimate, r.BytesPerState, r.CPUSeconds)
}
