package explore

import (
	"bytes"
	"fmt"

	"github.com/zeebo/xxh3"
)

// worker expands chunks of a level. What it finds stays with it until the level
// ends and the search collects it.
type worker[S any, A Action] struct {
	search *search[S, A]
	yield  func(A, S) // w.onStep, made once: a method value costs an allocation.

	// The state being expanded: its fingerprint, and the number of its next successor.
	parent uint64
	step   uint32
	depth  uint32 // Of the successors.

	key     []byte // The key last encoded; scratch.
	open    *chunk[S]
	full    []*chunk[S]
	free    []*chunk[S]
	actions map[A]int // Place in counts.
	counts  []count[A]

	distinct    int
	transitions int
	degrees     []int      // By number of successors: expanded states that have so many.
	reached     []bool     // By goal, so far.
	violations  []violator // By property, in this level.
	err         error
}

// count is the number of successors that carried one action.
type count[A Action] struct {
	action     A
	successors int
}

// violator is the violating state of smallest key that a worker has seen for one
// property in this level.
type violator struct {
	fp     uint64
	key    []byte
	reason error // nil: none seen.
}

func newWorker[S any, A Action](s *search[S, A]) *worker[S, A] {
	w := &worker[S, A]{
		search:     s,
		open:       newChunk[S](),
		actions:    map[A]int{},
		reached:    make([]bool, len(s.model.Sometimes)),
		violations: make([]violator, len(s.model.Always)),
	}
	w.yield = w.onStep
	return w
}

// fingerprint encodes the key of s into w.key and hashes it. It is never 0.
func (w *worker[S, A]) fingerprint(s S) uint64 {
	w.key = w.search.model.Key(w.key[:0], s)
	return max(xxh3.Hash(w.key), 1)
}

// expand computes the successors of a chunk's states and recycles the chunk.
func (w *worker[S, A]) expand(c *chunk[S]) {
	// A sample is enough: a model that writes to states it has handed out does so
	// all the time.
	if fp := w.fingerprint(c.states[0]); fp != c.fps[0] {
		w.err = fmt.Errorf("a state's key changed after the state was yielded: %w",
			ErrNondeterministic)
		return
	}
	for i, s := range c.states {
		w.parent, w.step = c.fps[i], 0
		w.search.model.Next(s, w.yield)
		w.count(int(w.step))
	}
	c.empty()
	w.free = append(w.free, c)
}

// onStep takes one successor.
func (w *worker[S, A]) onStep(a A, s S) {
	i, known := w.actions[a]
	if !known {
		i = len(w.counts)
		w.actions[a] = i
		w.counts = append(w.counts, count[A]{action: a})
	}
	w.counts[i].successors++
	w.transitions++
	w.offer(s)
}

// offer visits s, the successor number w.step of w.parent, if it is new.
func (w *worker[S, A]) offer(s S) {
	fp := w.fingerprint(s)
	fresh := w.search.visited.insert(slot{fp: fp, parent: w.parent, step: w.step, depth: w.depth})
	w.step++
	if !fresh {
		return
	}
	w.distinct++
	w.keep(fp, s)
}

// keep inspects a new state, whose key is in w.key, and lays it by for its expansion.
func (w *worker[S, A]) keep(fp uint64, s S) {
	w.inspect(fp, s)
	w.open.add(fp, s)
	if w.open.full() {
		w.full = append(w.full, w.open)
		w.open = w.nextChunk()
	}
}

func (w *worker[S, A]) nextChunk() *chunk[S] {
	if n := len(w.free); n > 0 {
		c := w.free[n-1]
		w.free = w.free[:n-1]
		return c
	}
	return newChunk[S]()
}

// inspect evaluates the properties and the open goals in a new state.
func (w *worker[S, A]) inspect(fp uint64, s S) {
	for i, p := range w.search.model.Always {
		if w.search.settled[i] {
			continue
		}
		if reason := p.Check(s); reason != nil {
			w.blame(i, fp, reason)
			if !w.search.options.KeepGoing {
				break
			}
		}
	}
	for i, g := range w.search.model.Sometimes {
		if !w.reached[i] {
			w.reached[i] = g.Reached(s)
		}
	}
}

// blame notes a violation if its key, which is in w.key, is the smallest so far.
func (w *worker[S, A]) blame(property int, fp uint64, reason error) {
	v := &w.violations[property]
	if v.reason == nil || bytes.Compare(w.key, v.key) < 0 {
		v.fp, v.reason = fp, reason
		v.key = append(v.key[:0], w.key...)
	}
}
