package linearizability

import (
	"bytes"
	"slices"
	"strconv"
)

// The decoder of package json takes 20 microseconds for an operation, most of a check of a
// million. Lines of the plain form that a [Writer] writes (texts without escapes, whole numbers,
// each field once) are read by hand. Whatever else a line is, it goes to the strict decoder,
// which also has the words for what is wrong: this one only says that it cannot.

// decodeFast reads an operation of the plain form, or returns false.
func decodeFast(spec *specification, line []byte) (o Operation, ok bool) {
	var kind, key, input, output []byte
	seen := [...]bool{false, false, false, false} // client, id, kind, call
	o.Open = true
	whole := eachField(line, func(name string, value []byte) (fine bool) {
		var id int64
		switch name {
		case "client":
			id, fine = wholeNumber(value)
			o.Client, seen[0] = int(id), true
		case "id":
			o.ID, fine = wholeID(value)
			seen[1] = true
		case "kind":
			kind, fine = plainText(value)
			seen[2] = true
		case "key":
			key, fine = plainText(value)
		case "input":
			input, fine = value, true
		case "output":
			output, fine = value, true
		case "call":
			o.Call, fine = wholeNumber(value)
			seen[3] = true
		case "return":
			o.Return, fine = wholeNumber(value)
			o.Open = false
		}
		return fine
	})
	if !whole || slices.Contains(seen[:], false) {
		return o, false
	}
	at := slices.IndexFunc(spec.kinds, func(k Kind) bool { return string(k) == string(kind) })
	if at < 0 {
		return o, false
	}
	o.Kind, o.Key = spec.kinds[at], string(key)
	if !fastBodies(spec, &o, input, output) {
		return o, false
	}
	return o, validateOperation(spec, &o, new(Operation)) == nil
}

// fastBodies reads input and output.
func fastBodies(spec *specification, o *Operation, input, output []byte) bool {
	in, out := plainSlots(o.Kind)
	if shape, shaped := spec.shapes[o.Kind]; shaped {
		in, out = shape.input, shape.output
	}
	if len(input) == 0 {
		input = []byte("{}")
	}
	if !fastSlots(in, o, input) {
		return false
	}
	if o.Open {
		return len(output) == 0
	}
	return len(output) > 0 && fastSlots(out, o, output)
}

var (
	slotValue = slot{name: "value", null: true, of: func(o *Operation) any { return &o.Input.Value }}
	slotFrom  = slot{name: "from", null: true, of: func(o *Operation) any { return &o.Input.From }}
	slotTo    = slot{name: "to", null: true, of: func(o *Operation) any { return &o.Input.To }}
	slotShown = slot{name: "value", null: true, of: func(o *Operation) any { return &o.Output.Value }}
	slotOK    = slot{name: "ok", of: func(o *Operation) any { return &o.Output.OK }}
)

// plainSlots are the fields of a kind of Register or KV.
func plainSlots(k Kind) (input, output []slot) {
	switch fields := k.fields(); {
	case fields.fromTo:
		return []slot{slotFrom, slotTo}, []slot{slotOK}
	case fields.inputValue:
		return []slot{slotValue}, nil
	case fields.outputValue:
		return nil, []slot{slotShown}
	}
	return nil, nil
}

// fastSlots fills the slots of an input or output of the plain form.
func fastSlots(slots []slot, o *Operation, raw []byte) bool {
	filled := 0
	whole := eachField(raw, func(name string, value []byte) bool {
		for i := range slots {
			if slots[i].name == name {
				filled++
				return slots[i].fast(o, value)
			}
		}
		return false
	})
	required := 0
	for i := range slots {
		if !slots[i].optional {
			required++
		}
	}
	return whole && filled >= required && filled <= len(slots)
}

// fast fills one slot.
func (s *slot) fast(o *Operation, raw []byte) (fine bool) {
	if string(raw) == "null" {
		return s.null
	}
	var text []byte
	switch target := s.of(o).(type) {
	case *Value:
		text, fine = plainText(raw)
		*target = Text(string(text))
	case *Number:
		target.Value, fine = wholeNumber(raw)
		target.Present = true
	case *bool:
		*target = string(raw) == "true"
		fine = *target || string(raw) == "false"
	case *Level:
		text, fine = plainText(raw)
		*target = Level(text)
	case *[]string:
		*target, fine = plainTexts(raw)
	}
	return fine
}

// eachField calls visit for each field of an object of the plain form, each name once and
// without blanks around anything. It returns false if the object is another or visit says so.
func eachField(raw []byte, visit func(name string, value []byte) bool) bool {
	const fieldsMax = 8
	var names [fieldsMax][]byte
	if len(raw) < 2 || raw[0] != '{' {
		return false
	}
	rest := raw[1:]
	for n := 0; ; n++ {
		if n == 0 && string(rest) == "}" {
			return true
		}
		end := valueEnd(rest)
		if n == fieldsMax || end < 0 || end == len(rest) || rest[end] != ':' {
			return false
		}
		name, ok := plainText(rest[:end])
		if !ok || slices.ContainsFunc(names[:n], func(b []byte) bool { return bytes.Equal(b, name) }) {
			return false
		}
		names[n], rest = name, rest[end+1:]
		end = valueEnd(rest)
		if end < 1 || end == len(rest) || !visit(string(name), rest[:end]) {
			return false
		}
		after := rest[end]
		rest = rest[end+1:]
		if after != ',' {
			return after == '}' && len(rest) == 0
		}
	}
}

// valueEnd is where the value ends with which raw begins, or -1. Only of texts and of what
// stands in brackets does it look at the inside.
func valueEnd(raw []byte) int {
	depth, inText := 0, false
	for i, b := range raw {
		switch {
		case b == '\\' || b < ' ':
			return -1
		case b == '"':
			inText = !inText
		case inText:
		case b == '{' || b == '[':
			depth++
		case depth > 0 && (b == '}' || b == ']'):
			depth--
		case depth == 0 && (b == ',' || b == ':' || b == '}' || b == ']'):
			return i
		}
	}
	return -1
}

// plainText is what stands in quotes.
func plainText(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return nil, false
	}
	text := raw[1 : len(raw)-1]
	return text, bytes.IndexByte(text, '"') < 0
}

// plainTexts is a list of texts.
func plainTexts(raw []byte) ([]string, bool) {
	if len(raw) < 2 || raw[0] != '[' || raw[len(raw)-1] != ']' {
		return nil, false
	}
	texts := []string{}
	if string(raw) == "[]" {
		return texts, true
	}
	for rest := raw[1:]; ; {
		end := valueEnd(rest)
		if end < 0 || rest[end] == ':' || rest[end] == '}' {
			return nil, false
		}
		text, ok := plainText(rest[:end])
		if !ok {
			return nil, false
		}
		texts = append(texts, string(text))
		if rest[end] == ']' {
			return texts, end == len(rest)-1
		}
		rest = rest[end+1:]
	}
}

// wholeNumber is a number as JSON has it, without fraction or exponent.
func wholeNumber(raw []byte) (int64, bool) {
	digits := bytes.TrimPrefix(raw, []byte("-"))
	if !onlyDigits(digits) || len(raw) > len(digits) && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

func wholeID(raw []byte) (uint64, bool) {
	if !onlyDigits(raw) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw), 10, 64)
	return n, err == nil
}

// onlyDigits is true of a whole number without a sign and without a zero that it does not need.
func onlyDigits(raw []byte) bool {
	if len(raw) == 0 || len(raw) > 1 && raw[0] == '0' {
		return false
	}
	for _, b := range raw {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}
