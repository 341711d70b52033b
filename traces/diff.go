package traces

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// FieldDiff is one field in which two states differ.
type FieldDiff struct {
	// Field is the field's name in the format, such as commit_max.
	Field string
	// Want and Got are the two values in readable form.
	Want, Got string
}

// String is one line, such as "commit_max want 1, got 2".
func (d FieldDiff) String() string {
	return fmt.Sprintf("%s want %s, got %s", d.Field, d.Want, d.Got)
}

// Diff lists the fields in which two states differ, in the order of the format. It
// is empty exactly when the states are equal.
func Diff(want, got ReplicaState) []FieldDiff {
	if want.Equal(got) {
		return nil
	}
	var diffs []FieldDiff
	a, b := StateFields(want), StateFields(got)
	for i, field := range a {
		if field.Value != b[i].Value {
			diffs = append(diffs, FieldDiff{field.Name, field.Value, b[i].Value})
		}
	}
	return diffs
}

// Field is a named value in readable form.
type Field struct{ Name, Value string }

// StateFields lists all fields of a state, in the order of the format; different values have
// different forms.
func StateFields(s ReplicaState) []Field {
	return []Field{
		{"status", token(s.Status)},
		{"view", number(s.View)},
		{"log_view", number(s.LogView)},
		{"view_durable", number(s.ViewDurable)},
		{"log_view_durable", number(s.LogViewDurable)},
		{"op_head", number(s.OpHead)},
		{"head_checksum", token(s.HeadChecksum)},
		{"contiguous", number(s.Contiguous)},
		{"hollow", list(s.Hollow, "{", "}")},
		{"in_doubt", strconv.FormatBool(s.InDoubt)},
		{"commit_min", number(s.CommitMin)},
		{"commit_max", number(s.CommitMax)},
		{"pipeline", list(s.Pipeline, "[", "]")},
		{"incarnation", token(s.Incarnation)},
		{"stop", token(s.Stop)},
	}
}

func number[N uint32 | uint64](n N) string {
	return strconv.FormatUint(uint64(n), 10)
}

// token prints a text bare if it is one printable word and quoted if not: a trace
// is foreign input and its texts must neither hide nor control the terminal.
func token(text string) string {
	bare := text != "" && strings.IndexFunc(text, func(r rune) bool {
		return r == '"' || r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsPrint(r)
	}) < 0
	if bare {
		return text
	}
	return strconv.Quote(text)
}
