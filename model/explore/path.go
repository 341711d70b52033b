package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrNondeterministic means that the model answered the same question in two
// ways. Counts and paths of such a model mean nothing.
var ErrNondeterministic = errors.New("the model is not deterministic: look for map iteration " +
	"order, randomness, a clock, a key that leaves out part of the state, " +
	"or a write to a state that was already yielded")

// ErrUnreached means that a search has not found the wanted state.
var ErrUnreached = errors.New("no such state")

// path rebuilds the way to a visited state: the predecessors are known by
// fingerprint and number of the step, the states come from running the model again.
func (s *search[S, A]) path(fp uint64) ([]Step[S, A], error) {
	trail := s.visited.trail(fp)
	path := make([]Step[S, A], 0, len(trail))
	w := s.workers[0]
	for i, want := range trail {
		var step Step[S, A]
		var ok bool
		if i == 0 {
			step, ok = s.initialStep(want.step)
		} else {
			step, ok = s.model.successor(path[i-1].State, want.step)
		}
		if !ok {
			return nil, fmt.Errorf("rebuild a path: state %d has no step number %d any more: %w",
				i, want.step, ErrNondeterministic)
		}
		if w.fingerprint(step.State) != want.fp {
			return nil, fmt.Errorf("rebuild a path: step number %d (%s) of state %d leads to "+
				"another state than before: %w", want.step, step.Action, i, ErrNondeterministic)
		}
		path = append(path, step)
	}
	return path, nil
}

func (s *search[S, A]) initialStep(n uint32) (step Step[S, A], ok bool) {
	states := s.model.Init()
	if int(n) >= len(states) {
		return step, false
	}
	step.State = states[n]
	return step, true
}

// successor returns successor number n of s.
func (m Model[S, A]) successor(s S, n uint32) (step Step[S, A], ok bool) {
	i := uint32(0)
	m.Next(s, func(a A, t S) {
		if i == n {
			step, ok = Step[S, A]{Action: a, State: t}, true
		}
		i++
	})
	return step, ok
}

// ShortestTo returns a shortest path from an initial state to a state in which
// reached holds, the same one every time. The model's invariants are not checked.
// Without such a state the error wraps [ErrUnreached] and says whether all states
// were seen.
func ShortestTo[S any, A Action](
	ctx context.Context, m Model[S, A], reached func(S) bool, o Options,
) ([]Step[S, A], error) {
	found := errors.New("reached")
	m.Always = []Property[S]{{Name: "unreached", Check: func(s S) error {
		if reached(s) {
			return found
		}
		return nil
	}}}
	m.Sometimes, o.KeepGoing = nil, false
	r, err := Check(ctx, m, o)
	switch {
	case err != nil:
		return nil, err
	case r.Violation != nil:
		return r.Violation.Path, nil
	case r.Complete:
		return nil, fmt.Errorf("search model %q: %w among all %d", m.Name, ErrUnreached, r.Distinct)
	}
	return nil, fmt.Errorf("search model %q: %w among the %d seen before a bound ended the search",
		m.Name, ErrUnreached, r.Distinct)
}

// Labels returns the labels of a path's actions: one less than it has states.
func Labels[S any, A Action](path []Step[S, A]) []string {
	labels := []string{}
	for _, step := range path[min(1, len(path)):] {
		labels = append(labels, step.Action.String())
	}
	return slices.Clip(labels)
}
