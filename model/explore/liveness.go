package explore

import (
	"context"
	"fmt"
)

// Fairness says which steps a system keeps taking. A class of steps is weakly fair: if
// from some state on a step of it that changes the state is always possible, such a step
// is taken again and again.
type Fairness[S any, A Action] struct {
	// Classes are the names of the classes.
	Classes []string
	// Class returns the class, a place in Classes, of a step out of s; -1 if nobody owes
	// the step.
	Class func(s S, a A) int
}

// LeadsTo is the temporal property From ~> To: after each state in which From holds,
// there is that state or a later one in which To holds. Several may have one name: each
// is a conjunct of the property of that name.
type LeadsTo[S any] struct {
	Name     string
	From, To func(s S) bool
}

// Liveness is what [CheckLiveness] found.
type Liveness[S any, A Action] struct {
	Distinct, Transitions int
	// Pending is the number of states in which something is owed: From of a property has
	// held, and To not yet. Without any the properties hold because nothing happens.
	Pending int
	// Violation is nil if all properties hold.
	Violation *LivenessViolation[S, A]
}

// LivenessViolation is a fair behaviour in which what is owed never comes.
type LivenessViolation[S any, A Action] struct {
	Property string
	// Path leads from an initial state to the first state of the end. No shorter one
	// leads to a state where a fair behaviour can go on for ever without To.
	Path []Step[S, A]
	// Cycle is what goes on for ever from there, its last state being the last of Path;
	// empty if the behaviour stays where it is because no fair step is left.
	Cycle []Step[S, A]
}

// CheckLiveness decides whether all fair behaviours of m have the properties. It keeps
// the whole state graph in memory; more than limit states are an error ([ErrTooLarge]),
// 0 means no limit. The invariants and goals of m are not looked at.
//
// A behaviour violates From ~> To if after a state with From it only visits states
// without To, and is fair. In a finite graph it then stays, from some state on, within a
// strongly connected set of such states. The largest such sets are enough: a set is fair
// if each class has a step within it, or a state of it where no step of the class is
// possible, and what holds of a part of a set holds of the whole.
func CheckLiveness[S any, A Action](
	ctx context.Context, m Model[S, A], fair Fairness[S, A], properties []LeadsTo[S], limit int,
) (*Liveness[S, A], error) {
	graph, err := enumerate(ctx, m, limit)
	if err != nil {
		return nil, fmt.Errorf("liveness of model %q: %w", m.Name, err)
	}
	f := newFairGraph(graph, fair)
	result := &Liveness[S, A]{Distinct: len(graph.states), Transitions: len(graph.edges)}
	owed := make([]bool, len(graph.states))
	for _, property := range properties {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("liveness of model %q: %w", m.Name, err)
		}
		v, pending := f.violation(property)
		for i, p := range pending {
			owed[i] = owed[i] || p
		}
		if v != nil && (result.Violation == nil || len(v.Path) < len(result.Violation.Path)) {
			result.Violation = v
		}
	}
	for _, p := range owed {
		if p {
			result.Pending++
		}
	}
	return result, nil
}

// FairCycle returns a cycle of steps of any class, nil if there is none. Without one,
// fair steps only consume: every run of them ends, and liveness is a question about the
// states where no fair step is possible. The cycle's last state is the one that its first
// step starts from.
func FairCycle[S any, A Action](
	ctx context.Context, m Model[S, A], fair Fairness[S, A], limit int,
) ([]Step[S, A], error) {
	graph, err := enumerate(ctx, m, limit)
	if err != nil {
		return nil, fmt.Errorf("fair cycle of model %q: %w", m.Name, err)
	}
	f := newFairGraph(graph, fair)
	within := func(e int) bool { return f.class[e] >= 0 }
	component, _ := f.components(func(int32) bool { return true }, within)
	for i := range int32(len(graph.states)) {
		from, to := graph.out(i)
		for e := from; e < to; e++ {
			if j := graph.edges[e].to; within(e) && component[i] == component[j] {
				back := f.way(j, func(k int32) bool { return k == i }, within)
				return f.steps(append([]int{e}, back...)), nil
			}
		}
	}
	return nil, nil
}

// fairGraph is a state graph whose edges have classes.
type fairGraph[S any, A Action] struct {
	*enumeration[S, A]
	classes int
	from    []int32 // By edge: where it starts.
	class   []int   // By edge; -1 for those that nobody owes or that change nothing.
}

func newFairGraph[S any, A Action](g *enumeration[S, A], fair Fairness[S, A]) *fairGraph[S, A] {
	f := &fairGraph[S, A]{
		enumeration: g, classes: len(fair.Classes),
		from: make([]int32, len(g.edges)), class: make([]int, len(g.edges)),
	}
	for i, s := range g.states {
		from, to := g.out(int32(i))
		for e := from; e < to; e++ {
			f.from[e], f.class[e] = int32(i), -1
			if g.edges[e].to != int32(i) {
				f.class[e] = fair.Class(s, g.edges[e].action)
			}
		}
	}
	return f
}

// violation looks for a fair behaviour that breaks one property, and says in which
// states something is pending: they can follow a state with From, and no state with To
// has come.
func (f *fairGraph[S, A]) violation(p LeadsTo[S]) (*LivenessViolation[S, A], []bool) {
	open := make([]bool, len(f.states)) // To does not hold.
	pending := make([]bool, len(f.states))
	var stack []int32
	for i, s := range f.states {
		open[i] = !p.To(s)
		if open[i] && p.From(s) {
			pending[i] = true
			stack = append(stack, int32(i))
		}
	}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		from, to := f.out(i)
		for e := from; e < to; e++ {
			if j := f.edges[e].to; open[j] && !pending[j] {
				pending[j] = true
				stack = append(stack, j)
			}
		}
	}
	inside := func(i int32) bool { return pending[i] }
	component, count := f.components(inside, func(int) bool { return true })
	fair := f.fairComponents(component, count)
	path, end := f.shortestPending(p, open, func(i int32) bool { return fair[component[i]] })
	if path == nil {
		return nil, pending
	}
	return &LivenessViolation[S, A]{
		Property: p.Name, Path: path, Cycle: f.tour(end, component),
	}, pending
}

// fairComponents tells of which components a fair behaviour need not leave. Component 0
// is that of the states outside.
func (f *fairGraph[S, A]) fairComponents(component []int, count int) []bool {
	// By component and class: the class is satisfied by staying in the component.
	satisfied := make([][]bool, count)
	for c := range satisfied {
		satisfied[c] = make([]bool, f.classes)
	}
	enabled := make([]bool, f.classes)
	for i := range f.states {
		c := component[i]
		clear(enabled)
		from, to := f.out(int32(i))
		for e := from; e < to; e++ {
			class := f.class[e]
			if class < 0 {
				continue
			}
			enabled[class] = true
			if component[f.edges[e].to] == c {
				satisfied[c][class] = true
			}
		}
		for class, possible := range enabled {
			satisfied[c][class] = satisfied[c][class] || !possible
		}
	}
	fair := make([]bool, count)
	for c := 1; c < count; c++ {
		fair[c] = true
		for _, ok := range satisfied[c] {
			fair[c] = fair[c] && ok
		}
	}
	return fair
}
