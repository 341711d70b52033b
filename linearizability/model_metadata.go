package linearizability

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

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

// names is what a space of names holds, decoded from its text: the ids by name, those
// given so far, and of names whose id is unknown (null) the ids that it is not.
type names struct {
	ids   map[string]Number
	given map[int64]bool
	not   map[string][]int64
}

func decodeNames(text string) names {
	n := names{ids: map[string]Number{}, given: map[int64]bool{}, not: map[string][]int64{}}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " = ")
		name := strings.Join(fields[:len(fields)-1], " = ")
		last := fields[len(fields)-1]
		switch {
		case name == "given":
			for id := range strings.FieldsSeq(last) {
				n.given[idOf(id)] = true
			}
		case strings.HasPrefix(last, "?"):
			name = unquote(name)
			n.ids[name] = Number{}
			for id := range strings.FieldsSeq(last[1:]) {
				n.not[name] = append(n.not[name], idOf(id))
			}
		default:
			n.ids[unquote(name)] = Int(idOf(last))
		}
	}
	return n
}

// unquote reads a name that encode has quoted.
func unquote(quoted string) string {
	name, err := strconv.Unquote(quoted)
	if err != nil {
		panic("a state of names holds " + quoted)
	}
	return name
}

// idOf reads an id that encode has written.
func idOf(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("a state of names holds the id " + text)
	}
	return id
}

func (n names) encode() Value {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(n.ids)) {
		b.WriteString(strconv.Quote(name) + " = ")
		if id := n.ids[name]; id.Present {
			b.WriteString(id.String())
		} else {
			b.WriteString("?")
			for _, not := range n.not[name] {
				b.WriteString(" " + strconv.FormatInt(not, 10))
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("given = ")
	for _, id := range slices.Sorted(maps.Keys(n.given)) {
		b.WriteString(strconv.FormatInt(id, 10) + " ")
	}
	return Text(b.String())
}

func stepMetadata(state Value, o *Operation) (bool, Value) {
	n := decodeNames(state.Text)
	name := o.Input.Value.Text
	id, exists := n.ids[name]
	possible := true
	switch {
	case o.Kind == Create && exists:
		return o.Open || !o.Output.Number.Present, state
	case o.Kind == Create && o.Open:
		n.ids[name] = Number{}
	case o.Kind == Create:
		possible = o.Output.Number.Present && !n.given[o.Output.Number.Value]
		n.ids[name], n.given[o.Output.Number.Value] = o.Output.Number, true
	case o.Kind == Delete:
		possible = o.Open || o.Output.OK == exists
		delete(n.ids, name)
		delete(n.not, name)
	case !o.constrains():
		return o.Kind == Lookup || o.Kind == NameOf, state
	case o.Kind == Lookup && exists && !id.Present:
		possible = o.Output.Number.Present && n.bind(name, o.Output.Number.Value)
	case o.Kind == Lookup:
		return o.Output.Number == id, state
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

// is says whether the name exists and can have the id, and gives it to a name without.
func (n names) is(name string, id Number) bool {
	has, exists := n.ids[name]
	if !exists || has.Present {
		return exists && has == id
	}
	return n.bind(name, id.Value)
}

// bind gives an id to a name that exists and whose id is unknown.
func (n names) bind(name string, id int64) bool {
	if n.given[id] || slices.Contains(n.not[name], id) {
		return false
	}
	delete(n.not, name)
	n.ids[name], n.given[id] = Int(id), true
	return true
}

// isNobody says whether no name has the id, and notes it where the id is unknown.
func (n names) isNobody(id Number) bool {
	for name, has := range n.ids {
		if has == id {
			return false
		}
		if not := n.not[name]; !has.Present && !n.given[id.Value] {
			if at, found := slices.BinarySearch(not, id.Value); !found {
				n.not[name] = slices.Insert(not, at, id.Value)
			}
		}
	}
	return true
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
