package linearizability

import (
	"context"

	"github.com/anishathalye/porcupine"
	"github.com/zeebo/xxh3"
)

// limits bound one search of one partition. Zero means no limit.
type limits struct {
	steps       uint64
	memoryBytes uint64
}

// candidate is an operation as the search sees it: until is the last moment at
// which it can take effect, which the reduction may have lowered.
type candidate struct {
	operation *Operation
	until     int64
}

// recorded returns the operations as candidates, unreduced.
func recorded(operations []*Operation) []candidate {
	result := make([]candidate, len(operations))
	for i, o := range operations {
		result[i] = candidate{operation: o, until: o.end()}
	}
	return result
}

// outcome is the result of one search.
type outcome struct {
	verdict Verdict
	stop    StopReason
	steps   uint64
	deepest *order
	stuck   []int64 // Where the deepest order does not go on.
}

// endedEvery is how many steps pass between two questions whether to go on.
const endedEvery = 256

// searcher runs Porcupine under limits that Porcupine does not have. Once a limit
// is reached it answers every further step with "not possible", which unwinds the
// search in time linear in its depth; the result is then no verdict.
type searcher struct {
	spec   *specification
	ended  func() StopReason
	limits limits
	// stepBytes estimates what Porcupine keeps of each possible step: the order, the
	// cache's record and a bitset with one bit an operation. Porcupine forgets the
	// steps that it has seen before, so this is an upper bound.
	stepBytes uint64

	stop    StopReason
	steps   uint64
	memory  uint64
	deepest *order
}

// search decides whether the candidates, all of one partition, can be ordered. It
// asks ended now and then whether to go on: StopNone means yes.
func search(
	ended func() StopReason, spec *specification, candidates []candidate, limits limits,
) outcome {
	prepared, empty := moves(spec, candidates)
	s := &searcher{
		spec: spec, ended: ended, limits: limits,
		stepBytes: 200 + uint64(len(candidates))/8,
		stop:      StopNone,
		deepest:   empty,
	}
	history := make([]porcupine.Operation, len(candidates))
	for i, c := range candidates {
		history[i] = porcupine.Operation{
			ClientId: c.operation.Client, Input: &prepared[i],
			Call: c.operation.Call, Return: c.until,
		}
	}
	result := porcupine.CheckOperationsTimeout(s.model(empty), history, 0)
	found := outcome{
		verdict: Violation, stop: s.stop, steps: s.steps, deepest: s.deepest,
		stuck: s.deepest.stuck(candidates),
	}
	switch {
	case result == porcupine.Ok:
		found.verdict, found.stop = Linearizable, StopNone
	case s.stop != StopNone:
		found.verdict = Undecided
	}
	return found
}

func (s *searcher) model(empty *order) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return empty },
		StepContext: func(_ context.Context, state, input, _ any) (bool, any) {
			return s.step(state.(*order), input.(*move))
		},
		Equal: func(a, b any) bool { return a.(*order).equal(b.(*order)) },
		Hash:  func(state any) uint64 { return xxh3.HashString(state.(*order).holds.Text) },
	}
}

func (s *searcher) step(state *order, m *move) (bool, any) {
	if s.stopped() {
		return false, state
	}
	s.steps++
	next, possible := state.extend(s.spec, m)
	if !possible {
		return false, state
	}
	s.memory += s.stepBytes
	if len(next.holds.Text) != len(state.holds.Text) {
		s.memory += uint64(len(next.holds.Text))
	}
	if next.length > s.deepest.length {
		s.deepest = next
	}
	return true, next
}

func (s *searcher) stopped() bool {
	switch {
	case s.stop != StopNone:
	case s.limits.steps > 0 && s.steps >= s.limits.steps:
		s.stop = StopSteps
	case s.limits.memoryBytes > 0 && s.memory >= s.limits.memoryBytes:
		s.stop = StopMemory
	case s.steps%endedEvery == 0:
		s.stop = s.ended()
	}
	return s.stop != StopNone
}
