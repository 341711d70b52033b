package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Difference is what two graphs do not share.
type Difference struct {
	A, B Only
}

// Only is what one graph has and the other has not.
type Only struct {
	// States counts the states that only this graph has.
	States int
	// Initial counts the states of both graphs that are initial in this one only.
	Initial int
	// Edges counts the edges that only this graph has, per action name.
	Edges map[string]int
	// State is one of the states that only this graph has, a nearest to an initial
	// state; nil if there is none.
	State *StateExample
	// Edge is one of the edges that only this graph has, one whose start is nearest to
	// an initial state; nil if there is none.
	Edge *EdgeExample
}

// StateExample is a state and the labels on a shortest path to it. Text is its
// canonical text if one of the graphs keeps texts.
type StateExample struct {
	ID   StateID
	Path []string
	Text string
}

// EdgeExample is an edge and the labels on a shortest path to its start. The texts
// are the canonical texts of its ends if one of the graphs keeps texts.
type EdgeExample struct {
	Label            string
	From, To         StateID
	Path             []string
	FromText, ToText string
}

// Compare returns nil if the graphs are equal, states, initial marks and labelled
// edges, else what differs. It is deterministic.
func Compare(a, b *Graph) *Difference {
	d := &Difference{A: only(a, b), B: only(b, a)}
	if d.A.empty() && d.B.empty() {
		return nil
	}
	return d
}

func (o Only) empty() bool { return o.States == 0 && o.Initial == 0 && len(o.Edges) == 0 }

// only finds what g has and other has not.
func only(g, other *Graph) Only {
	o := Only{Edges: map[string]int{}}
	var states []StateID
	for _, id := range g.sortedStates() {
		switch initial, ok := other.states[id]; {
		case !ok:
			states = append(states, id)
		case g.states[id] && !initial:
			o.Initial++
		}
	}
	o.States = len(states)
	var arcs []arc
	for _, a := range g.sortedArcs() {
		label := g.labels[a.label]
		no, ok := other.labelNo[label]
		if ok {
			_, ok = other.edges[arc{a.from, a.to, no}]
		}
		if !ok {
			arcs = append(arcs, a)
			o.Edges[actionName(label)]++
		}
	}
	if len(states)+len(arcs) == 0 {
		return o
	}
	routes := g.routes()
	if len(states) > 0 {
		id := slices.MinFunc(states, func(x, y StateID) int { return routes.compare(x, y) })
		o.State = &StateExample{ID: id, Path: routes.labels(id), Text: text(id, g, other)}
	}
	if len(arcs) > 0 {
		a := slices.MinFunc(arcs, func(x, y arc) int { return routes.compare(x.from, y.from) })
		o.Edge = &EdgeExample{
			Label: g.labels[a.label], From: a.from, To: a.to,
			Path: routes.labels(a.from), FromText: text(a.from, g, other), ToText: text(a.to, g, other),
		}
	}
	return o
}

// text is the canonical text of a state, from the first graph that has it.
func text(id StateID, graphs ...*Graph) string {
	for _, g := range graphs {
		if t, ok := g.texts[id]; ok {
			return t
		}
	}
	return ""
}

// routes holds a shortest path to each state of a graph that can be reached in it.
type routes struct {
	graph *Graph
	depth map[StateID]int
	last  map[StateID]arc // The last edge of the path; none for initial states.
}

func (g *Graph) routes() routes {
	r := routes{graph: g, depth: map[StateID]int{}, last: map[StateID]arc{}}
	out := map[StateID][]arc{}
	for _, a := range g.sortedArcs() {
		out[a.from] = append(out[a.from], a)
	}
	var queue []StateID
	for _, id := range g.sortedStates() {
		if g.states[id] {
			r.depth[id] = 0
			queue = append(queue, id)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, a := range out[queue[0]] {
			if _, ok := r.depth[a.to]; !ok {
				r.depth[a.to] = r.depth[a.from] + 1
				r.last[a.to] = a
				queue = append(queue, a.to)
			}
		}
	}
	return r
}

// compare orders states by depth, unreachable ones last, then by id.
func (r routes) compare(a, b StateID) int {
	depthA, okA := r.depth[a]
	depthB, okB := r.depth[b]
	switch {
	case okA && !okB:
		return -1
	case okB && !okA:
		return 1
	}
	return cmp.Or(cmp.Compare(depthA, depthB), compareIDs(a, b))
}

func (r routes) labels(id StateID) []string {
	labels := []string{}
	for a, ok := r.last[id]; ok; a, ok = r.last[a.from] {
		labels = append(labels, r.graph.labels[a.label])
	}
	slices.Reverse(labels)
	return labels
}

// String describes the difference in a few lines; A and B are the arguments of
// [Compare].
func (d *Difference) String() string {
	var b strings.Builder
	for _, side := range []struct {
		name string
		only Only
	}{{"A", d.A}, {"B", d.B}} {
		side.only.describe(&b, side.name)
	}
	return b.String()
}

func (o Only) describe(b *strings.Builder, name string) {
	edges, counts := 0, []string{}
	for _, action := range slices.Sorted(maps.Keys(o.Edges)) {
		edges += o.Edges[action]
		counts = append(counts, fmt.Sprintf("%s %d", action, o.Edges[action]))
	}
	fmt.Fprintf(b, "only in %s: %d states, %d initial marks, %d edges",
		name, o.States, o.Initial, edges)
	if edges > 0 {
		fmt.Fprintf(b, " (%s)", strings.Join(counts, ", "))
	}
	b.WriteByte('\n')
	if s := o.State; s != nil {
		fmt.Fprintf(b, "  state %s after %s\n", s.ID, pathText(s.Path))
		writeText(b, "state", s.Text)
	}
	if e := o.Edge; e != nil {
		fmt.Fprintf(b, "  edge %s from %s to %s after %s\n", e.Label, e.From, e.To, pathText(e.Path))
		writeText(b, "from", e.FromText)
		writeText(b, "to", e.ToText)
	}
}

func pathText(labels []string) string {
	if len(labels) == 0 {
		return "no step"
	}
	return strings.Join(labels, " ")
}

func writeText(b *strings.Builder, what, text string) {
	if text != "" {
		fmt.Fprintf(b, "    %s: %s\n", what, text)
	}
}
