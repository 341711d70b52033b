package linearizability

import (
	"math"
	"slices"
)

// reduce returns what the search has to order of one partition. Operations of
// unknown outcome make a search explode, because they overlap everything behind
// them; most of them can be decided beforehand. The verdict stays the same:
//
// Silent operations. A read without an answer changes nothing and rules out
// nothing. Any order of the others can take it in anywhere in its interval.
//
// Unseen changes. Let D be open mutators such that no operation of the rest K sees
// a value of theirs (the contract of observers.sees). An order of K becomes one of
// K and D by putting D at the end, where they are allowed to be, being open.
// Conversely, take an order of K and D and strike out D. Wherever the object held
// something that D had brought, the next operation of K that can tell comes after
// an operation of K that sets the object regardless of what it held (a write, a
// put): otherwise it would have seen D's value. So each operation of K that can
// tell finds what it found before.
//
// Seen changes. If a value other than the initial one has exactly one operation
// that may have written it, and some answer shows the value, then that operation
// took effect before that answer came (registers and offsets: an answer in the key-value
// model shows a text, not who wrote it). Its end may be lowered to the earliest
// return among such answers, since every order obeys that already. It is not
// lowered below its own call: then the history is a violation either way, as the
// answer came before the call.
//
// Late ones. What is open and was called behind all returns can stand at the end
// (withoutLate).
func reduce(spec *specification, operations []*Operation) []candidate {
	isOpen := func(o *Operation) bool { return o.Open }
	operations = withoutSilent(operations)
	if spec.shapes != nil {
		operations = withoutLate(operations)
	}
	result := recorded(dropUnseen(spec, operations, isOpen))
	lowerEnds(spec, result)
	return result
}

// withoutLate drops what is open and was called behind all returns: in every order it can
// stand at the end, and the rest is an order without it.
func withoutLate(operations []*Operation) []*Operation {
	last := int64(math.MinInt64)
	for _, o := range operations {
		if !o.Open {
			last = max(last, o.Return)
		}
	}
	return filter(operations, func(o *Operation) bool { return !o.Open || o.Call <= last })
}

func withoutSilent(operations []*Operation) []*Operation {
	return filter(operations, func(o *Operation) bool {
		_, mutates := o.written()
		return mutates || o.constrains()
	})
}

// dropUnseen drops as many of the droppable operations as it can, so that none of
// those kept sees a value of one that is dropped. It keeps the order.
func dropUnseen(
	spec *specification, operations []*Operation, droppable func(*Operation) bool,
) []*Operation {
	seen := spec.observers()
	kept := make(map[*Operation]bool, len(operations))
	keep := func(o *Operation) {
		kept[o] = true
		seen.add(o)
	}
	var doubtful []*Operation // Mutators, dropped unless somebody sees them.
	for _, o := range operations {
		if !droppable(o) {
			keep(o)
		} else if _, mutates := o.written(); mutates {
			doubtful = append(doubtful, o)
		}
	}
	// What is kept may see others in its turn, so look until nothing changes. The
	// result is the same in whatever order they are looked at.
	for size := -1; size != len(doubtful); {
		size = len(doubtful)
		doubtful = slices.DeleteFunc(doubtful, func(o *Operation) bool {
			v, _ := o.written()
			if !seen.sees(v) {
				return false
			}
			keep(o)
			return true
		})
	}
	return filter(operations, func(o *Operation) bool { return kept[o] })
}

func filter(operations []*Operation, keep func(*Operation) bool) []*Operation {
	result := make([]*Operation, 0, len(operations))
	for _, o := range operations {
		if keep(o) {
			result = append(result, o)
		}
	}
	return result
}

// lowerEnds sets the ends of open operations whose effect some answer shows.
func lowerEnds(spec *specification, candidates []candidate) {
	w := writersOf(spec, candidates)
	shown := make(map[Value]int64)
	for _, c := range candidates {
		if v, shows := c.operation.shows(); shows {
			earliest, known := shown[v]
			if !known || c.operation.Return < earliest {
				shown[v] = c.operation.Return
			}
		}
	}
	for i := range candidates {
		c := &candidates[i]
		v, mutates := c.operation.written()
		until, known := shown[v]
		if c.operation.Open && mutates && known && w.once(v) && v != spec.initial {
			c.until = max(until, c.operation.Call)
		}
	}
}

// writers counts, for each value, the operations that may bring it; having it from
// the start counts as one.
type writers map[Value]int

func writersOf(spec *specification, candidates []candidate) writers {
	w := writers{spec.initial: 1}
	for _, c := range candidates {
		if v, mutates := c.operation.written(); mutates {
			w[v]++
		}
	}
	return w
}

// once says that an object comes to hold the value at most once.
func (w writers) once(v Value) bool { return w[v] <= 1 }

// shows returns the value that the operation's answer proves to have been there.
func (o *Operation) shows() (Value, bool) {
	switch {
	case o.Open:
	case o.Kind == CAS && o.Output.OK:
		return o.Input.From, true
	case o.Kind == Read && o.constrains():
		return o.Output.Value, true
	case o.Kind == GetOffset && o.constrains():
		return heldOffset(o.Output.Number), true
	case o.Kind == DeleteOffset && o.constrains() && !o.Output.OK:
		return Value{}, true
	}
	return Value{}, false
}
