package linearizability

import "slices"

// shrinker makes the sub-history of a violation smaller, and tries variants of it,
// within a common bound of steps.
type shrinker struct {
	ended     func() StopReason
	spec      *specification
	memory    uint64
	stepsLeft uint64
	// stepsEach bounds one question, in steps an operation.
	stepsEach uint64
	// undecided says that a limit left some question open, so that the result may
	// not be minimal.
	undecided bool
}

// witness returns the smallest sub-history that it can find of operations of one
// key, given that they are a violation, and where a search of them got stuck.
func witness(
	ended func() StopReason, spec *specification, operations []*Operation, stuck []int64,
	options CheckOptions,
) *Witness {
	s := &shrinker{
		ended:     ended,
		spec:      spec,
		stepsLeft: options.ShrinkStepsMax,
		memory:    options.MemoryMaxBytes,
	}
	result := &Witness{Key: operations[0].Key}
	operations = s.shrink(operations, stuck)
	result.Minimal = !s.undecided
	for _, o := range operations {
		result.Operations = append(result.Operations, *o)
	}
	// Another question, with steps of its own: what it leaves open says nothing
	// about the size of the witness.
	s.stepsLeft, s.stepsEach = options.ShrinkStepsMax, conflictSteps
	result.Conflict = s.conflict(operations)
	return result
}

// shrink drops operations while the rest remains a violation: the end and the
// beginning (cut.go), then chunks from the end of the history to its beginning,
// then single operations, and all that again until nothing can go any more.
//
// A smaller history can be a violation that the larger one was not: without a
// write, a read of its value has no explanation. So operations are dropped only if
// an order of the larger history gives one of the smaller, which makes every
// violation of the smaller one of the larger. That holds for reads and for failed
// compare and sets, which change nothing, and for mutators whose values no
// operation that stays can see, by the argument in reduce.go (it makes no use of
// the dropped being open in this direction).
func (s *shrinker) shrink(operations []*Operation, stuck []int64) []*Operation {
	s.stepsEach = firstRoundSteps
	if s.spec.shapes != nil {
		return s.weaken(operations)
	}
	if window, found := s.window(operations, stuck); found {
		operations = window
	}
	operations = s.cutInRounds(operations)
	for again := true; again && s.goesOn(); {
		before := len(operations)
		s.undecided = false
		for size := len(operations) / 2; size > 1; size /= 2 {
			operations = s.dropChunks(operations, size)
		}
		operations = s.cut(s.dropChunks(operations, 1))
		again = len(operations) < before
		if !again && s.undecided {
			s.stepsEach *= roundGrowth
			again = true
		}
	}
	if !s.goesOn() {
		s.undecided = true
	}
	return operations
}

// weaken is shrink for the models with shapes. There an answer often explains others, and
// a change can rarely be dropped. But its answer can be forgotten: an open change may
// still take effect where it did, so it constrains less.
func (s *shrinker) weaken(operations []*Operation) []*Operation {
	operations = s.cutInRounds(operations)
	for again := true; again && s.goesOn(); {
		before := s.answers(operations)
		s.undecided = false
		for size := len(operations) / 2; size > 1; size /= 2 {
			operations = s.dropChunks(s.forget(operations, size), size)
		}
		operations = s.dropChunks(s.forget(operations, 1), 1)
		operations = withoutLate(operations)
		again = s.answers(operations) < before
		if !again && s.undecided {
			s.stepsEach *= roundGrowth
			again = true
		}
	}
	s.undecided = s.undecided || !s.goesOn()
	return operations
}

// answers counts what the shrinking has yet to get rid of.
func (s *shrinker) answers(operations []*Operation) int {
	count := len(operations)
	for _, o := range operations {
		if o.constrains() {
			count++
		}
	}
	return count
}

// forget goes over the operations once, from the end, and forgets the answers of the
// changes of each chunk that the violation does not need.
func (s *shrinker) forget(operations []*Operation, size int) []*Operation {
	for end := len(operations); end > 0 && s.goesOn(); end -= size {
		weaker, changed := slices.Clone(operations), false
		for i := max(end-size, 0); i < end; i++ {
			o := weaker[i]
			if _, mutates := o.written(); !mutates || o.Open {
				continue
			}
			open := *o
			open.Open, open.Return, open.Output = true, 0, Output{}
			weaker[i], changed = &open, true
		}
		if changed && s.violates(weaker) {
			operations = weaker
		}
	}
	return operations
}

// cutInRounds cuts with the smallest bound of steps that is enough to get anywhere.
// One cut makes all later questions easier than many dropped chunks do.
func (s *shrinker) cutInRounds(operations []*Operation) []*Operation {
	for s.goesOn() {
		s.undecided = false
		cut := s.cut(operations)
		if len(cut) < len(operations) || !s.undecided {
			return cut
		}
		s.stepsEach *= roundGrowth
	}
	return operations
}

// dropChunks goes over the operations once, from the end, and drops of each chunk
// what may be dropped, if the rest is still a violation.
func (s *shrinker) dropChunks(operations []*Operation, size int) []*Operation {
	for end := len(operations); end > 0 && s.goesOn(); end -= size {
		end = min(end, len(operations))
		rest := dropChunk(s.spec, operations, max(end-size, 0), end)
		if len(rest) < len(operations) && s.violates(rest) {
			operations = rest
		}
	}
	return operations
}

// dropChunk drops of operations[from:to] those that may be dropped together.
func dropChunk(spec *specification, operations []*Operation, from, to int) []*Operation {
	chunk := make(map[*Operation]bool, to-from)
	for _, o := range operations[from:to] {
		chunk[o] = true
	}
	return dropUnseen(spec, operations, func(o *Operation) bool { return chunk[o] })
}

func (s *shrinker) goesOn() bool { return s.stepsLeft > 0 && s.ended() == StopNone }

// violates says whether the operations are known to be a violation.
func (s *shrinker) violates(operations []*Operation) bool {
	return s.judge(reduce(s.spec, operations)) == Violation
}

func (s *shrinker) judge(candidates []candidate) Verdict {
	if !s.goesOn() {
		s.undecided = true
		return Undecided
	}
	bounds := limits{
		steps:       min(s.stepsLeft, s.stepsEach*uint64(len(candidates)+1)),
		memoryBytes: s.memory,
	}
	found := search(s.ended, s.spec, candidates, bounds)
	s.stepsLeft -= min(s.stepsLeft, found.steps+1)
	if found.verdict == Undecided {
		s.undecided = true
	}
	return found.verdict
}
