package explore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteTLA writes a path as a TLA+ module that defines one operator per state, a record
// of the model's variables, and the sequence Behaviour of them all. Comments name the
// action of each step and say which variables it changed. It needs the model's Canonical
// function, whose texts must follow the grammar of the package comment; a state is a
// record there.
//
// Errors: no Canonical function, a text that breaks the grammar, or that of w.
func WriteTLA[S any, A Action](
	w io.Writer, module string, m Model[S, A], path []Step[S, A],
) error {
	if m.Canonical == nil {
		return fmt.Errorf("write model %q as TLA+: Canonical is nil, expected a function that "+
			"writes a state's text", m.Name)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "---- MODULE %s ----\n\\* A behaviour of %s in %d states.\n", module,
		oneLine(m.Name), len(path))
	b.WriteString("EXTENDS Integers, Sequences, TLC\n")
	var before []binding
	for i, step := range path {
		now, err := stateInTLA(m.Canonical(nil, step.State))
		if err != nil {
			return fmt.Errorf("write model %q as TLA+: state %d: %w", m.Name, i+1, err)
		}
		label := "initial state"
		if i > 0 {
			label = oneLine(step.Action.String()) + changedIn(before, now)
		}
		fmt.Fprintf(&b, "\n\\* %d: %s\nState%d ==\n", i+1, label, i+1)
		for j, v := range now {
			fmt.Fprintf(&b, "  %s %s |-> %s", []string{",", "["}[1-min(j, 1)], v.name, v.value)
			b.WriteString([]string{"\n", " ]\n"}[(j+1)/len(now)])
		}
		before = now
	}
	b.WriteString("\nBehaviour == <<")
	for i := range path {
		fmt.Fprintf(&b, "%sState%d", []string{", ", " "}[1-min(i, 1)], i+1)
	}
	b.WriteString(" >>\n====\n")
	_, err := w.Write(b.Bytes())
	return err
}

// binding is a variable and its value in TLA+.
type binding struct{ name, value string }

// changedIn says which variables differ: those that TLA+ does not call UNCHANGED.
func changedIn(before, now []binding) string {
	var names []string
	for i, v := range now {
		if i >= len(before) || before[i] != v {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return ", changes nothing"
	}
	return ", changes " + strings.Join(names, ", ")
}

// oneLine keeps a text from ending its comment.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// stateInTLA reads the canonical text of a state.
func stateInTLA(text []byte) ([]binding, error) {
	r := textReader{text: text}
	var state []binding
	err := r.pairs(func(key string) error {
		name, ok := fieldName(key)
		if !ok {
			return r.fault("a variable in quotes")
		}
		value, err := r.value()
		state = append(state, binding{name, value})
		return err
	})
	if err == nil && r.at < len(text) {
		err = r.fault("the end of the text")
	}
	if err == nil && len(state) == 0 {
		err = errors.New("no variable, expected some")
	}
	return state, err
}

// textReader turns canonical text into TLA+.
type textReader struct {
	text []byte
	at   int
}

func (r *textReader) fault(expected string) error {
	return fmt.Errorf("canonical text, byte %d: expected %s", r.at, expected)
}

func (r *textReader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// value reads one value and returns it in TLA+.
func (r *textReader) value() (string, error) {
	switch c := r.peek(); {
	case c == '[':
		return r.function()
	case c == '{':
		return r.set()
	case c == '"':
		return r.quoted()
	case c == 'T', c == 'F':
		r.at++
		return map[byte]string{'T': "TRUE", 'F': "FALSE"}[c], nil
	case c == '\'' || c == '-' || c >= '0' && c <= '9':
		start := r.at
		for r.at++; r.at < len(r.text) && !bytes.ContainsRune([]byte(",:]}"), rune(r.peek())); {
			r.at++
		}
		return strings.TrimPrefix(string(r.text[start:r.at]), "'"), nil
	}
	return "", r.fault("a value")
}

func (r *textReader) quoted() (string, error) {
	prefix, err := strconv.QuotedPrefix(string(r.text[r.at:]))
	if err != nil {
		return "", r.fault("a text in quotes")
	}
	r.at += len(prefix)
	return prefix, nil
}

func (r *textReader) set() (string, error) {
	r.at++
	var members []string
	for r.peek() != '}' {
		if len(members) > 0 {
			if r.peek() != ',' {
				return "", r.fault("a comma or the end of the set")
			}
			r.at++
		}
		member, err := r.value()
		if err != nil {
			return "", err
		}
		members = append(members, member)
	}
	r.at++
	return "{" + strings.Join(members, ", ") + "}", nil
}

// pairs reads a function and hands each key, in TLA+, to visit, which reads the value.
func (r *textReader) pairs(visit func(key string) error) error {
	if r.peek() != '[' {
		return r.fault("[")
	}
	r.at++
	for first := true; r.peek() != ']'; first = false {
		if !first {
			if r.peek() != ',' {
				return r.fault("a comma or the end of the function")
			}
			r.at++
		}
		key, err := r.value()
		if err != nil {
			return err
		}
		if r.peek() != ':' {
			return r.fault("a colon")
		}
		r.at++
		if err := visit(key); err != nil {
			return err
		}
	}
	r.at++
	return nil
}

// function writes a sequence, a record or a function, whichever reads best.
func (r *textReader) function() (string, error) {
	values := map[string]string{}
	var keys []string
	err := r.pairs(func(key string) error {
		value, err := r.value()
		values[key] = value
		keys = append(keys, key)
		return err
	})
	if err != nil {
		return "", err
	}
	var sequence, record, function []string
	for i, key := range keys {
		if value, ok := values[strconv.Itoa(i+1)]; ok {
			sequence = append(sequence, value)
		}
		if name, ok := fieldName(key); ok {
			record = append(record, name+" |-> "+values[key])
		}
		function = append(function, key+" :> "+values[key])
	}
	switch len(keys) {
	case len(sequence):
		return "<<" + strings.Join(sequence, ", ") + ">>", nil
	case len(record):
		return "[" + strings.Join(record, ", ") + "]", nil
	}
	return "(" + strings.Join(function, " @@ ") + ")", nil
}

// fieldName takes the quotes off a text that TLA+ accepts as a field of a record.
func fieldName(key string) (name string, ok bool) {
	name, ok = strings.CutPrefix(key, `"`)
	name = strings.TrimSuffix(name, `"`)
	letters := false
	for _, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && c != '_' && (c < '0' || c > '9') {
			return "", false
		}
		letters = letters || letter
	}
	return name, ok && letters
}
