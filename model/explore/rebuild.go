package explore

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// rebuilt is a visited state that was computed again.
type rebuilt[S any] struct {
	fp    uint64
	state S
}

// rebuild returns the states of the wanted fingerprints, in order, by running the model
// along the ways to them: their predecessors level by level, each state once. It runs on
// all workers' cores. A state that is another one than before is [ErrNondeterministic],
// which may also mean that the model was changed under the same identity.
func (s *search[S, A]) rebuild(wanted []uint64) ([]S, error) {
	levels, err := s.ancestors(wanted)
	if err != nil {
		return nil, err
	}
	place := make(map[uint64]int, len(wanted))
	for i, fp := range wanted {
		place[fp] = i
	}
	states := make([]S, len(wanted))
	missing := len(wanted)
	var known []rebuilt[S]
	for depth, slots := range levels {
		if depth == 0 {
			known, err = s.rebuildInitial(slots)
		} else {
			known, err = s.rebuildLevel(known, slots)
		}
		if err != nil {
			return nil, err
		}
		for _, r := range known {
			if i, ok := place[r.fp]; ok {
				states[i] = r.state
				missing--
			}
		}
	}
	if missing != 0 {
		return nil, fmt.Errorf("%d states that wait are not among the visited ones: it %w", missing,
			ErrNotResumable)
	}
	return states, nil
}

// ancestors returns the slots of the wanted states and of all on the ways to them, by
// depth from 1, each level by predecessor and step.
func (s *search[S, A]) ancestors(wanted []uint64) ([][]slot, error) {
	var levels [][]slot
	seen := map[uint64]bool{}
	for _, fp := range wanted {
		for fp != 0 && !seen[fp] {
			seen[fp] = true
			at := *s.visited.shards[fp>>(64-shardBits)].find(fp)
			if at.fp == 0 || at.depth == 0 || int(at.depth) > s.depth+1 {
				return nil, fmt.Errorf("state %016x is not among the visited ones: it %w", fp,
					ErrNotResumable)
			}
			for len(levels) < int(at.depth) {
				levels = append(levels, nil)
			}
			levels[at.depth-1] = append(levels[at.depth-1], at)
			fp = at.parent
		}
	}
	for _, slots := range levels {
		slices.SortFunc(slots, func(a, b slot) int {
			return cmp.Or(cmp.Compare(a.parent, b.parent), cmp.Compare(a.step, b.step))
		})
	}
	return levels, nil
}

func (s *search[S, A]) rebuildInitial(slots []slot) ([]rebuilt[S], error) {
	var known []rebuilt[S]
	for _, want := range slots {
		step, ok := s.initialStep(want.step)
		if !ok || s.workers[0].fingerprint(step.State) != want.fp {
			return nil, fmt.Errorf("initial state %d is another one than before: %w", want.step,
				ErrNondeterministic)
		}
		known = append(known, rebuilt[S]{want.fp, step.State})
	}
	return known, nil
}

// rebuildLevel computes the states of slots from those of the level before.
func (s *search[S, A]) rebuildLevel(before []rebuilt[S], slots []slot) ([]rebuilt[S], error) {
	slices.SortFunc(before, func(a, b rebuilt[S]) int { return cmp.Compare(a.fp, b.fp) })
	cores := max(1, min(len(s.workers), runtime.GOMAXPROCS(0)))
	parts := make([][]rebuilt[S], cores)
	errs := make([]error, cores)
	var group sync.WaitGroup
	for core := range cores {
		from, to := len(before)*core/cores, len(before)*(core+1)/cores
		group.Go(func() { parts[core], errs[core] = s.workers[core].rebuild(before[from:to], slots) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	known := slices.Concat(parts...)
	if len(known) != len(slots) {
		return nil, fmt.Errorf("%d of %d states are no successors any more: %w",
			len(slots)-len(known), len(slots), ErrNondeterministic)
	}
	return known, nil
}

// rebuild takes the wanted steps out of some states. The slots are those of all states.
func (w *worker[S, A]) rebuild(before []rebuilt[S], slots []slot) ([]rebuilt[S], error) {
	var known []rebuilt[S]
	var err error
	for _, from := range before {
		i, _ := slices.BinarySearchFunc(slots, from.fp, func(s slot, fp uint64) int {
			return cmp.Compare(s.parent, fp)
		})
		step := uint32(0)
		w.search.model.Next(from.state, func(_ A, state S) {
			if i < len(slots) && slots[i].parent == from.fp && slots[i].step == step {
				if w.fingerprint(state) != slots[i].fp && err == nil {
					err = fmt.Errorf("step %d of state %016x leads to another state than before: %w",
						step, from.fp, ErrNondeterministic)
				}
				known = append(known, rebuilt[S]{slots[i].fp, state})
				i++
			}
			step++
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}
