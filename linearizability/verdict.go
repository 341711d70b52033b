package linearizability

import "fmt"

// Verdict is what a check found. Only Linearizable means that the history passed.
type Verdict uint8

const (
	// Linearizable: every partition has an order that explains all answers.
	Linearizable Verdict = iota + 1
	// Violation: one partition has no such order, whatever the others have.
	Violation
	// Undecided: a limit was reached first. It is not a success.
	Undecided
)

// String returns the verdict in lower case.
func (v Verdict) String() string {
	switch v {
	case Linearizable:
		return "linearizable"
	case Violation:
		return "violation"
	case Undecided:
		return "undecided"
	}
	return fmt.Sprintf("verdict(%d)", uint8(v))
}

// StopReason says which limit ended a search that did not decide.
type StopReason uint8

const (
	// StopNone: the search came to its end.
	StopNone StopReason = iota + 1
	// StopTime: the context was cancelled or its deadline passed.
	StopTime
	// StopSteps: CheckOptions.StepsMax.
	StopSteps
	// StopMemory: CheckOptions.MemoryMaxBytes.
	StopMemory
	// StopElsewhere: another partition is a violation, which decides the history: one of
	// a smaller key, or any key if that one was decided without a search.
	StopElsewhere
)

// String describes the reason.
func (r StopReason) String() string {
	switch r {
	case StopNone:
		return "none"
	case StopTime:
		return "out of time"
	case StopSteps:
		return "out of steps"
	case StopMemory:
		return "out of memory"
	case StopElsewhere:
		return "decided elsewhere"
	}
	return fmt.Sprintf("stop_reason(%d)", uint8(r))
}

// PartitionReport is what the search found in one partition.
type PartitionReport struct {
	Key string
	// Operations counts the partition's operations; Searched those of them that
	// the reduction left to the search (reduce.go).
	Operations, Searched int
	Verdict              Verdict
	// Stop says why the search ended without a decision; StopNone otherwise.
	Stop StopReason
	// Linearized is the number of operations in the longest order that the search
	// found: Searched if the partition is linearizable. It says how far an
	// undecided search came.
	Linearized int
	// Steps counts the steps of the model that the search tried.
	Steps uint64

	prefix []identity // That longest order.
}

// Report is the result of [Check].
type Report struct {
	Verdict Verdict
	// Stop names the limit of the first undecided partition if the verdict is
	// Undecided; StopNone otherwise.
	Stop StopReason
	// Operations counts the operations of the history.
	Operations int
	// Partitions has one report a key, in the order of the keys.
	Partitions []PartitionReport
	// Seconds is the time that the check took. Nothing is decided by it.
	Seconds float64
	// Witness is the smallest sub-history found of the first partition that is a
	// violation. Nil for the other verdicts, or if CheckOptions.SkipWitness is set.
	Witness *Witness
}

// Linearized sums the longest orders of all partitions: how far the search came.
func (r Report) Linearized() int {
	sum := 0
	for _, p := range r.Partitions {
		sum += p.Linearized
	}
	return sum
}

// Searched sums the operations that the reduction left to the search.
func (r Report) Searched() int {
	sum := 0
	for _, p := range r.Partitions {
		sum += p.Searched
	}
	return sum
}

// Summary says the verdict in one line.
func (r Report) Summary() string {
	size := fmt.Sprintf("%d operations in %d partitions, %.3f s",
		r.Operations, len(r.Partitions), r.Seconds)
	switch {
	case r.Verdict == Undecided:
		return fmt.Sprintf("undecided (%s): %s; %s", r.Stop, r.Progress(), size)
	case r.Witness != nil && r.Witness.Conflict != nil:
		return fmt.Sprintf("violation of key %q: %s; %s", r.Witness.Key, r.Witness.Conflict, size)
	case r.Witness != nil && r.Witness.Reason != "":
		return fmt.Sprintf("violation of key %q: %s; %s", r.Witness.Key, r.Witness.Reason, size)
	case r.Witness != nil:
		return fmt.Sprintf("violation of key %q by %d operations together; %s",
			r.Witness.Key, len(r.Witness.Operations), size)
	}
	return fmt.Sprintf("%s: %s", r.Verdict, size)
}

// Progress says how far a search came that did not decide.
func (r Report) Progress() string {
	return fmt.Sprintf("%d of %d operations ordered", r.Linearized(), r.Searched())
}

// Witness is a sub-history of one partition that is a violation by itself.
type Witness struct {
	Key string
	// Operations are from the history, by call, unchanged but for changes of some models
	// whose answers the violation does not need: they stand there as unanswered.
	Operations []Operation
	// Minimal says that no operation can be dropped any more without the violation
	// going away or losing its meaning. It is false if a limit ended the shrinking.
	Minimal bool
	// Conflict names the operations that contradict each other; nil where that
	// cannot be said of two.
	Conflict *Conflict
	// Reason says in words what contradicts, where the log of a partition was decided
	// without a search.
	Reason string
	// Base is, of the log of a partition, the offset below which no record matters: the
	// operations are a violation by themselves of a log that begins there.
	Base int64

	// parts are, if Base is not 0, the operations as they are drawn: what they do to the log
	// from Base on.
	parts []Operation
}

func (w *Witness) pointers() []*Operation { return pointersTo(w.Operations) }

func pointersTo(operations []Operation) []*Operation {
	result := make([]*Operation, len(operations))
	for i := range result {
		result[i] = &operations[i]
	}
	return result
}
