package linearizability

import "slices"

// metadataSpecification: names that exist, each with an id that no other name ever had
// or will have, not even the same name created anew.
//
// Which id a new name gets is the object's choice. Of an unanswered creation nobody was
// told, so its id stays unknown until an answer shows it; until then it is none that was
// shown to be another's or nobody's while the name existed.
var metadataSpecification = specification{
	kinds:   []Kind{Lookup, NameOf, Create, Delete},
	initial: Text(""),
	step:    stepMetadata,
	shapes: shapesOf(
		shape{
			kind:    Create,
			mutates: true,
			input:   []slot{{name: "name", of: inputValue}},
			output:  []slot{{name: "id", null: true, of: outputNumber}},
		},
		shape{
			kind:    Delete,
			mutates: true,
			input:   []slot{{name: "name", of: inputValue}},
			output:  []slot{{name: "ok", of: outputOK}},
		},
		shape{
			kind:   Lookup,
			input:  []slot{{name: "name", of: inputValue}},
			output: []slot{{name: "id", null: true, of: outputNumber}},
		},
		shape{
			kind:  NameOf,
			input: []slot{{name: "id", of: inputNumber}},
			output: []slot{{name: "name", null: true, of: func(o *Operation) any {
				return &o.Output.Value
			}}},
		},
	),
	observers: func() observers { return &nameObservers{names: map[string]int{}} },
}

func stepMetadata(state Value, o *Operation) (bool, Value) {
	n := decodeNames(state.Text)
	name := o.Input.Value.Text
	at, exists := n.find(name)
	possible := true
	switch {
	case o.Kind == Create && exists:
		return o.Open || !o.Output.Number.Present, state
	case o.Kind == Create && o.Open:
		n.of = slices.Insert(n.of, at, named{name: name})
	case o.Kind == Create:
		id := o.Output.Number
		possible = id.Present && n.given.add(id.Value)
		n.of = slices.Insert(n.of, at, named{name: name, id: id})
	case o.Kind == Delete:
		possible = o.Open || o.Output.OK == exists
		if exists {
			n.of = slices.Delete(n.of, at, at+1)
		}
	case !o.constrains():
		return o.Kind == Lookup || o.Kind == NameOf, state
	case o.Kind == Lookup && exists && !n.of[at].id.Present:
		possible = o.Output.Number.Present && n.bind(at, o.Output.Number.Value)
	case o.Kind == Lookup:
		return exists && o.Output.Number == n.of[at].id || !exists && !o.Output.Number.Present, state
	case o.Kind == NameOf && o.Output.Value.Present:
		possible = n.is(o.Output.Value.Text, o.Input.Number)
	case o.Kind == NameOf:
		possible = n.isNobody(o.Input.Number)
	default:
		return false, state
	}
	if !possible {
		return false, state
	}
	return true, n.encode()
}

// nameObservers counts who was told something of a name. Whether other names have ids of
// their own is no easier for a name more, so nobody else can miss it.
type nameObservers struct {
	names map[string]int
}

func (s *nameObservers) add(o *Operation)    { s.count(o, 1) }
func (s *nameObservers) remove(o *Operation) { s.count(o, -1) }

func (s *nameObservers) count(o *Operation, by int) {
	switch {
	case !o.constrains():
	case o.Kind == NameOf:
		s.names[o.Output.Value.Text] += by
	default:
		s.names[o.Input.Value.Text] += by
	}
}

func (s *nameObservers) sees(v Value) bool { return s.names[v.Text] > 0 }
