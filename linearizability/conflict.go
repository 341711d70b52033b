package linearizability

import (
	"cmp"
	"fmt"
	"slices"
)

// ConflictKind says in which way operations contradict each other.
type ConflictKind uint8

const (
	// ConflictStale: First had returned before Second was called, but the answer of
	// Second does not show what First did.
	ConflictStale ConflictKind = iota + 1
	// ConflictEarly: First had returned before Second was called, but the answer of
	// First shows what Second did.
	ConflictEarly
	// ConflictAnswers: First had returned before Second was called, but the answers
	// can only be had in the other order.
	ConflictAnswers
	// ConflictOrder: First had returned before Second was called, but the answers of
	// others show that Second took effect before First.
	ConflictOrder
	// ConflictImpossible: no order of the other operations, whatever their times,
	// gives the answer of Second. There is no First.
	ConflictImpossible
	// ConflictIncompatible: no order, whatever the times, gives both answers.
	ConflictIncompatible
)

// Conflict names the operations of a witness that contradict each other. For the
// kinds that speak of time it means: if these two had overlapped, then the witness
// would be linearizable.
type Conflict struct {
	Kind ConflictKind
	// First is the operation that returned earlier; nil for ConflictImpossible.
	First *Operation
	// Second is the operation that was called later.
	Second *Operation
}

// String says the conflict in one sentence.
func (c *Conflict) String() string {
	if c.Kind == ConflictImpossible {
		return fmt.Sprintf("no order of the other operations gives the answer of %s",
			c.Second.label())
	}
	if c.Kind == ConflictIncompatible {
		return fmt.Sprintf("no order gives both the answer of %s and that of %s",
			c.First.label(), c.Second.label())
	}
	return fmt.Sprintf("%s had returned before %s was called, %s",
		c.First.label(), c.Second.label(), c.Kind.reason())
}

func (k ConflictKind) reason() string {
	switch k {
	case ConflictStale:
		return "whose answer misses it"
	case ConflictEarly:
		return "but its answer shows the latter's effect"
	case ConflictAnswers:
		return "but their answers need the other order"
	case ConflictOrder:
		return "but other answers show the other order"
	case ConflictImpossible, ConflictIncompatible:
	}
	return fmt.Sprintf("conflict_kind(%d)", uint8(k))
}

// conflictOperationsMax is the size of a witness above which nobody is helped by
// two names, and trying all pairs takes long.
const conflictOperationsMax = 200

// conflictSteps bounds one question of it, in steps an operation.
const conflictSteps = 10_000

// conflict names the operations in conflict, given a sub-history that is a
// violation. It returns nil where no two can be named.
//
// An operation b conflicts with an earlier one a if the history becomes
// linearizable once b may begin as early as a returned. Of all such a, the last to
// return is named, since it loosens the fewest other constraints.
func (s *shrinker) conflict(operations []*Operation) *Conflict {
	if len(operations) > conflictOperationsMax {
		return nil
	}
	for _, pair := range precedences(operations) {
		if s.judge(overlapping(operations, pair)) == Linearizable {
			first, second := *pair.first, *pair.second
			return &Conflict{Kind: conflictKind(&first, &second), First: &first, Second: &second}
		}
	}
	return s.timeless(operations)
}

type precedence struct {
	first, second *Operation
}

func (p precedence) gap() int64 { return p.second.Call - p.first.Return }

// precedences lists who returned before whom was called: pairs with an answer at
// their end first, since people look for it; the closest of those before others.
func precedences(operations []*Operation) []precedence {
	var pairs []precedence
	for _, b := range operations {
		for _, a := range operations {
			if !a.Open && a.Return < b.Call {
				pairs = append(pairs, precedence{first: a, second: b})
			}
		}
	}
	slices.SortStableFunc(pairs, func(x, y precedence) int {
		return cmp.Or(
			compareBool(y.second.constrains(), x.second.constrains()),
			cmp.Compare(x.gap(), y.gap()),
		)
	})
	return pairs
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// overlapping moves the call of the later operation back to the return of the
// earlier one.
func overlapping(operations []*Operation, pair precedence) []candidate {
	moved := *pair.second
	moved.Call = pair.first.Return
	result := recorded(operations)
	for i := range result {
		if result[i].operation == pair.second {
			result[i].operation = &moved
		}
	}
	return result
}

func conflictKind(first, second *Operation) ConflictKind {
	_, changes := first.written()
	_, changed := second.written()
	switch {
	case changes && second.constrains():
		return ConflictStale
	case changed && first.constrains():
		return ConflictEarly
	case first.constrains() && second.constrains():
		return ConflictAnswers
	}
	return ConflictOrder
}

// timeless asks whether the answers are impossible in any order at all.
func (s *shrinker) timeless(operations []*Operation) *Conflict {
	result := recorded(operations)
	var answers []*Operation
	for i, o := range operations {
		anytime, unchanged := *o, *o
		anytime.Call = operations[0].Call
		result[i] = candidate{operation: &anytime, until: never}
		if o.constrains() {
			answers = append(answers, &unchanged)
		}
	}
	if s.judge(result) != Violation {
		return nil
	}
	switch len(answers) {
	case 1:
		return &Conflict{Kind: ConflictImpossible, Second: answers[0]}
	case 2:
		return &Conflict{Kind: ConflictIncompatible, First: answers[0], Second: answers[1]}
	}
	return nil
}
