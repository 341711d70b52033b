package explore

import "slices"

// components numbers the strongly connected components of the part of the graph that
// inside and within leave, from 1; states that are not inside have component 0. count is
// one more than the highest number.
//
// Tarjan's algorithm with a stack of its own, since paths are long.
func (f *fairGraph[S, A]) components(
	inside func(state int32) bool, within func(edge int) bool,
) (component []int, count int) {
	t := tarjan{
		component: make([]int, len(f.states)), order: make([]int, len(f.states)),
		low: make([]int, len(f.states)), count: 1,
	}
	for root := range int32(len(f.states)) {
		if inside(root) && t.order[root] == 0 {
			t.enter(root, f.first[root])
		}
		for len(t.calls) > 0 {
			call := &t.calls[len(t.calls)-1]
			if call.edge == f.first[call.state+1] {
				t.leave()
				continue
			}
			e := call.edge
			call.edge++
			j := f.edges[e].to
			switch {
			case !within(e) || !inside(j):
			case t.order[j] == 0:
				t.enter(j, f.first[j])
			case t.component[j] == 0:
				t.low[call.state] = min(t.low[call.state], t.order[j])
			}
		}
	}
	return t.component, t.count
}

// tarjan is the state of the search for components.
type tarjan struct {
	component  []int // 0: none yet.
	order, low []int // By state, from 1; 0: not seen.
	seen       int
	count      int
	open       []int32 // States whose component is not complete.
	calls      []tarjanCall
}

// tarjanCall is a state whose edges are being followed, and the next of them.
type tarjanCall struct {
	state int32
	edge  int
}

func (t *tarjan) enter(state int32, edge int) {
	t.seen++
	t.order[state], t.low[state] = t.seen, t.seen
	t.open = append(t.open, state)
	t.calls = append(t.calls, tarjanCall{state, edge})
}

func (t *tarjan) leave() {
	state := t.calls[len(t.calls)-1].state
	t.calls = t.calls[:len(t.calls)-1]
	if len(t.calls) > 0 {
		caller := t.calls[len(t.calls)-1].state
		t.low[caller] = min(t.low[caller], t.low[state])
	}
	if t.low[state] != t.order[state] {
		return
	}
	for {
		last := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.component[last] = t.count
		if last == state {
			break
		}
	}
	t.count++
}

// way returns the edges of a shortest way from state i to a state that reached accepts,
// along edges that within accepts: none if i is such a state, or if there is no way.
func (f *fairGraph[S, A]) way(
	i int32, reached func(int32) bool, within func(edge int) bool,
) []int {
	by := map[int32]int{i: -1} // The edge that found a state.
	queue := []int32{i}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if reached(at) {
			var edges []int
			for e := by[at]; e >= 0; e = by[f.from[e]] {
				edges = append(edges, e)
			}
			slices.Reverse(edges)
			return edges
		}
		from, to := f.out(at)
		for e := from; e < to; e++ {
			if _, known := by[f.edges[e].to]; !known && within(e) {
				by[f.edges[e].to] = e
				queue = append(queue, f.edges[e].to)
			}
		}
	}
	return nil
}

// steps are the steps of edges.
func (f *fairGraph[S, A]) steps(edges []int) []Step[S, A] {
	var steps []Step[S, A]
	for _, e := range edges {
		steps = append(steps, Step[S, A]{
			Action: f.edges[e].action, State: f.states[f.edges[e].to],
		})
	}
	return steps
}

// shortestPending returns a shortest path from an initial state through a state with From
// to a state that is an end, with no To from From on; nil if there is none. A state counts
// twice: before and after something is owed.
func (f *fairGraph[S, A]) shortestPending(
	p LeadsTo[S], open []bool, isEnd func(int32) bool,
) (path []Step[S, A], end int32) {
	n := int32(len(f.states))
	by := make(map[int32]discovery, n) // State i before, i+n after; the edge, -1 for none.
	var queue []int32
	visit := func(i int32, owed bool, from int32, edge int) {
		if open[i] && (owed || p.From(f.states[i])) {
			i += n
		}
		if _, known := by[i]; !known {
			by[i] = discovery{from: from, edge: edge}
			queue = append(queue, i)
		}
	}
	for i := range int32(f.initial) {
		visit(i, false, -1, -1)
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if at >= n && isEnd(at-n) {
			return f.pathTo(at, by), at - n
		}
		from, to := f.out(at % n)
		for e := from; e < to; e++ {
			visit(f.edges[e].to, at >= n, at, e)
		}
	}
	return nil, 0
}

// pathTo is the path that led to a state of the doubled graph.
func (f *fairGraph[S, A]) pathTo(at int32, by map[int32]discovery) []Step[S, A] {
	var trail []discovery
	for d := by[at]; d.from >= 0; d = by[at] {
		trail = append(trail, d)
		at = d.from
	}
	path := []Step[S, A]{{State: f.states[at%int32(len(f.states))]}}
	for k := len(trail) - 1; k >= 0; k-- {
		edge := f.edges[trail[k].edge]
		path = append(path, Step[S, A]{Action: edge.action, State: f.states[edge.to]})
	}
	return path
}

// tour is a cycle from state i within its component that shows that it is fair: of each
// class it takes a step, or visits a state where none is possible. It is empty where the
// state alone shows that.
func (f *fairGraph[S, A]) tour(i int32, component []int) []Step[S, A] {
	inside := func(e int) bool {
		return component[f.from[e]] == component[i] && component[f.edges[e].to] == component[i]
	}
	var tour []int
	at := i
	goTo := func(wanted func(int32) bool) {
		tour = append(tour, f.way(at, wanted, inside)...)
		if n := len(tour); n > 0 {
			at = f.edges[tour[n-1]].to
		}
	}
	for class := range f.classes {
		if f.outOf(i, class, nil) < 0 {
			continue
		}
		// Either some state of the component has a step of the class within it ...
		takes := func(j int32) bool { return f.outOf(j, class, inside) >= 0 }
		goTo(takes)
		if takes(at) {
			e := f.outOf(at, class, inside)
			tour, at = append(tour, e), f.edges[e].to
			continue
		}
		// ... or some state has no step of it at all.
		goTo(func(j int32) bool { return f.outOf(j, class, nil) < 0 })
	}
	goTo(func(j int32) bool { return j == i })
	return f.steps(tour)
}

// outOf returns the first edge of a class out of state i that within accepts, -1 if there
// is none; a nil within accepts all.
func (f *fairGraph[S, A]) outOf(i int32, class int, within func(edge int) bool) int {
	from, to := f.out(i)
	for e := from; e < to; e++ {
		if f.class[e] == class && (within == nil || within(e)) {
			return e
		}
	}
	return -1
}
