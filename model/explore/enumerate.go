package explore

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// ErrTooLarge means that a graph has more states than the caller allows.
var ErrTooLarge = errors.New("the state graph is larger than the limit")

// enumeration is a model's whole state graph in memory. States are numbered in
// the order of a sequential breadth-first search, so all of it is deterministic.
type enumeration[S any, A Action] struct {
	states  []S
	initial int // states[:initial] are the initial ones.
	// edges[first[i]:first[i+1]] are the distinct labelled edges out of state i, in
	// the order in which Next yields them first.
	edges []edge[A]
	first []int
	// discovery is, by state, the place in edges of the edge that found it first, and
	// the state where that edge starts; -1 for an initial state.
	discovery []discovery
}

type edge[A Action] struct {
	action A
	to     int32
}

type discovery struct {
	from int32
	edge int
}

// enumerate visits all states of m. States are told apart by their whole keys,
// not by fingerprints. A limit of 0 means none.
func enumerate[S any, A Action](
	ctx context.Context, m Model[S, A], limit int,
) (*enumeration[S, A], error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	initial, err := m.initial()
	if err != nil {
		return nil, err
	}
	if limit <= 0 || limit > math.MaxInt32 {
		limit = math.MaxInt32
	}
	g := &enumeration[S, A]{}
	known := map[string]int32{}
	var key []byte
	number := func(s S, d discovery) int32 {
		key = m.Key(key[:0], s)
		i, ok := known[string(key)]
		if !ok {
			i = int32(len(g.states))
			known[string(key)] = i
			g.states = append(g.states, s)
			g.discovery = append(g.discovery, d)
		}
		return i
	}
	for _, s := range initial {
		number(s, discovery{from: -1, edge: -1})
	}
	g.initial = len(g.states)
	seen := map[edge[A]]struct{}{}
	for i := 0; i < len(g.states); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(g.states) > limit {
			return nil, fmt.Errorf("%w of %d states", ErrTooLarge, limit)
		}
		clear(seen)
		g.first = append(g.first, len(g.edges))
		m.Next(g.states[i], func(a A, s S) {
			e := edge[A]{a, number(s, discovery{from: int32(i), edge: len(g.edges)})}
			if _, ok := seen[e]; !ok {
				seen[e] = struct{}{}
				g.edges = append(g.edges, e)
			}
		})
	}
	g.first = append(g.first, len(g.edges))
	return g, nil
}

// out returns the range of the edges out of state i.
func (g *enumeration[S, A]) out(i int32) (from, to int) { return g.first[i], g.first[i+1] }
