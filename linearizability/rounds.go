package linearizability

import (
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// searchPartitions searches the partitions in rounds, each with a larger bound of
// steps, until a round finds a violation or all are decided. One partition is
// enough for a violation, and often one shows it at once while another would keep
// the search busy for hours.
func searchPartitions(
	ended func() StopReason, spec *specification, partitions []partition, options CheckOptions,
) *rounds {
	r := &rounds{
		ended: ended, spec: spec, options: options, partitions: partitions,
		workers:    min(options.Workers, max(len(partitions), 1)),
		reports:    make([]PartitionReport, len(partitions)),
		candidates: make([][]candidate, len(partitions)),
		violations: make([][]*Operation, len(partitions)),
		stuck:      make([][]int64, len(partitions)),
		long:       make([]longResult, len(partitions)),
	}
	for i, p := range partitions {
		r.reports[i] = PartitionReport{
			Key: p.key, Operations: len(p.operations), Verdict: Undecided, Stop: StopSteps,
		}
	}
	decided := r.decideLong()
	for i, p := range partitions {
		if r.reports[i].Verdict == Undecided && r.reports[i].Stop != StopMemory {
			r.candidates[i] = reduce(spec, p.operations)
			r.reports[i].Searched = len(r.candidates[i])
		}
	}
	if decided {
		return r
	}
	each := uint64(firstRoundSteps)
	for !r.run(each) {
		each *= roundGrowth
	}
	return r
}

const (
	// firstRoundSteps is the bound of the first round, in steps an operation.
	firstRoundSteps = 64
	// roundGrowth is the factor between rounds, so what is searched again costs
	// little.
	roundGrowth = 16
)

// rounds is the search of all partitions.
type rounds struct {
	ended      func() StopReason
	spec       *specification
	options    CheckOptions
	workers    int
	partitions []partition
	candidates [][]candidate
	// By partition: what was found, and of a violation the operations that show it
	// and where their search got stuck.
	reports    []PartitionReport
	violations [][]*Operation
	stuck      [][]int64
	long       []longResult // Of those that needed no search.
}

// run searches all partitions that are undecided, within so many steps an operation,
// and says whether no further round is needed.
//
// A violation ends the searches behind it and none before it, so that which one is
// the first, and with it the report, does not depend on who was faster.
func (r *rounds) run(stepsEach uint64) bool {
	first := newLowest(len(r.reports))
	undecided := r.undecided()
	var group errgroup.Group
	group.SetLimit(r.workers)
	for _, i := range undecided {
		group.Go(func() error {
			r.searchOne(i, stepsEach, func() StopReason {
				if first.get() < i {
					return StopElsewhere
				}
				return r.ended()
			})
			if r.reports[i].Verdict == Violation {
				first.lower(i)
			}
			return nil
		})
	}
	_ = group.Wait() // No search fails: what it cannot decide is in its report.
	if first.get() < len(r.reports) {
		r.forgetBehind(first.get(), undecided)
		return true
	}
	again := false
	for _, i := range r.undecided() {
		// Only the bound of this round can be raised.
		again = again || r.options.StepsMax == 0 || r.bound(i, stepsEach) < r.options.StepsMax
	}
	return !again
}

// bound is the steps that a round may spend on a partition.
func (r *rounds) bound(i int, stepsEach uint64) uint64 {
	bound := stepsEach * uint64(len(r.candidates[i])+1)
	if r.options.StepsMax > 0 {
		return min(bound, r.options.StepsMax)
	}
	return bound
}

// searchOne searches one partition, and if that does not decide it, the place where
// the search got stuck.
func (r *rounds) searchOne(i int, stepsEach uint64, ended func() StopReason) {
	bounds := limits{
		steps:       r.bound(i, stepsEach),
		memoryBytes: r.options.MemoryMaxBytes / uint64(r.workers),
	}
	found := search(ended, r.spec, r.candidates[i], bounds)
	operations := r.partitions[i].operations
	limited := found.stop == StopSteps || found.stop == StopMemory
	if r.spec.shapes == nil && found.verdict == Undecided && limited {
		s := &shrinker{
			ended: ended, spec: r.spec, memory: bounds.memoryBytes,
			stepsLeft: bounds.steps, stepsEach: stepsEach,
		}
		if window, violation := s.window(operations, found.stuck); violation {
			found.verdict, found.stop = Violation, StopNone
			operations = window
		}
		found.steps += bounds.steps - s.stepsLeft
	}
	r.reports[i].record(found)
	r.violations[i], r.stuck[i] = operations, found.stuck
}

// undecided lists the partitions for which a further search makes sense.
func (r *rounds) undecided() []int {
	var result []int
	for i, p := range r.reports {
		if p.Verdict == Undecided && p.Stop == StopSteps {
			result = append(result, i)
		}
	}
	return result
}

// forgetBehind drops what the round found behind its first violation: a search that
// came to its end before it heard of the violation could have been slower.
func (r *rounds) forgetBehind(first int, searched []int) {
	for _, i := range searched {
		if p := &r.reports[i]; i > first {
			*p = PartitionReport{
				Key: p.Key, Operations: p.Operations, Searched: p.Searched,
				Verdict: Undecided, Stop: StopElsewhere,
			}
		}
	}
}

func (p *PartitionReport) record(found outcome) {
	p.Verdict, p.Stop = found.verdict, found.stop
	p.Steps += found.steps
	if int(found.deepest.length) >= p.Linearized {
		p.Linearized, p.prefix = int(found.deepest.length), found.deepest.identities()
	}
}

// lowest is the smallest position that anybody has named.
type lowest struct {
	at atomic.Int64
}

func newLowest(limit int) *lowest {
	l := &lowest{}
	l.at.Store(int64(limit))
	return l
}

func (l *lowest) get() int { return int(l.at.Load()) }

func (l *lowest) lower(to int) {
	for {
		current := l.at.Load()
		if int64(to) >= current || l.at.CompareAndSwap(current, int64(to)) {
			return
		}
	}
}
