package partitionlog

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"
)

// Verdict is what a check found.
type Verdict uint8

const (
	// Linearizable: some order of the operations explains all answers.
	Linearizable Verdict = iota + 1
	// Violation: none does.
	Violation
	// Undecided: values repeat, and the limit of Porcupine's search was reached.
	Undecided
)

// Report is the result of [Check].
type Report struct {
	Verdict Verdict
	// Swept says that the sweep decided, not Porcupine.
	Swept bool
	// Reason says in words what contradicts, of a violation that the sweep found.
	Reason string
	// Witness is a part of a swept violation that is one by itself. If it is minimal, no
	// poll of it can be dropped, and no answer of an append forgotten.
	Witness []Operation
	// Base is the offset at which the log of the witness begins: the records below it do not
	// matter. Its operations have their offsets less Base, and of what polls returned the records
	// that matter.
	Base int64
	// Minimal is false if the shrinking came to its limit first.
	Minimal bool
}

// Options bound a sweep. The zero value does not.
type Options struct {
	// Ended is asked now and then whether to give up. Nil: never.
	Ended func() bool
	// SkipWitness leaves out the witness: the verdict and its reason alone are wanted.
	SkipWitness bool
	// Name says for people what a record is. Nil: its number.
	Name func(value uint64) string
}

func (o Options) ended() bool { return o.Ended != nil && o.Ended() }

// Check decides whether the operations of one partition are linearizable, by the sweep
// or by Porcupine. The limit is that of Porcupine's search (0: none) and has no bearing
// on unique values.
//
// Operations must have Call <= Return, and polls Max >= 1. An offset below 0 is a
// violation.
func Check(operations []Operation, limit time.Duration) Report {
	if report, decided := Sweep(operations, Options{}); decided {
		return report
	}
	return Report{Verdict: search(pointersTo(operations), limit)}
}

// Sweep decides the operations of one partition without a search, or returns false where
// values repeat and no client's polls contradict each other by themselves. The rest is as
// in [Check]. Undecided then says that Options.Ended said so.
func Sweep(operations []Operation, options Options) (Report, bool) {
	if options.Name == nil {
		options.Name = func(value uint64) string { return strconv.FormatUint(value, 10) }
	}
	pointers := pointersTo(operations)
	judge := func(part []*Operation) *fault { return decide(part, options.Name) }
	if !unique(pointers) {
		judge = func(part []*Operation) *fault {
			if f := bounds(part); f != nil {
				return f
			}
			return goesBack(part)
		}
		if judge(pointers) == nil {
			return Report{}, false
		}
	}
	report := Report{Verdict: Undecided, Swept: true}
	if options.ended() {
		return report, true
	}
	first := judge(pointers)
	if first == nil {
		report.Verdict = Linearizable
		return report, true
	}
	report.Verdict, report.Reason = Violation, first.text
	if options.SkipWitness {
		return report, true
	}
	var smallest []*Operation
	if part, base := window(pointers, first); part != nil && judge(part) != nil {
		report.Base = base
		smallest, report.Minimal = shrink(part, judge, options)
	} else {
		smallest, report.Minimal = shrink(pointers, judge, options)
		report.Reason = judge(smallest).text
	}
	for _, o := range smallest {
		report.Witness = append(report.Witness, *o)
	}
	return report, true
}

func pointersTo(operations []Operation) []*Operation {
	pointers := make([]*Operation, len(operations))
	for i := range pointers {
		pointers[i] = &operations[i]
	}
	return pointers
}

// search asks Porcupine.
func search(operations []*Operation, limit time.Duration) Verdict {
	history := make([]porcupine.Operation, len(operations))
	for i, o := range operations {
		history[i] = porcupine.Operation{Input: o, Call: o.Call, Return: o.end()}
	}
	model := porcupine.Model{
		Init: func() any { return state(nil) },
		Step: func(s, input, _ any) (bool, any) { return s.(state).step(input.(*Operation)) },
		Equal: func(a, b any) bool {
			return slices.Equal(a.(state), b.(state))
		},
	}
	switch porcupine.CheckOperationsTimeout(model, history, limit) {
	case porcupine.Ok:
		return Linearizable
	case porcupine.Illegal:
		return Violation
	case porcupine.Unknown:
	}
	return Undecided
}

// shrinkWorkMax bounds the operations that all trials of one shrinking sweep together.
const shrinkWorkMax = 20_000_000

// shrink takes away what the violation does not need, and says whether it tried all. A
// poll can go: it changes nothing. The answer of an append can be forgotten: an open one
// constrains less. The append itself must stay while others owe their offsets to it.
func shrink(
	operations []*Operation, judge func([]*Operation) *fault, options Options,
) ([]*Operation, bool) {
	operations = withoutSpare(operations, judge)
	work := 0
	for chunk := max(len(operations)/2, 1); chunk >= 1; chunk /= 2 {
		for from := 0; from < len(operations); {
			to := min(from+chunk, len(operations))
			weaker := weaken(operations, from, to)
			if weaker == nil {
				from = to
				continue
			}
			if work += len(operations); work > shrinkWorkMax || options.ended() {
				return operations, false
			}
			if judge(weaker) == nil {
				from = to
				continue
			}
			operations = weaker
		}
	}
	return withoutSpare(operations, judge), true
}

// withoutSpare drops the open appends that did not have to happen: nobody saw their
// values, and enough others fill the holes (sweep). The contradiction stays.
func withoutSpare(operations []*Operation, judge func([]*Operation) *fault) []*Operation {
	seen, size := map[uint64]bool{}, int64(0)
	var unseen []*Operation
	for _, o := range operations {
		switch {
		case o.Open:
		case o.Kind == Append:
			seen[o.Value], size = true, max(size, o.Offset+1)
		case len(o.Records) > 0:
			size = max(size, o.Offset+int64(len(o.Records)))
			for _, value := range o.Records {
				seen[value] = true
			}
		}
	}
	for _, o := range operations {
		if o.Kind == Append && !seen[o.Value] {
			unseen = append(unseen, o)
		}
	}
	slices.SortStableFunc(unseen, func(a, b *Operation) int { return cmp.Compare(a.Call, b.Call) })
	spare := map[*Operation]bool{}
	holes := max(0, int(size)-len(seen))
	for _, o := range unseen[min(holes, len(unseen)):] {
		spare[o] = true
	}
	kept := slices.DeleteFunc(slices.Clone(operations), func(o *Operation) bool {
		return spare[o]
	})
	if judge(kept) == nil {
		return operations
	}
	return kept
}

// weaken drops the polls among the operations from..to and forgets the answers of the
// appends; nil if that changes nothing.
func weaken(operations []*Operation, from, to int) []*Operation {
	result := slices.Clone(operations[:from])
	changed := false
	for _, o := range operations[from:to] {
		switch {
		case o.Kind == Poll:
			changed = true
			continue
		case !o.Open:
			open := *o
			open.Open, open.Offset, open.Return = true, 0, 0
			o, changed = &open, true
		}
		result = append(result, o)
	}
	if !changed {
		return nil
	}
	return append(result, operations[to:]...)
}
