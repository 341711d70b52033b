package linearizability

import (
	"slices"
	"strconv"
	"strings"

	"github.com/viewstamp/viewstamp/linearizability/partitionlog"
)

// partitionSpecification: a log that grows by append and is polled. What an object holds
// is its records as a text, each quoted on a line of its own.
//
// That a serializable poll does not go back is a matter of one client's operations in
// their order, which no order of all can change, so it is no part of step: sweepPartition
// has looked before anybody searches.
var partitionSpecification = specification{
	kinds:   []Kind{Poll, Append},
	initial: Text(""),
	step:    stepPartition,
	shapes: shapesOf(
		shape{
			kind:    Append,
			mutates: true,
			input:   []slot{{name: "value", of: inputValue}},
			output:  []slot{{name: "offset", of: outputNumber}},
		},
		shape{
			kind: Poll,
			input: []slot{
				{name: "offset", of: inputNumber},
				{name: "max", of: func(o *Operation) any { return &o.Input.Max }},
				{name: "level", optional: true, of: func(o *Operation) any {
					return &o.Input.Level
				}},
			},
			output: []slot{{name: "values", of: outputValues}},
		},
	),
	long:      sweepPartition,
	longFrom:  1,
	observers: func() observers { return &anyAnswer{} },
}

func inputValue(o *Operation) any   { return &o.Input.Value }
func inputNumber(o *Operation) any  { return &o.Input.Number }
func outputNumber(o *Operation) any { return &o.Output.Number }
func outputOK(o *Operation) any     { return &o.Output.OK }

func stepPartition(state Value, o *Operation) (bool, Value) {
	records := strings.SplitAfter(state.Text, "\n")
	records = records[:len(records)-1] // Behind the last newline is nothing.
	switch {
	case o.Kind == Append:
		next := Text(state.Text + strconv.Quote(o.Input.Value.Text) + "\n")
		return o.Open || o.Output.Number == Int(int64(len(records))), next
	case o.Kind != Poll:
		return false, state
	case !o.constrains():
		return true, state
	}
	from := min(o.Input.Number.Value, int64(len(records)))
	to := min(from+o.Input.Max.Value, int64(len(records)))
	got := int64(len(o.Output.Values))
	short := got < to-from
	if o.Input.Level == LevelSerializable && got <= to-from {
		to, short = from+got, false // Some beginning of the log ends there.
	}
	if short || got > to-from {
		return false, state
	}
	for i, value := range o.Output.Values {
		if records[from+int64(i)] != strconv.Quote(value)+"\n" {
			return false, state
		}
	}
	return true, state
}

// anyAnswer sees every change while there is one answer: offsets and positions depend on
// all changes before.
type anyAnswer struct {
	answers int
}

func (s *anyAnswer) add(o *Operation) {
	if o.constrains() {
		s.answers++
	}
}

func (s *anyAnswer) remove(o *Operation) {
	if o.constrains() {
		s.answers--
	}
}

func (s *anyAnswer) sees(Value) bool { return s.answers > 0 }

// sweepPartition decides a partition whose appended values are unique (package
// partitionlog), or refuses one that a client's polls alone refute.
func sweepPartition(operations []*Operation, bounds longBounds) (longResult, bool) {
	shown := 0
	for _, o := range operations {
		shown += len(o.Output.Values)
	}
	records := make([]uint64, 0, shown) // Of all polls: one piece of memory.
	values := make(map[string]uint64, len(operations))
	number := func(text string) uint64 {
		v, known := values[text]
		if !known {
			v = uint64(len(values))
			values[text] = v
		}
		return v
	}
	swept := make([]partitionlog.Operation, len(operations))
	for i, o := range operations {
		swept[i] = partitionlog.Operation{
			Kind: partitionlog.Poll, ID: i, Client: o.Client, Offset: o.Input.Number.Value,
			Max: int(o.Input.Max.Value), Stale: o.Input.Level == LevelSerializable,
			Open: o.Open || o.Output.Unknown, Call: o.Call, Return: o.Return,
		}
		if o.Kind == Append {
			swept[i].Kind, swept[i].Value = partitionlog.Append, number(o.Input.Value.Text)
			swept[i].Offset = o.Output.Number.Value
		}
		first := len(records)
		for _, text := range o.Output.Values {
			records = append(records, number(text))
		}
		swept[i].Records = records[first:len(records):len(records)]
	}
	report, applies := partitionlog.Sweep(swept, partitionlog.Options{
		Ended: func() bool { return bounds.ended() != StopNone }, SkipWitness: bounds.skipWitness,
		Name: func(value uint64) string { return nameOf(values, value) },
	})
	if !applies {
		return longResult{}, false
	}
	result := longResult{
		verdict: Linearizable, minimal: report.Minimal, reason: report.Reason, exact: true,
		base: report.Base,
	}
	switch report.Verdict {
	case partitionlog.Linearizable:
	case partitionlog.Undecided:
		result.verdict = Undecided
	case partitionlog.Violation:
		result.verdict = Violation
	}
	slices.SortStableFunc(report.Witness, func(a, b partitionlog.Operation) int {
		return compareOperations(*operations[a.ID], *operations[b.ID])
	})
	for _, o := range report.Witness {
		member := *operations[o.ID]
		if o.Open && !member.Open && member.Kind == Append {
			member.Open, member.Return, member.Output = true, 0, Output{}
		}
		result.witness = append(result.witness, &member)
		if report.Base > 0 {
			result.parts = append(result.parts, partOf(&member, &o, report.Base))
		}
	}
	return result, true
}

// nameOf is what a message calls a record; few are named.
func nameOf(values map[string]uint64, value uint64) string {
	for text, v := range values {
		if v == value {
			return strconv.Quote(shorten(text))
		}
	}
	return "unknown"
}

// partOf is what an operation does to the log from an offset on.
func partOf(o *Operation, swept *partitionlog.Operation, base int64) Operation {
	part := *o
	if o.Kind == Append {
		if !o.Open {
			part.Output.Number = Int(swept.Offset)
		}
		return part
	}
	first := swept.Offset + base - o.Input.Number.Value
	part.Input.Number, part.Input.Max = Int(swept.Offset), Int(int64(swept.Max))
	first = min(max(first, 0), int64(len(o.Output.Values)))
	part.Output.Values = o.Output.Values[first : first+int64(len(swept.Records))]
	return part
}
