package generate

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// Counterexample writes the violation that a search found with a mutant as a trace.
// Its header names the mutant and the property, and in refused_at the first event that
// the correct protocol cannot explain: no step of the same action with the same
// arguments leads to the same state. refused_at is 0 if every step is legal, so that
// only what is missing at the end is wrong (NoStall).
//
// Errors: c is not valid or has not exactly one bug; the violation has no step.
func Counterexample(
	c vsr.Config, violation *explore.Violation[vsr.State, vsr.Action], o Options,
) (*traces.Trace, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("write counterexample: %w", err)
	}
	bugs := c.Bugs.Members()
	if len(bugs) != 1 {
		return nil, fmt.Errorf("write counterexample of %v: %d bugs, expected one", c, len(bugs))
	}
	if violation == nil || len(violation.Path) < 2 {
		return nil, errors.New("write counterexample: expected a violation with a step")
	}
	t := traceOf(c, o, violation.Path)
	t.Header.Mutant = bugs[0].String()
	t.Header.Violates = violation.Property
	t.Header.RefusedAt = refusedAt(c.Clean(), violation.Path, t.Events)
	return t, nil
}

// refusedAt returns the number of the first event that the model c cannot explain, 0
// if it explains all. It keeps every state that explains the events so far, since an
// event does not show the whole state.
func refusedAt(c vsr.Config, path Path, events []traces.Event) int {
	key := vsr.Model(c).Key
	now := []vsr.State{vsr.Init(c)}
	for i, event := range events {
		var next []vsr.State
		seen := map[string]bool{}
		action := path[i+1].Action
		for n := range now {
			vsr.Step(c, now[n], action.Kind, action.Replica, func(a vsr.Action, s vsr.State) {
				k := string(key(nil, s))
				if !seen[k] && a == action && sameEvent(eventOf(i+1, &now[n], a, &s), event) {
					seen[k] = true
					next = append(next, s)
				}
			})
		}
		if len(next) == 0 {
			return i + 1
		}
		now = next
	}
	return 0
}

// sameEvent compares everything but where a body came from: who else holds it is no
// part of the step.
func sameEvent(a, b traces.Event) bool {
	a.Args.From, b.Args.From = nil, nil
	return a.After.Equal(b.After) && reflect.DeepEqual(a.Args, b.Args)
}
