package explore

import (
	"context"
	"fmt"
	"slices"
)

// Cover returns paths from initial states which together take every distinct
// labelled edge of m's state graph, and visit every initial state. The paths are
// the same every time. More than limit states are an error ([ErrTooLarge]); 0
// means no limit.
//
// The cover is greedy and not minimal: each path goes a shortest way to the first
// state, in breadth-first order, that has an edge nobody took, and from there on
// along such edges for as long as there are any.
//
// Paths hold copies of their states: for large graphs use [EachCover].
func Cover[S any, A Action](
	ctx context.Context, m Model[S, A], limit int,
) ([][]Step[S, A], error) {
	var paths [][]Step[S, A]
	err := EachCover(ctx, m, limit, func(path []Step[S, A]) error {
		paths = append(paths, slices.Clone(path))
		return nil
	})
	return paths, err
}

// EachCover hands the paths of [Cover] to visit, one after the other. A path is
// valid during the call only. An error of visit ends the cover and is returned as
// it is.
func EachCover[S any, A Action](
	ctx context.Context, m Model[S, A], limit int, visit func(path []Step[S, A]) error,
) error {
	graph, err := enumerate(ctx, m, limit)
	if err != nil {
		return fmt.Errorf("cover model %q: %w", m.Name, err)
	}
	c := newCover(graph)
	for start := range int32(len(graph.states)) {
		isolated := start < int32(graph.initial) && !c.visited[start]
		for c.untaken[start] > 0 || isolated {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("cover model %q: %w", m.Name, err)
			}
			isolated = false
			c.reach(start)
			c.extend(start)
			if err := visit(c.path); err != nil {
				return err
			}
		}
	}
	return nil
}

// cover is the state of a greedy edge cover.
type cover[S any, A Action] struct {
	graph   *enumeration[S, A]
	taken   []bool // By edge.
	untaken []int  // By state: edges out of it that nobody took.
	next    []int  // By state: edges before this one are taken.
	visited []bool // By state.
	path    []Step[S, A]
}

func newCover[S any, A Action](graph *enumeration[S, A]) *cover[S, A] {
	c := &cover[S, A]{
		graph:   graph,
		taken:   make([]bool, len(graph.edges)),
		untaken: make([]int, len(graph.states)),
		next:    slices.Clone(graph.first),
		visited: make([]bool, len(graph.states)),
	}
	for i := range graph.states {
		from, to := graph.out(int32(i))
		c.untaken[i] = to - from
	}
	return c
}

// reach makes path a shortest way to state i: the one of its discovery.
func (c *cover[S, A]) reach(i int32) {
	var way []discovery
	for d := c.graph.discovery[i]; d.from >= 0; d = c.graph.discovery[i] {
		way = append(way, d)
		i = d.from
	}
	c.path = append(c.path[:0], Step[S, A]{State: c.graph.states[i]})
	c.visited[i] = true
	for _, d := range slices.Backward(way) {
		c.take(d.from, d.edge)
	}
}

// extend goes on from state i along edges that nobody took.
func (c *cover[S, A]) extend(i int32) {
	for c.untaken[i] > 0 {
		e := c.choose(i)
		c.take(i, e)
		i = c.graph.edges[e].to
	}
}

// choose picks the first untaken edge out of state i whose target has more of
// them, so that the path does not end early; else the first untaken one.
func (c *cover[S, A]) choose(i int32) int {
	for c.taken[c.next[i]] {
		c.next[i]++
	}
	_, end := c.graph.out(i)
	for e := c.next[i]; e < end; e++ {
		if to := c.graph.edges[e].to; !c.taken[e] && c.untaken[to] > 0 {
			return e
		}
	}
	return c.next[i]
}

// take appends edge e, which starts in state i, to the path.
func (c *cover[S, A]) take(i int32, e int) {
	if !c.taken[e] {
		c.taken[e] = true
		c.untaken[i]--
	}
	to := c.graph.edges[e].to
	c.visited[to] = true
	c.path = append(c.path, Step[S, A]{
		Action: c.graph.edges[e].action, State: c.graph.states[to],
	})
}
