package linearizability

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// fault is one way in which a history is not well-formed: which operation, what
// was expected of it and what it has. A reader turns it into a [FormatError].
type fault struct {
	at            int // Position of the operation in the history.
	expected, got string
}

// Validate reports the first way in which the history is not well-formed: an
// unknown model or unit, a kind of another model, fields that the kind does not
// have, a return before its call, text that is not UTF-8, a client that uses an id
// twice or has two operations at a time. Everything in this package that takes a
// history refuses one that is not valid.
func (h *History) Validate() error {
	spec, ok := h.Model.specification()
	if !ok {
		return fmt.Errorf("check history: expected model %s, got %q", modelNames(), h.Model)
	}
	if h.Unit != Nanoseconds && h.Unit != Steps {
		return fmt.Errorf("check history: expected unit %s, got %q", unitNames(), h.Unit)
	}
	var f *fault
	var scratch Operation
	for i := range h.Operations {
		if f = validateOperation(spec, &h.Operations[i], &scratch); f != nil {
			f.at = i
			break
		}
	}
	if f == nil {
		f = validateClients(h.Operations)
	}
	if f != nil {
		return fmt.Errorf("check history: operation %d: expected %s, got %s",
			f.at, f.expected, f.got)
	}
	return nil
}

// validateOperation looks at one operation by itself.
func validateOperation(spec *specification, o, scratch *Operation) *fault {
	switch {
	case o.Client < 0:
		return &fault{expected: "a client from 0", got: fmt.Sprint(o.Client)}
	case !slices.Contains(spec.kinds, o.Kind):
		return &fault{expected: "a kind of " + spec.kindNames(), got: fmt.Sprintf("%q", o.Kind)}
	case o.Open && o.Return != 0:
		return &fault{expected: "no return of an open operation", got: fmt.Sprint(o.Return)}
	case o.Open && !o.Output.isZero():
		return &fault{expected: "no output of an open operation", got: "one"}
	case !o.Open && o.Return < o.Call:
		return &fault{
			expected: fmt.Sprintf("a return at or after the call at %d", o.Call),
			got:      fmt.Sprint(o.Return),
		}
	case !utf8.ValidString(o.Key):
		return &fault{expected: "a key in UTF-8", got: fmt.Sprintf("%q", o.Key)}
	}
	if spec.shapes != nil {
		return validateShape(spec.shapes[o.Kind], o, scratch)
	}
	return validateFields(spec, o)
}

// validateFields refuses values in fields that the kind does not have, and null
// where the model has no null.
func validateFields(spec *specification, o *Operation) *fault {
	fields := o.Kind.fields()
	for _, field := range []struct {
		name  string
		value Value
		used  bool
	}{
		{"input value", o.Input.Value, fields.inputValue},
		{"from", o.Input.From, fields.fromTo},
		{"to", o.Input.To, fields.fromTo},
		{"output value", o.Output.Value, fields.outputValue && !o.Open && !o.Output.Unknown},
	} {
		switch {
		case !field.used && field.value != (Value{}):
			return &fault{
				expected: fmt.Sprintf("no %s of this %s", field.name, o.Kind),
				got:      field.value.String(),
			}
		case field.used && !field.value.Present && !spec.null:
			return &fault{expected: fmt.Sprintf("a text as %s", field.name), got: "null"}
		case !field.value.Present && field.value.Text != "":
			return &fault{
				expected: "no text in a null value", got: fmt.Sprintf("%q", field.value.Text),
			}
		case !utf8.ValidString(field.value.Text):
			return &fault{
				expected: fmt.Sprintf("%s in UTF-8", field.name), got: field.value.String(),
			}
		}
	}
	switch {
	case o.Output.OK && !fields.outputOK:
		return &fault{expected: fmt.Sprintf("no ok of this %s", o.Kind), got: "true"}
	case o.Output.Unknown && !fields.outputValue:
		return &fault{
			expected: fmt.Sprintf("a %s of unknown outcome to stay open", o.Kind),
			got:      "a return",
		}
	}
	return nil
}

// validateClients looks at the operations of each client together.
func validateClients(operations []Operation) *fault {
	if oneByOne(operations) {
		return nil
	}
	used := make(map[identity]struct{}, len(operations))
	order := make([]int, len(operations))
	for i := range operations {
		o := &operations[i]
		order[i] = i
		if used[o.identity()] = struct{}{}; len(used) == i { // It was there already.
			return &fault{
				at:       i,
				expected: fmt.Sprintf("an id that client %d has not used", o.Client),
				got:      fmt.Sprintf("%d again", o.ID),
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { // Stable sorting takes four times as long.
		x, y := &operations[a], &operations[b]
		return cmp.Or(
			cmp.Compare(x.Client, y.Client),
			cmp.Compare(x.Call, y.Call),
			cmp.Compare(x.end(), y.end()),
			cmp.Compare(a, b),
		)
	})
	for i := 1; i < len(order); i++ {
		before, after := &operations[order[i-1]], &operations[order[i]]
		if before.Client == after.Client && after.Call < before.end() {
			return overlap(order[i], before, after)
		}
	}
	return nil
}

// oneByOne reports whether each client's operations stand one behind the other and their ids
// rise, as they do where a recorder has numbered them: then nothing has to be sorted or looked up.
func oneByOne(operations []Operation) bool {
	last := map[int]*Operation{}
	for i := range operations {
		o := &operations[i]
		if before := last[o.Client]; before != nil && (o.Call < before.end() || o.ID <= before.ID) {
			return false
		}
		last[o.Client] = o
	}
	return true
}

func overlap(at int, before, after *Operation) *fault {
	if before.Open {
		return &fault{
			at: at,
			expected: fmt.Sprintf("nothing more of client %d, whose id %d is unanswered",
				before.Client, before.ID),
			got: fmt.Sprintf("a call at %d", after.Call),
		}
	}
	return &fault{
		at: at,
		expected: fmt.Sprintf("client %d to have one operation at a time, id %d up to %d",
			before.Client, before.ID, before.Return),
		got: fmt.Sprintf("a call at %d", after.Call),
	}
}
