package linearizability

// offsetsSpecification: the offset that one consumer has stored, or none. To store says
// nothing of what was there: an offset may go back. A deletion fails where there is none.
var offsetsSpecification = specification{
	kinds: []Kind{GetOffset, StoreOffset, DeleteOffset},
	step:  stepOffsets,
	shapes: shapesOf(
		shape{kind: GetOffset, output: []slot{{name: "offset", null: true, of: outputNumber}}},
		shape{
			kind:    StoreOffset,
			mutates: true, input: []slot{{name: "offset", of: inputNumber}},
		},
		shape{kind: DeleteOffset, mutates: true, output: []slot{{name: "ok", of: outputOK}}},
	),
	observers: func() observers { return &offsetObservers{values: map[Value]int{}} },
}

func stepOffsets(state Value, o *Operation) (bool, Value) {
	if o.Kind == GetOffset {
		return !o.constrains() || state == heldOffset(o.Output.Number), state
	}
	if o.Kind == StoreOffset {
		return true, heldOffset(o.Input.Number)
	}
	if o.Kind == DeleteOffset {
		return o.Open || o.Output.OK == state.Present, Value{}
	}
	return false, state
}

// heldOffset is what the object holds if n is stored.
func heldOffset(n Number) Value {
	if !n.Present {
		return Value{}
	}
	return Text(n.String())
}

// offsetObservers counts who can tell that a value, or none, was there: a get that
// returned it; a deletion that succeeded sees any value, one that failed sees none.
type offsetObservers struct {
	values map[Value]int
	some   int
}

func (s *offsetObservers) add(o *Operation)    { s.count(o, 1) }
func (s *offsetObservers) remove(o *Operation) { s.count(o, -1) }

func (s *offsetObservers) count(o *Operation, by int) {
	switch {
	case !o.constrains():
	case o.Kind == GetOffset:
		s.values[heldOffset(o.Output.Number)] += by
	case o.Kind == DeleteOffset && o.Output.OK:
		s.some += by
	case o.Kind == DeleteOffset:
		s.values[Value{}] += by
	}
}

func (s *offsetObservers) sees(v Value) bool {
	return s.values[v] > 0 || v.Present && s.some > 0
}
