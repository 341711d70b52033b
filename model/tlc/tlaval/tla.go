package tlaval

import (
	"fmt"
	"strconv"
	"strings"
)

// TLA returns canonical text as an expression of TLA+: records and sequences where a
// function is one, else (key :> value @@ ...) of the standard module TLC.
//
// The canonical text must be well formed, as AppendCanonical and the Go models write
// it; anything else is an error that names the offset.
func TLA(canonical string) (string, error) {
	t := translator{text: canonical}
	if err := t.value(); err != nil {
		return "", err
	}
	if t.at != len(t.text) {
		return "", t.expected("the end")
	}
	return t.out.String(), nil
}

// translator reads canonical text and writes TLA+.
type translator struct {
	text string
	at   int
	out  strings.Builder
}

func (t *translator) expected(what string) error {
	return fmt.Errorf("canonical text at offset %d: expected %s", t.at, what)
}

func (t *translator) peek() byte {
	if t.at < len(t.text) {
		return t.text[t.at]
	}
	return 0
}

func (t *translator) value() error {
	switch t.peek() {
	case '{':
		return t.set()
	case '[':
		return t.function()
	}
	word, err := t.scalar()
	t.out.WriteString(word)
	return err
}

// scalar reads a text with its quotes, a number, a truth value or a model value.
func (t *translator) scalar() (string, error) {
	start := t.at
	if t.peek() == '"' {
		for t.at++; t.at < len(t.text); t.at++ {
			switch t.text[t.at] {
			case '\\':
				t.at++
			case '"':
				t.at++
				return t.text[start:t.at], nil
			}
		}
		return "", t.expected(`a closing "`)
	}
	for t.at < len(t.text) && (isWord(t.text[t.at]) || strings.IndexByte(`-'`, t.text[t.at]) >= 0) {
		t.at++
	}
	switch word := t.text[start:t.at]; word {
	case "":
		return "", t.expected("a value")
	case "T":
		return "TRUE", nil
	case "F":
		return "FALSE", nil
	default: // A model value stands behind an apostrophe.
		return strings.TrimPrefix(word, "'"), nil
	}
}

func (t *translator) set() error {
	t.at++
	t.out.WriteByte('{')
	for first := true; t.peek() != '}'; first = false {
		if !first {
			if t.peek() != ',' {
				return t.expected(", or }")
			}
			t.at++
			t.out.WriteString(", ")
		}
		if err := t.value(); err != nil {
			return err
		}
	}
	t.at++
	t.out.WriteByte('}')
	return nil
}

// function reads [key:value,...]. Canonical text sorts by the texts of the keys, so a
// sequence of more than nine elements is not in order.
func (t *translator) function() error {
	t.at++
	values := map[string]string{}
	var keys []string
	for first := true; t.peek() != ']'; first = false {
		if !first {
			if t.peek() != ',' {
				return t.expected(", or ]")
			}
			t.at++
		}
		key, err := t.inner()
		if err != nil {
			return err
		}
		if t.peek() != ':' {
			return t.expected(":")
		}
		t.at++
		value, err := t.inner()
		if err != nil {
			return err
		}
		keys = append(keys, key)
		values[key] = value
	}
	t.at++
	t.out.WriteString(functionText(keys, values))
	return nil
}

// inner translates one value into a text of its own.
func (t *translator) inner() (string, error) {
	inner := translator{text: t.text, at: t.at}
	err := inner.value()
	t.at = inner.at
	return inner.out.String(), err
}

// functionText writes a function in the shortest form that TLA+ has for it.
func functionText(keys []string, values map[string]string) string {
	var parts []string
	for i := range keys {
		value, ok := values[strconv.Itoa(i+1)]
		if !ok {
			break
		}
		parts = append(parts, value)
	}
	if len(parts) == len(keys) {
		return "<<" + strings.Join(parts, ", ") + ">>"
	}
	parts = nil
	for _, key := range keys {
		name, quoted := strings.CutPrefix(key, `"`)
		name, closed := strings.CutSuffix(name, `"`)
		if !quoted || !closed || !isField(name) {
			return pairsText(keys, values)
		}
		parts = append(parts, name+" |-> "+values[key])
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func pairsText(keys []string, values map[string]string) string {
	var parts []string
	for _, key := range keys {
		parts = append(parts, key+" :> "+values[key])
	}
	return "(" + strings.Join(parts, " @@ ") + ")"
}

// isField reports whether name can be a field of a record: letters, digits and
// underlines, with a letter among them.
func isField(name string) bool {
	letter := false
	for i := range len(name) {
		if !isWord(name[i]) {
			return false
		}
		letter = letter || !isDigit(name[i]) && name[i] != '_'
	}
	return letter
}
