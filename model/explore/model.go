package explore

import (
	"errors"
	"fmt"
)

// Action labels an edge of the state graph. Equal actions have equal texts.
type Action interface {
	comparable
	// Name is the action's name without parameters: "ReceiveStartView".
	Name() string
	// String is the full label, as TLC writes it: "ReceiveStartView(1,2)".
	String() string
}

// Model says what there is to explore. All functions are called from several
// goroutines at once, so they must be pure: equal arguments, equal answers, in the
// same order, and nothing that was handed out is written to again.
type Model[S any, A Action] struct {
	// Name appears in errors, results and counterexamples.
	Name string
	// Init returns the initial states, at least one.
	Init func() []S
	// Next yields every step out of s, self loops included, in a fixed order. S is
	// immutable once it was yielded: a state that shares a slice with its
	// predecessor must not append to it in place.
	Next func(s S, yield func(A, S))
	// Key appends a compact injective encoding of s to dst and returns it. The key
	// is the state's identity: states of equal key count as one state.
	Key func(dst []byte, s S) []byte
	// Canonical appends the canonical text of s, the form in which states of TLC
	// and of this model are compared. Nil where no graph is asked for.
	Canonical func(dst []byte, s S) []byte
	// Always are the invariants, in order: the first that fails is reported.
	Always []Property[S]
	// Sometimes are situations that must be reached in some state. A model that
	// never gets there proves nothing about them.
	Sometimes []Goal[S]
	// Format returns lines "name = value" that describe s to people, the same names
	// in the same order for every state if possible. May be nil.
	Format func(s S) []string
}

// Property is an invariant.
type Property[S any] struct {
	Name string
	// Check returns nil if the invariant holds in s, else the reason why not.
	Check func(s S) error
}

// Goal is a situation that some state must show.
type Goal[S any] struct {
	Name    string
	Reached func(s S) bool
}

// Step is one element of a path. The first one is an initial state, and its
// Action is the zero value; every other State is the result of its Action in the
// State before.
type Step[S any, A Action] struct {
	Action A
	State  S
}

// validate refuses a model that cannot be explored.
func (m Model[S, A]) validate() error {
	switch {
	case m.Init == nil:
		return errors.New("Init is nil, expected a function that returns the initial states")
	case m.Next == nil:
		return errors.New("Next is nil, expected a function that yields the steps out of a state")
	case m.Key == nil:
		return errors.New("Key is nil, expected a function that encodes a state")
	}
	names := map[string]bool{}
	for i, p := range m.Always {
		if p.Check == nil || p.Name == "" || names[p.Name] {
			return fmt.Errorf("property %d (%q): expected a name of its own and a Check", i, p.Name)
		}
		names[p.Name] = true
	}
	clear(names)
	for i, g := range m.Sometimes {
		if g.Reached == nil || g.Name == "" || names[g.Name] {
			return fmt.Errorf("goal %d (%q): expected a name of its own and a Reached", i, g.Name)
		}
		names[g.Name] = true
	}
	return nil
}

// initial returns the initial states, of which there must be one.
func (m Model[S, A]) initial() ([]S, error) {
	states := m.Init()
	if len(states) == 0 {
		return nil, errors.New("Init returned no state, expected at least one")
	}
	return states, nil
}
