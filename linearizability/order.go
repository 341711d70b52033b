package linearizability

import (
	"cmp"
	"slices"
)

// order is a sequence of operations that the search has put one behind the other:
// a list from its end to its beginning, so that orders share their beginnings. It
// is the state that Porcupine carries.
//
// The search does not try every order. It leaves out those that cannot be
// completed, and of those that can it is enough to try one of each sort:
//
// Owed answers. A value that an object can hold only once (writers) is not
// replaced while answers that show it are outstanding: they could never be placed.
//
// Idle compare and sets. An open compare and set that finds another value than it
// expects does nothing. It can as well stand at the very end, behind all answered
// operations. If the value that it expects can be there only once, it is placed
// nowhere else; if not, the search fares better when it may get rid of it early.
//
// Spoilers. A spoiler is an open mutator whose value no answer shows and no open
// compare and set expects. What can follow it, up to the next change, are failed
// compare and sets that expect something else. Let u be what the object held before.
// If none of them expects u, the spoiler can as well stand at the very end: they
// fail with u, and the next change is one that does not care what it replaces. Else
// it can as well stand just before the first that expects u, for those before fail
// with u as they do without. So the search places a spoiler at the end, or if the
// next operation is a failed compare and set that expects what the spoiler replaced.
// Of two writes that are spoilers, and whose values no failed compare and set expects
// either, one does for the other, so they are taken in the order of their calls.
//
// Going through a complete order from its beginning, the last two rules turn it
// into another complete one that the search does try. An operation whose end was
// lowered (reduce.go) is shown and takes effect, so neither rule moves it.
type order struct {
	holds  Value
	last   *Operation // Nil in the empty order.
	before *order
	length int32
	// answered counts the answered operations in the order.
	answered int32
	// owed counts the answers that show what the object holds and are not yet in
	// the order; 0 if the object may come to hold it again.
	owed int32
	// turns counts the operations in the order that are taken in turn.
	turns int32
	// spoiled is what a spoiler at the end of the order has replaced; the next
	// operation must be a failed compare and set that expects it.
	spoiled Value
	spoiler bool
}

// equal says whether two orders of the same operations leave the same to be done.
// What is owed follows from the operations and from what the object holds.
func (o *order) equal(other *order) bool {
	return o.holds == other.holds && o.spoiler == other.spoiler && o.spoiled == other.spoiled
}

// identities returns the order from its beginning.
func (o *order) identities() []identity {
	result := make([]identity, o.length)
	for ; o.last != nil; o = o.before {
		result[o.length-1] = o.last.identity()
	}
	return result
}

// stuckMax bounds the moments that say where an order is stuck.
const stuckMax = 8

// stuck returns moments by which the order should have gone on: the first end of a
// candidate that is not in it, and the returns of answers that it still owes, since
// the order may not go on because they come so late.
func (o *order) stuck(candidates []candidate) []int64 {
	placed := make(map[identity]bool, o.length)
	for _, id := range o.identities() {
		placed[id] = true
	}
	first := int64(never)
	var owed []int64
	for _, c := range candidates {
		if placed[c.operation.identity()] {
			continue
		}
		first = min(first, c.until)
		if v, shows := c.operation.shows(); shows && v == o.holds {
			owed = append(owed, c.operation.Return)
		}
	}
	slices.Sort(owed)
	return append([]int64{first}, owed[:min(len(owed), stuckMax-1)]...)
}

// move is an operation with what the search knows about it beforehand.
type move struct {
	operation *Operation
	// mutates says that it can change the object, pays that its answer shows a value
	// that is held only once.
	mutates, pays bool
	// leaves counts the answers that show the value it writes, if that is held only
	// once.
	leaves int32
	// spoils says that it is a spoiler, inTurn that it is one that does for all
	// others of its sort; turn is its place among them.
	spoils, inTurn bool
	turn           int32
	// atEnd says that it is placed behind all answered operations if it is idle.
	atEnd bool
	// answered counts the answered operations of the partition.
	answered int32
}

// survey is what all operations of a partition together say about its values.
type survey struct {
	writers  writers
	answers  map[Value]int32 // How many answers show it.
	expected map[Value]bool  // Open compare and sets expect it.
	refused  map[Value]bool  // Failed compare and sets expect it.
	answered int32           // Answered operations.
}

func surveyOf(spec *specification, candidates []candidate) *survey {
	s := &survey{
		writers:  writersOf(spec, candidates),
		answers:  make(map[Value]int32),
		expected: make(map[Value]bool),
		refused:  make(map[Value]bool),
	}
	for _, c := range candidates {
		o := c.operation
		v, shows := o.shows()
		switch {
		case shows:
			s.answers[v]++
		case o.Kind == CAS && o.Open:
			s.expected[o.Input.From] = true
		case o.Kind == CAS:
			s.refused[o.Input.From] = true
		}
		if !o.Open {
			s.answered++
		}
	}
	return s
}

// owed returns how many answers must follow once an object holds the value.
func (s *survey) owed(v Value) int32 {
	if !s.writers.once(v) {
		return 0
	}
	return s.answers[v]
}

func (s *survey) move(o *Operation) move {
	m := move{operation: o, answered: s.answered}
	if v, shows := o.shows(); shows {
		m.pays = s.writers.once(v)
	}
	var v Value
	if v, m.mutates = o.written(); m.mutates {
		m.leaves = s.owed(v)
	}
	registers := o.Kind == Write || o.Kind == CAS
	m.spoils = registers && o.Open && s.answers[v] == 0 && !s.expected[v]
	m.inTurn = m.spoils && o.Kind == Write && !s.refused[v]
	m.atEnd = o.Open && o.Kind == CAS && s.writers.once(o.Input.From)
	return m
}

// moves prepares the candidates, and the empty order.
func moves(spec *specification, candidates []candidate) ([]move, *order) {
	s := surveyOf(spec, candidates)
	result := make([]move, len(candidates))
	var inTurn []*move
	for i, c := range candidates {
		result[i] = s.move(c.operation)
		if result[i].inTurn {
			inTurn = append(inTurn, &result[i])
		}
	}
	slices.SortStableFunc(inTurn, func(a, b *move) int {
		return cmp.Compare(a.operation.Call, b.operation.Call)
	})
	for turn, m := range inTurn {
		m.turn = int32(turn)
	}
	return result, &order{holds: spec.initial, owed: s.owed(spec.initial)}
}

// extend puts the move's operation behind the order, if it is possible there and if
// the search has to try it.
func (o *order) extend(spec *specification, m *move) (*order, bool) {
	possible, holds := spec.step(o.holds, m.operation)
	if !possible || o.spoiler && !m.operation.failedExpecting(o.spoiled) {
		return nil, false
	}
	next := order{
		holds: holds, last: m.operation, before: o, length: o.length + 1,
		answered: o.answered, owed: o.owed, turns: o.turns,
	}
	if !m.operation.Open {
		next.answered++
	}
	if m.pays {
		next.owed--
	}
	atEnd := o.answered == m.answered
	if replaces := m.mutates && m.operation.takesEffect(o.holds); !replaces {
		return &next, !m.atEnd || atEnd
	}
	if next.owed > 0 || m.inTurn && m.turn != o.turns {
		return nil, false
	}
	next.owed = m.leaves
	if m.inTurn {
		next.turns++
	}
	if m.spoils && !atEnd {
		next.spoiler, next.spoiled = true, o.holds
	}
	return &next, true
}

// takesEffect says whether the mutator, which is possible, changes an object that
// holds the value.
func (o *Operation) takesEffect(holds Value) bool {
	return o.Kind != CAS || holds == o.Input.From
}

// failedExpecting says whether the operation is a failed compare and set that
// expects the value.
func (o *Operation) failedExpecting(v Value) bool {
	return o.Kind == CAS && !o.Open && !o.Output.OK && o.Input.From == v
}
