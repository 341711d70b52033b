package transfer_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/transfer"
)

// pick returns the named properties of a model.
func pick(t *testing.T, m model, names ...string) []explore.Property[state] {
	t.Helper()
	var picked []explore.Property[state]
	for _, p := range m.Always {
		if slices.Contains(names, p.Name) {
			picked = append(picked, p)
		}
	}
	require.Len(t, picked, len(names))
	return picked
}

// walk takes the steps with those labels from the initial state.
func walk(t *testing.T, m model, labels ...string) state {
	t.Helper()
	return walkFrom(t, m, m.Init()[0], labels...)
}

// walkFrom takes the steps with those labels from a state.
func walkFrom(t *testing.T, m model, s state, labels ...string) state {
	t.Helper()
	for _, label := range labels {
		found := false
		m.Next(s, func(a action, next state) {
			if !found && a.String() == label {
				s, found = next, true
			}
		})
		require.True(t, found, "no step %s", label)
	}
	return s
}

// enabled lists the labels of the steps out of a state.
func enabled(m model, s state) []string {
	var labels []string
	m.Next(s, func(a action, _ state) { labels = append(labels, a.String()) })
	return labels
}

// eachState visits every state of a model once, breadth first.
func eachState(m model, visit func(s state)) {
	seen := map[string]bool{}
	var queue []state
	offer := func(s state) {
		if key := string(m.Key(nil, s)); !seen[key] {
			seen[key] = true
			queue = append(queue, s)
		}
	}
	for _, s := range m.Init() {
		offer(s)
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		visit(s)
		m.Next(s, func(_ action, next state) { offer(next) })
	}
}

// subgraph counts the states of a model and its edges of the kinds that are taken, and
// tells whether no cycle consists of these. It takes away states without an incoming
// edge until there is none; what is left then lies on cycles or behind them.
func subgraph(m model, taken func(transfer.ActionKind) bool) (states, edges int, acyclic bool) {
	number := map[string]int{}
	id := func(s state) int {
		key := string(m.Key(nil, s))
		if _, ok := number[key]; !ok {
			number[key] = len(number)
		}
		return number[key]
	}
	successors := map[int][]int{}
	incoming := map[int]int{}
	eachState(m, func(s state) {
		from := id(s)
		m.Next(s, func(a action, next state) {
			if taken(a.Kind) {
				to := id(next)
				successors[from] = append(successors[from], to)
				incoming[to]++
				edges++
			}
		})
	})
	var free []int
	for i := range len(number) {
		if incoming[i] == 0 {
			free = append(free, i)
		}
	}
	left := len(number)
	for len(free) > 0 {
		from := free[len(free)-1]
		free = free[:len(free)-1]
		left--
		for _, to := range successors[from] {
			if incoming[to]--; incoming[to] == 0 {
				free = append(free, to)
			}
		}
	}
	return len(number), edges, left == 0
}
