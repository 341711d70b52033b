package explore

import (
	"cmp"
	"slices"
)

const (
	// chunkStates is the number of states that a worker takes at a time.
	chunkStates = 64
	// blockChunks is the number of chunks after which a bounded search looks at its
	// bound: 4,096 states.
	blockChunks = 64
)

// chunk is a piece of a level: states to expand, with their fingerprints. Chunks
// are recycled, so that a level costs no allocation per state.
type chunk[S any] struct {
	fps    []uint64
	states []S
}

func newChunk[S any]() *chunk[S] {
	return &chunk[S]{
		fps:    make([]uint64, 0, chunkStates),
		states: make([]S, 0, chunkStates),
	}
}

func (c *chunk[S]) add(fp uint64, s S) {
	c.fps = append(c.fps, fp)
	c.states = append(c.states, s)
}

func (c *chunk[S]) full() bool { return len(c.fps) == chunkStates }

// empty makes the chunk ready for reuse and lets go of what its states point to.
func (c *chunk[S]) empty() {
	clear(c.states)
	c.fps, c.states = c.fps[:0], c.states[:0]
}

// byFingerprint rebuilds a level in the order of its fingerprints, which does not
// depend on who found which state first.
func byFingerprint[S any](level []*chunk[S]) []*chunk[S] {
	type place struct {
		fp    uint64
		state *S
	}
	var places []place
	for _, c := range level {
		for i, fp := range c.fps {
			places = append(places, place{fp, &c.states[i]})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.fp, b.fp) })
	var sorted []*chunk[S]
	for _, p := range places {
		if len(sorted) == 0 || sorted[len(sorted)-1].full() {
			sorted = append(sorted, newChunk[S]())
		}
		sorted[len(sorted)-1].add(p.fp, *p.state)
	}
	return sorted
}
