package linearizability

import (
	"slices"
	"strconv"
	"strings"
)

// setSpecification: a set that grows. What an object holds is its members as a text, in
// order, each quoted on a line of its own.
var setSpecification = specification{
	kinds:   []Kind{Members, Add},
	initial: Text(""),
	step:    stepSet,
	shapes: shapesOf(
		shape{kind: Add, mutates: true, input: []slot{{name: "value", of: inputValue}}},
		shape{kind: Members, output: []slot{{name: "values", of: outputValues}}},
	),
	observers: func() observers { return &memberObservers{members: map[string]int{}} },
}

func outputValues(o *Operation) any { return &o.Output.Values }

func stepSet(state Value, o *Operation) (bool, Value) {
	if o.Kind == Members {
		return !o.constrains() || state == heldMembers(o.Output.Values), state
	}
	if o.Kind != Add {
		return false, state
	}
	members := slices.Collect(strings.Lines(state.Text))
	added := strconv.Quote(o.Input.Value.Text) + "\n"
	at, found := slices.BinarySearch(members, added)
	if found {
		return true, state
	}
	return true, Text(strings.Join(slices.Insert(members, at, added), ""))
}

// heldMembers is what an object of these members holds.
func heldMembers(values []string) Value {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = strconv.Quote(value) + "\n"
	}
	slices.Sort(quoted)
	return Text(strings.Join(quoted, ""))
}

// memberObservers counts who was shown a member. Who was not shown one that is dropped
// was right without it.
type memberObservers struct {
	members map[string]int
}

func (s *memberObservers) add(o *Operation)    { s.count(o, 1) }
func (s *memberObservers) remove(o *Operation) { s.count(o, -1) }

func (s *memberObservers) count(o *Operation, by int) {
	for _, member := range o.Output.Values {
		s.members[member] += by
	}
}

func (s *memberObservers) sees(v Value) bool { return s.members[v.Text] > 0 }
