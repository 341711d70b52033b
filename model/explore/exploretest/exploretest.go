package exploretest

import (
	"slices"
	"testing"

	"github.com/viewstamp/viewstamp/model/explore"
)

// Pick returns the invariants of m with these names, in the order of m. It ends the test if one
// of them does not exist.
func Pick[S any, A explore.Action](
	t testing.TB, m explore.Model[S, A], names ...string,
) []explore.Property[S] {
	t.Helper()
	var picked []explore.Property[S]
	for _, p := range m.Always {
		if slices.Contains(names, p.Name) {
			picked = append(picked, p)
		}
	}
	if len(picked) != len(names) {
		t.Fatalf("%s has %d invariants of %v, expected all", m.Name, len(picked), names)
	}
	return picked
}

// Walk takes the steps with these labels from the first initial state of m, and returns where
// they lead to. It ends the test at a step that does not exist.
func Walk[S any, A explore.Action](t testing.TB, m explore.Model[S, A], labels ...string) S {
	t.Helper()
	return WalkFrom(t, m, m.Init()[0], labels...)
}

// WalkFrom is [Walk] from a state.
func WalkFrom[S any, A explore.Action](
	t testing.TB, m explore.Model[S, A], s S, labels ...string,
) S {
	t.Helper()
	for _, label := range labels {
		next, found := s, false
		m.Next(s, func(a A, to S) {
			if !found && a.String() == label {
				next, found = to, true
			}
		})
		if !found {
			t.Fatalf("no step %s among %v", label, Enabled(m, s))
		}
		s = next
	}
	return s
}

// Enabled lists the labels of the steps out of a state, in the order of m.
func Enabled[S any, A explore.Action](m explore.Model[S, A], s S) []string {
	var labels []string
	m.Next(s, func(a A, _ S) { labels = append(labels, a.String()) })
	return labels
}

// Each visits every reachable state once, each after one that leads to it.
func Each[S any, A explore.Action](m explore.Model[S, A], visit func(S)) {
	seen := map[string]bool{}
	var queue []S
	offer := func(s S) {
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
		m.Next(s, func(_ A, next S) { offer(next) })
	}
}
