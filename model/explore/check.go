package explore

import (
	"bytes"
	"context"
	"fmt"
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
// Complete = false; then, and only then, the counts depend on timing. A violation
// that was seen until then is reported.
func Check[S any, A Action](
	ctx context.Context, m Model[S, A], o Options,
) (*Result[S, A], error) {
	if err := m.validate(); err != nil {
		return nil, fmt.Errorf("check model %q: %w", m.Name, err)
	}
	cpuStart := cpuSeconds()
	s := newSearch(m, o)
	complete, err := s.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("check model %q: %w", m.Name, err)
	}
	result, err := s.result(complete)
	if err != nil {
		return nil, fmt.Errorf("check model %q: %w", m.Name, err)
	}
	result.CPUSeconds = cpuSeconds() - cpuStart
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

// run searches until everything is seen (true) or something ends it (false).
func (s *search[S, A]) run(ctx context.Context) (complete bool, err error) {
	states, err := s.model.initial()
	if err != nil {
		return false, err
	}
	first := s.workers[0]
	first.depth = 1
	for _, state := range states {
		first.offer(state)
	}
	for {
		s.closeLevel()
		if len(s.level) == 0 {
			return true, nil
		}
		if s.mustStop(ctx) {
			return false, nil
		}
		whole, err := s.expandLevel(ctx)
		if err != nil {
			return false, err
		}
		if !whole {
			s.closeLevel()
			return false, nil
		}
	}
}

// mustStop tells between two levels whether the next one is not wanted.
func (s *search[S, A]) mustStop(ctx context.Context) bool {
	switch {
	case len(s.found) > 0 && !s.options.KeepGoing:
	case len(s.found) > 0 && len(s.found) == len(s.model.Always):
	case s.options.MaxDepth > 0 && s.depth >= s.options.MaxDepth:
	case s.full():
	case ctx.Err() != nil:
	default:
		return false
	}
	return true
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

// expandLevel visits the successors of the level's states. It returns false if a
// bound or ctx ended it midway. A search with a bound on states goes in blocks,
// in an order that does not depend on the workers.
func (s *search[S, A]) expandLevel(ctx context.Context) (whole bool, err error) {
	level, block := s.level, len(s.level)
	s.level = nil
	if s.options.MaxStates > 0 {
		level, block = byFingerprint(level), blockChunks
	}
	for len(level) > 0 {
		n := min(block, len(level))
		s.expand(ctx, level[:n])
		for _, w := range s.workers {
			if w.err != nil {
				return false, w.err
			}
		}
		if level = level[n:]; len(level) > 0 && s.full() || ctx.Err() != nil {
			return false, nil
		}
	}
	return true, nil
}

// expand hands chunks to the workers and waits for them.
func (s *search[S, A]) expand(ctx context.Context, chunks []*chunk[S]) {
	var next atomic.Int64
	work := func(w *worker[S, A]) {
		w.depth = uint32(s.depth) + 1
		for w.err == nil && ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(chunks) {
				return
			}
			w.expand(chunks[i])
		}
	}
	var group sync.WaitGroup
	for _, w := range s.workers[1:min(len(s.workers), len(chunks))] {
		group.Go(func() { work(w) })
	}
	work(s.workers[0])
	group.Wait()
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
	s.peakStates = max(s.peakStates, queue+s.queue)
	if s.queue > 0 {
		s.depth++
		s.deepest = smallestFingerprint(s.level)
	}
	s.closeViolations()
	if s.options.Progress != nil {
		s.options.Progress(Progress{
			Depth: s.depth, Distinct: s.distinct,
			Transitions: s.transitions, Queue: s.queue,
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
func (s *search[S, A]) result(complete bool) (*Result[S, A], error) {
	n := float64(s.distinct)
	var state S
	overhead := float64(s.visited.bytes()) + float64(s.peakStates)*float64(unsafe.Sizeof(s.deepest))
	r := &Result[S, A]{
		Model: s.model.Name, Distinct: s.distinct, Transitions: s.transitions, Depth: s.depth,
		Actions: map[string]int{}, Goals: map[string]bool{}, Complete: complete,
		CollisionEstimate: n * (n - 1) / (1 << 65),
		BytesPerState:     (overhead + float64(s.peakStates)*float64(unsafe.Sizeof(state))) / n,
		OverheadPerState:  overhead / n,
		Degrees:           s.degrees(),
	}
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
