package explore

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Check searches the states of m breadth first, level by level, and stops after
// the level in which an invariant fails. The verdict is in the result; an error
// means that the search itself could not be done: the model lacks a function, has
// no initial state, or is not deterministic ([ErrNondeterministic]).
//
// If ctx ends, the search stops within milliseconds and returns what it has, with
// Complete = false; then, and where Options.MemoryMax ends it, the counts depend on
// timing. A violation that was seen until then is reported.
//
// A search that ends without a verdict goes on later if Options.SaveTo says where to
// keep it. If that file cannot be written the result is returned with the error.
func Check[S any, A Action](
	ctx context.Context, m Model[S, A], o Options,
) (*Result[S, A], error) {
	if err := m.validate(); err != nil {
		return nil, fmt.Errorf("check model %q: %w", m.Name, err)
	}
	cpuStart := cpuSeconds()
	s := newSearch(m, o)
	defer s.memory.begin(o.MemoryMax)()
	stop, err := s.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("check model %q: %w", m.Name, err)
	}
	result, err := s.result(stop)
	if err != nil {
		return nil, fmt.Errorf("check model %q: %w", m.Name, err)
	}
	result.CPUSeconds = cpuSeconds() - cpuStart
	if o.SaveTo != "" && stop != StopComplete && stop != StopViolation {
		if err := s.save(o.SaveTo); err != nil {
			return result, fmt.Errorf("check model %q: %w", m.Name, err)
		}
		result.Saved = true
	}
	return result, nil
}

// search is one run of Check. Between levels it has the workers' findings; in a
// level only visited is shared.
type search[S any, A Action] struct {
	model   Model[S, A]
	options Options
	visited *visited
	workers []*worker[S, A]

	level       []*chunk[S] // The states of depth depth, which are not expanded yet.
	depth       int
	queue       int // States of that depth.
	distinct    int
	transitions int
	peakStates  int    // The most states that two neighbouring levels had together.
	deepest     uint64 // The smallest fingerprint of the last level that had states.
	reached     []bool // By goal.
	settled     []bool // By property: a level before this one broke it.
	found       []finding

	// rest are states of the level before that are not expanded, where something ended
	// the search within it; began is how far it was when that level began.
	rest  []*chunk[S]
	began mark
	// before are the counts of the run that this one resumes, by action name.
	before map[string]int
	memory memoryLimit
	sizes  []int // Of the levels of this run.
}

// finding is a violation whose path is not rebuilt yet.
type finding struct {
	property int
	fp       uint64
	reason   error
}

func newSearch[S any, A Action](m Model[S, A], o Options) *search[S, A] {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	s := &search[S, A]{
		model:   m,
		options: o,
		visited: newVisited(),
		reached: make([]bool, len(m.Sometimes)),
		settled: make([]bool, len(m.Always)),
	}
	for range o.Workers {
		s.workers = append(s.workers, newWorker(s))
	}
	return s
}

// run searches until everything is seen or something ends it.
func (s *search[S, A]) run(ctx context.Context) (Stop, error) {
	within := false // A level was begun before this run.
	if s.options.ResumeFrom != "" {
		var err error
		if within, err = s.resume(s.options.ResumeFrom); err != nil {
			return 0, err
		}
	} else {
		states, err := s.model.initial()
		if err != nil {
			return 0, err
		}
		first := s.workers[0]
		first.depth = 1
		for _, state := range states {
			first.offer(state)
		}
		s.closeLevel()
	}
	for {
		if len(s.level) == 0 {
			return StopComplete, nil
		}
		if stop := s.mustStop(ctx); stop != 0 && !within {
			return stop, nil
		}
		within = false
		s.began = s.mark()
		stop, err := s.expandLevel(ctx)
		if err != nil {
			return 0, err
		}
		s.closeLevel()
		if stop != 0 {
			if len(s.found) > 0 && !s.options.KeepGoing {
				stop = StopViolation
			}
			return stop, nil
		}
		s.rest = nil
	}
}

// mustStop tells between two levels why the next one is not wanted, 0 if it is.
func (s *search[S, A]) mustStop(ctx context.Context) Stop {
	switch {
	case len(s.found) > 0 && !s.options.KeepGoing,
		len(s.found) > 0 && len(s.found) == len(s.model.Always):
		return StopViolation
	case s.options.MaxDepth > 0 && s.depth >= s.options.MaxDepth:
		return StopDepth
	case s.full():
		return StopStates
	}
	return s.halted(ctx)
}

// halted tells why the search must end within a level, 0 if it need not.
func (s *search[S, A]) halted(ctx context.Context) Stop {
	switch {
	case ctx.Err() != nil:
		return StopContext
	case s.memory.exceeded():
		return StopMemory
	}
	return 0
}

// full tells whether the bound on states is reached.
func (s *search[S, A]) full() bool {
	if s.options.MaxStates <= 0 {
		return false
	}
	distinct := 0
	for _, w := range s.workers {
		distinct += w.distinct
	}
	return distinct >= s.options.MaxStates
}

// expandLevel visits the successors of the level's states. If a bound or ctx ends it
// midway it returns why, and what is not expanded is in s.rest. A search with a bound on
// states goes in blocks, in an order that does not depend on the workers.
func (s *search[S, A]) expandLevel(ctx context.Context) (Stop, error) {
	level, block := s.level, len(s.level)
	s.level = nil
	if s.options.MaxStates > 0 {
		level, block = byFingerprint(level), blockChunks
	}
	for len(level) > 0 {
		taken := s.expand(ctx, level[:min(block, len(level))])
		for _, w := range s.workers {
			if w.err != nil {
				return 0, w.err
			}
		}
		level = level[taken:]
		s.rest = level
		if len(level) == 0 {
			break
		}
		if stop := s.halted(ctx); stop != 0 {
			return stop, nil
		}
		if s.full() {
			return StopStates, nil
		}
	}
	return 0, nil
}

// expand hands chunks to the workers and waits for them. It returns how many of them it
// took; those are expanded.
func (s *search[S, A]) expand(ctx context.Context, chunks []*chunk[S]) (taken int) {
	var next atomic.Int64
	work := func(w *worker[S, A]) {
		w.depth = uint32(s.depth) + 1
		for w.err == nil && s.halted(ctx) == 0 {
			i := int(next.Add(1)) - 1
			if i >= len(chunks) {
				return
			}
			w.expand(chunks[i])
		}
	}
	var group sync.WaitGroup
	for _, w := range s.workers[1:max(1, min(len(s.workers), len(chunks)))] {
		group.Go(func() { work(w) })
	}
	work(s.workers[0])
	group.Wait()
	return min(int(next.Load()), len(chunks))
}

// closeLevel collects what the workers found: the next level, counts, goals and
// violations.
func (s *search[S, A]) closeLevel() {
	before, queue := s.distinct, s.queue
	s.distinct, s.transitions, s.level = 0, 0, nil
	for _, w := range s.workers {
		s.distinct += w.distinct
		s.transitions += w.transitions
		s.level = append(s.level, w.full...)
		if w.full = nil; len(w.open.fps) > 0 {
			s.level = append(s.level, w.open)
			w.open = w.nextChunk()
		}
		for i, reached := range w.reached {
			s.reached[i] = s.reached[i] || reached
		}
	}
	for _, w := range s.workers {
		copy(w.reached, s.reached)
	}
	s.queue = s.distinct - before
	s.sizes = append(s.sizes, s.queue)
	s.peakStates = max(s.peakStates, queue+s.queue)
	if s.queue > 0 {
		s.depth++
		s.deepest = smallestFingerprint(s.level)
	}
	s.closeViolations()
	if s.options.Progress != nil {
		s.options.Progress(Progress{
			Depth: s.depth, Distinct: s.distinct,
			Transitions: s.transitions, Queue: s.queue, Estimate: estimate(s.sizes, s.distinct),
		})
	}
}

// closeViolations picks, per property, the violating state of smallest key.
func (s *search[S, A]) closeViolations() {
	for i := range s.model.Always {
		var least violator
		for _, w := range s.workers {
			v := w.violations[i]
			w.violations[i] = violator{}
			if v.reason != nil && (least.reason == nil || bytes.Compare(v.key, least.key) < 0) {
				least = v
			}
		}
		if least.reason == nil {
			continue
		}
		s.settled[i] = true
		s.found = append(s.found, finding{property: i, fp: least.fp, reason: least.reason})
		if !s.options.KeepGoing {
			return
		}
	}
}

func smallestFingerprint[S any](level []*chunk[S]) uint64 {
	least := ^uint64(0)
	for _, c := range level {
		for _, fp := range c.fps {
			least = min(least, fp)
		}
	}
	return least
}

// result turns what was found into the answer: it rebuilds the counterexamples,
// and also the way to one of the deepest states, so that a model that is not
// deterministic is caught in a clean run too.
func (s *search[S, A]) result(stop Stop) (*Result[S, A], error) {
	n := float64(s.distinct)
	var state S
	overhead := float64(s.visited.bytes()) + float64(s.peakStates)*float64(unsafe.Sizeof(s.deepest))
	r := &Result[S, A]{
		Model: s.model.Name, Distinct: s.distinct, Transitions: s.transitions, Depth: s.depth,
		Actions: map[string]int{}, Goals: map[string]bool{},
		Complete: stop == StopComplete, Stop: stop, Waiting: s.waiting(),
		CollisionEstimate: n * (n - 1) / (1 << 65),
		BytesPerState:     (overhead + float64(s.peakStates)*float64(unsafe.Sizeof(state))) / n,
		OverheadPerState:  overhead / n,
		Degrees:           s.degrees(),
	}
	maps.Copy(r.Actions, s.before)
	for _, w := range s.workers {
		for _, c := range w.counts {
			r.Actions[c.action.Name()] += c.successors
		}
	}
	for i, g := range s.model.Sometimes {
		r.Goals[g.Name] = s.reached[i]
	}
	if _, err := s.path(s.deepest); err != nil {
		return nil, err
	}
	for _, f := range s.found {
		path, err := s.path(f.fp)
		if err != nil {
			return nil, err
		}
		p := s.model.Always[f.property]
		if p.Check(path[len(path)-1].State) == nil {
			return nil, fmt.Errorf("property %s failed (%w) and holds when evaluated again: %w",
				p.Name, f.reason, ErrNondeterministic)
		}
		r.Violations = append(r.Violations, &Violation[S, A]{
			Property: p.Name, Reason: f.reason.Error(), Path: path,
		})
	}
	if len(r.Violations) > 0 {
		r.Violation = r.Violations[0]
	}
	return r, nil
}
