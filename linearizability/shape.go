package linearizability

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// shape says what the fields of one kind of operation are, in files and in memory, for
// the models that have more to say than one value.
type shape struct {
	kind          Kind
	input, output []slot
	// mutates says that the operation can change its object. Only what does not may
	// have an output of null.
	mutates bool
}

func shapesOf(shapes ...shape) map[Kind]shape {
	result := make(map[Kind]shape, len(shapes))
	for _, s := range shapes {
		result[s.kind] = s
	}
	return result
}

// slot is one field.
type slot struct {
	name string
	// null says that the field may hold null, optional that it may be left out.
	null, optional bool
	// of returns where the field is: a *Value, *Number, *bool, *[]string or *Level.
	of func(o *Operation) any
}

const (
	// numberMax keeps sums of an offset and a count within bounds.
	numberMax = math.MaxInt64 / 4
	// pollMax bounds what one poll asks for.
	pollMax = math.MaxInt32
)

func (s shape) decode(o *Operation, wire wireOperation) *fault {
	if f := decodeSlots(s.input, o, wire.Input, "input"); f != nil {
		return f
	}
	switch {
	case o.Open && !isNull(wire.Output):
		return &fault{expected: "no output without a return", got: found(wire.Output)}
	case o.Open:
		return nil
	case isNull(wire.Output) && len(wire.Output) > 0 && !s.mutates:
		o.Output.Unknown = true
		return nil
	case isNull(wire.Output):
		return &fault{
			expected: "an output of an answered " + string(o.Kind), got: found(wire.Output),
		}
	}
	return decodeSlots(s.output, o, wire.Output, "output")
}

// decodeSlots fills the slots of an input or an output, and refuses other fields.
func decodeSlots(slots []slot, o *Operation, raw json.RawMessage, what string) *fault {
	expected := "an " + what + " " + outline(slots)
	fields := map[string]json.RawMessage{}
	if !isNull(raw) {
		if err := decodeStrictly(raw, &fields); err != nil {
			return &fault{expected: expected, got: found(raw)}
		}
	}
	known := 0
	for _, s := range slots {
		field, there := fields[s.name]
		if !there && !s.optional {
			return &fault{expected: expected, got: found(raw)}
		}
		if !there {
			continue
		}
		known++
		if f := s.decode(o, field); f != nil {
			return f
		}
	}
	if known < len(fields) {
		return &fault{expected: expected, got: found(raw)}
	}
	return nil
}

// outline shows what an object of these slots looks like.
func outline(slots []slot) string {
	names := make([]string, len(slots))
	for i, s := range slots {
		names[i] = fmt.Sprintf("%q:...", s.name)
	}
	return "{" + strings.Join(names, ",") + "}"
}

// decode fills one slot. Null stays the zero value.
func (s slot) decode(o *Operation, raw json.RawMessage) *fault {
	if isNull(raw) {
		if s.null {
			return nil
		}
		return &fault{expected: fmt.Sprintf("%q to be %s", s.name, s.wants(o)), got: "null"}
	}
	target := s.of(o)
	var into any
	switch target := target.(type) {
	case *Value:
		target.Present, into = true, &target.Text
	case *Number:
		target.Present, into = true, &target.Value
	default:
		into = target
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return &fault{expected: fmt.Sprintf("%q to be %s", s.name, s.wants(o)), got: found(raw)}
	}
	return nil
}

// wants says what the slot holds, for people.
func (s slot) wants(o *Operation) string {
	switch s.of(o).(type) {
	case *Value:
		return "a text"
	case *Number:
		return "a whole number from 0"
	case *bool:
		return "true or false"
	case *[]string:
		return "a list of texts"
	}
	return fmt.Sprintf("%q or left out", LevelSerializable)
}

func (s shape) encode(o *Operation) (input, output json.RawMessage) {
	input = encodeSlots(s.input, o)
	switch {
	case o.Open:
		return input, nil
	case o.Output.Unknown:
		return input, json.RawMessage("null")
	}
	return input, encodeSlots(s.output, o)
}

func encodeSlots(slots []slot, o *Operation) json.RawMessage {
	var text bytes.Buffer
	text.WriteByte('{')
	for _, s := range slots {
		var value json.RawMessage
		switch field := s.of(o).(type) {
		case *Value:
			value = encodeValue(*field)
		case *Number:
			value = json.RawMessage(field.String())
		case *bool:
			value = encode(*field)
		case *[]string:
			value = encode(append([]string{}, *field...))
		case *Level:
			if *field == LevelLinearizable {
				continue
			}
			value = encode(*field)
		}
		if text.Len() > 1 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, "%q:%s", s.name, value)
	}
	text.WriteByte('}')
	return text.Bytes()
}

// validateShape refuses values in fields that the kind does not have, and fields out of
// their bounds. rest is scratch: a copy for each of a million operations would be garbage.
func validateShape(s shape, o, rest *Operation) *fault {
	*rest = *o
	for _, field := range s.input {
		if f := field.validate(rest); f != nil {
			return f
		}
	}
	if rest.Input != (Input{}) {
		return &fault{
			expected: fmt.Sprintf("an input %s of this %s", outline(s.input), o.Kind),
			got:      "other fields",
		}
	}
	if o.Open {
		return nil // It has no output.
	}
	if o.Output.Unknown {
		rest.Output.Unknown = false
		if s.mutates {
			return &fault{
				expected: fmt.Sprintf("a %s of unknown outcome to stay open", o.Kind),
				got:      "a return",
			}
		}
	} else {
		for _, field := range s.output {
			if f := field.validate(rest); f != nil {
				return f
			}
		}
	}
	if !rest.Output.isZero() {
		return &fault{
			expected: fmt.Sprintf("an output %s of this %s", outline(s.output), o.Kind),
			got:      "other fields",
		}
	}
	return nil
}

// validate looks at one field and clears it.
func (s slot) validate(o *Operation) *fault {
	bad := func(got string) *fault {
		return &fault{expected: fmt.Sprintf("%q to be %s", s.name, s.wants(o)), got: got}
	}
	switch field := s.of(o).(type) {
	case *Value:
		if !field.Present && (!s.null || field.Text != "") || !utf8.ValidString(field.Text) {
			return bad(field.String())
		}
		*field = Value{}
	case *Number:
		if f := s.validateNumber(*field); f != nil {
			return f
		}
		*field = Number{}
	case *bool:
		*field = false
	case *[]string:
		for _, text := range *field {
			if !utf8.ValidString(text) {
				return bad(fmt.Sprintf("%q", text))
			}
		}
		*field = nil
	case *Level:
		if *field != LevelLinearizable && *field != LevelSerializable {
			return bad(fmt.Sprintf("%q", *field))
		}
		*field = LevelLinearizable
	}
	return nil
}

func (s slot) validateNumber(n Number) *fault {
	from, to := int64(0), int64(numberMax)
	if s.name == "max" {
		from, to = 1, pollMax
	}
	switch {
	case !n.Present && s.null && n.Value == 0:
	case !n.Present || n.Value < from || n.Value > to:
		return &fault{
			expected: fmt.Sprintf("%q to be a whole number from %d to %d", s.name, from, to),
			got:      n.String(),
		}
	}
	return nil
}
