package explore

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// itfObject is a record of the Informal Trace Format, or an object that stands for another
// value. Its keys are written in order.
type itfObject = map[string]any

// itfAction is the variable with the label of the step that led to a state, as the TLA+
// tools call it.
const itfAction = "action_taken"

// WriteITF writes a path in the Informal Trace Format of the TLA+ tools: the variables of the
// model in each state, and beside them action_taken, the label of the step that led there.
// source names the specification. It needs the model's Canonical function, like [WriteTLA].
//
// A canonical text does not tell a sequence from a function on 1..n, nor a record from a
// function on strings: where both are possible the former is written. The empty one is a
// sequence.
//
// Errors: no Canonical function, a text that breaks the grammar, or that of w.
//
// Source: Apalache, ADR 015.
func WriteITF[S any, A Action](
	w io.Writer, source string, m Model[S, A], path []Step[S, A],
) error {
	if m.Canonical == nil {
		return fmt.Errorf("write model %q as ITF: Canonical is nil, expected a function that "+
			"writes a state's text", m.Name)
	}
	var vars []string
	states := make([]itfObject, len(path))
	for i, step := range path {
		r := textReader{text: m.Canonical(nil, step.State)}
		state := itfObject{}
		err := r.itfPairs(func(key any, value any) error {
			name, ok := key.(string)
			if !ok {
				return r.fault("a variable in quotes")
			}
			if i == 0 {
				vars = append(vars, name)
			}
			state[name] = value
			return nil
		})
		if err == nil && r.at < len(r.text) {
			err = r.fault("the end of the text")
		}
		if err != nil {
			return fmt.Errorf("write model %q as ITF: state %d: %w", m.Name, i+1, err)
		}
		state[itfAction] = "Init"
		if i > 0 {
			state[itfAction] = step.Action.String()
		}
		state["#meta"] = itfObject{"index": i}
		states[i] = state
	}
	document := struct {
		Meta   itfObject   `json:"#meta"`
		Vars   []string    `json:"vars"`
		States []itfObject `json:"states"`
	}{
		itfObject{
			"format":             "ITF",
			"format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
			"source":             source, "description": "A behaviour of " + oneLine(m.Name),
		},
		append(vars, itfAction), states,
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("write model %q as ITF: %w", m.Name, err)
	}
	return nil
}

// itfValue reads one value and returns what stands for it in JSON.
func (r *textReader) itfValue() (any, error) {
	switch r.peek() {
	case '[':
		return r.itfFunction()
	case '{':
		return r.itfSet()
	case '"':
		quoted, err := r.quoted()
		if err != nil {
			return nil, err
		}
		return strconv.Unquote(quoted)
	}
	text, err := r.value()
	switch {
	case err != nil:
		return nil, err
	case text == "TRUE" || text == "FALSE":
		return text == "TRUE", nil
	case strings.ContainsAny(text[:1], "-0123456789"):
		return itfObject{"#bigint": text}, nil
	}
	return text, nil // A model value.
}

func (r *textReader) itfSet() (any, error) {
	r.at++
	members := []any{}
	for r.peek() != '}' {
		if len(members) > 0 {
			if r.peek() != ',' {
				return nil, r.fault("a comma or the end of the set")
			}
			r.at++
		}
		member, err := r.itfValue()
		if err != nil {
			return nil, err
		}
		members = append(members, member)
	}
	r.at++
	return itfObject{"#set": members}, nil
}

// itfPairs reads a function and hands each pair to visit.
func (r *textReader) itfPairs(visit func(key, value any) error) error {
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
		key, err := r.itfValue()
		if err != nil {
			return err
		}
		if r.peek() != ':' {
			return r.fault("a colon")
		}
		r.at++
		value, err := r.itfValue()
		if err != nil {
			return err
		}
		if err := visit(key, value); err != nil {
			return err
		}
	}
	r.at++
	return nil
}

// itfFunction is a list, a record or a map, whichever says most.
func (r *textReader) itfFunction() (any, error) {
	pairs := [][2]any{}
	err := r.itfPairs(func(key, value any) error {
		pairs = append(pairs, [2]any{key, value})
		return nil
	})
	if err != nil {
		return nil, err
	}
	sequence, record := make([]any, len(pairs)), itfObject{}
	places := map[int]bool{}
	for _, pair := range pairs {
		switch key := pair[0].(type) {
		case itfObject:
			text, _ := key["#bigint"].(string)
			at, err := strconv.Atoi(text)
			if err == nil && at >= 1 && at <= len(pairs) {
				sequence[at-1], places[at] = pair[1], true
			}
		case string:
			if _, ok := fieldName(strconv.Quote(key)); ok {
				record[key] = pair[1]
			}
		}
	}
	switch len(pairs) {
	case len(places):
		return sequence, nil
	case len(record):
		return record, nil
	}
	return itfObject{"#map": pairs}, nil
}
