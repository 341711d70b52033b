package linearizability

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// decodeHeader reads the first line of a history, and whether its version promises an end
// mark. Fields that it does not know are for people.
func decodeHeader(line []byte) (header Header, endMarked bool, _ *fault) {
	const expected = `a header {"format":"` + FormatName + `","version":2,...}`
	var wire wireHeader
	if err := json.Unmarshal(line, &wire); err != nil {
		return Header{}, false, jsonFault(err, expected)
	}
	_, known := wire.Model.specification()
	switch {
	case wire.Format != FormatName:
		return Header{}, false, &fault{expected: expected, got: fmt.Sprintf("format %q", wire.Format)}
	case wire.Version != FormatVersion && wire.Version != formatVersionEndless:
		return Header{}, false, &fault{
			expected: fmt.Sprintf("version %d or %d", formatVersionEndless, FormatVersion),
			got:      fmt.Sprint(wire.Version),
		}
	case !known:
		return Header{}, false, &fault{
			expected: "model " + modelNames(), got: fmt.Sprintf("%q", wire.Model),
		}
	case wire.Unit != Nanoseconds && wire.Unit != Steps:
		return Header{}, false, &fault{expected: "unit " + unitNames(), got: fmt.Sprintf("%q", wire.Unit)}
	}
	return Header{Model: wire.Model, Unit: wire.Unit}, wire.Version == FormatVersion, nil
}

// decodeEnd reads an end mark, or says that the line is something else.
func decodeEnd(line []byte) (operations int, isEnd bool) {
	if !bytes.Contains(line, []byte(`"end"`)) {
		return 0, false // Cheap, and true of nearly all lines.
	}
	var wire wireEnd
	if err := decodeStrictly(line, &wire); err != nil || wire.End == nil {
		return 0, false
	}
	return *wire.End, true
}

// decodeOperation reads one line behind the header and validates it by itself.
func decodeOperation(spec *specification, line []byte) (Operation, *fault) {
	if o, ok := decodeFast(spec, line); ok {
		return o, nil
	}
	return decodeSlowly(spec, line)
}

// decodeSlowly reads whatever form JSON may have.
func decodeSlowly(spec *specification, line []byte) (Operation, *fault) {
	var wire wireOperation
	if err := decodeStrictly(line, &wire); err != nil {
		return Operation{}, jsonFault(err, `an operation {"client":...,"id":...,"kind":...,...}`)
	}
	for _, field := range []struct {
		name    string
		missing bool
	}{
		{"client", wire.Client == nil},
		{"id", wire.ID == nil},
		{"kind", wire.Kind == nil},
		{"call", wire.Call == nil},
	} {
		if field.missing {
			return Operation{}, &fault{expected: fmt.Sprintf("%q", field.name), got: "none"}
		}
	}
	o := Operation{
		Client: *wire.Client, ID: *wire.ID, Kind: *wire.Kind, Key: wire.Key,
		Call: *wire.Call, Open: wire.Return == nil,
	}
	if !slices.Contains(spec.kinds, o.Kind) {
		// Before the input, whose shape depends on it.
		return Operation{}, validateOperation(spec, &o, new(Operation))
	}
	if wire.Return != nil {
		o.Return = *wire.Return
	}
	if shape, shaped := spec.shapes[o.Kind]; shaped {
		if f := shape.decode(&o, wire); f != nil {
			return Operation{}, f
		}
		return o, validateOperation(spec, &o, new(Operation))
	}
	if f := decodeInput(&o, wire.Input); f != nil {
		return Operation{}, f
	}
	if f := decodeOutput(&o, wire.Output); f != nil {
		return Operation{}, f
	}
	return o, validateOperation(spec, &o, new(Operation))
}

func decodeInput(o *Operation, raw json.RawMessage) *fault {
	fields := o.Kind.fields()
	shape := "no input of a " + string(o.Kind)
	switch {
	case fields.inputValue:
		shape = `an input {"value":...}`
	case fields.fromTo:
		shape = `an input {"from":...,"to":...}`
	}
	var wire wireInput
	if !isNull(raw) {
		if err := decodeStrictly(raw, &wire); err != nil {
			return jsonFault(err, shape)
		}
	}
	hasValue, hasFrom, hasTo := wire.Value != nil, wire.From != nil, wire.To != nil
	if hasValue != fields.inputValue || hasFrom != fields.fromTo || hasTo != fields.fromTo {
		return &fault{expected: shape, got: found(raw)}
	}
	for _, field := range []struct {
		raw  json.RawMessage
		into *Value
	}{{wire.Value, &o.Input.Value}, {wire.From, &o.Input.From}, {wire.To, &o.Input.To}} {
		if f := decodeValue(field.raw, field.into); f != nil {
			return f
		}
	}
	return nil
}

func decodeOutput(o *Operation, raw json.RawMessage) *fault {
	fields := o.Kind.fields()
	if isNull(raw) {
		o.Output.Unknown = !o.Open && len(raw) > 0 && fields.outputValue
		if !o.Open && !o.Output.Unknown {
			return &fault{expected: "an output of an answered " + string(o.Kind), got: found(raw)}
		}
		return nil
	}
	shape := "an output {}"
	switch {
	case o.Open:
		return &fault{expected: "no output without a return", got: found(raw)}
	case fields.outputValue:
		shape = `an output {"value":...}`
	case fields.outputOK:
		shape = `an output {"ok":true} or {"ok":false}`
	}
	var wire wireOutput
	if err := decodeStrictly(raw, &wire); err != nil {
		return jsonFault(err, shape)
	}
	if (wire.Value != nil) != fields.outputValue || (wire.OK != nil) != fields.outputOK {
		return &fault{expected: shape, got: found(raw)}
	}
	o.Output.OK = wire.OK != nil && *wire.OK
	return decodeValue(wire.Value, &o.Output.Value)
}

func decodeValue(raw json.RawMessage, into *Value) *fault {
	if isNull(raw) {
		return nil // Whether the model has null is for validateFields.
	}
	if err := json.Unmarshal(raw, &into.Text); err != nil {
		return &fault{expected: "a value that is a text or null", got: found(raw)}
	}
	into.Present = true
	return nil
}

// found quotes what stands in a file.
func found(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "none"
	}
	return shorten(string(raw))
}

// shorten cuts a text to a readable length.
func shorten(text string) string {
	const longest = 80
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "..."
}

func typeName(kind reflect.Kind) string {
	switch {
	case kind == reflect.String:
		return "a text"
	case kind == reflect.Bool:
		return "true or false"
	case kind >= reflect.Int && kind <= reflect.Int64:
		return "a whole number"
	case kind >= reflect.Uint && kind <= reflect.Uint64:
		return "a whole number from 0"
	}
	return "a JSON object"
}
