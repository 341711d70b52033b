package linearizability

import (
	"fmt"
	"slices"
	"strings"
)

// String describes the operation and its answer as one would say it, without
// times: `cas(x, "1" -> "2") -> failed`. An unanswered request ends in "?".
func (o Operation) String() string {
	return o.request() + o.answer()
}

func (o Operation) request() string {
	var arguments []string
	if o.Key != "" {
		arguments = append(arguments, o.Key)
	}
	if o.Kind == CAS {
		arguments = append(arguments, o.Input.From.String()+" -> "+o.Input.To.String())
	}
	if o.Input.Value.Present || slices.Contains([]Kind{Write, Put, Append}, o.Kind) {
		arguments = append(arguments, o.Input.Value.String())
	}
	if o.Input.Number.Present {
		arguments = append(arguments, o.Input.Number.String())
	}
	if o.Kind == Poll {
		arguments = append(arguments, "max "+o.Input.Max.String())
	}
	if o.Input.Level != LevelLinearizable {
		arguments = append(arguments, string(o.Input.Level))
	}
	return string(o.Kind) + "(" + strings.Join(arguments, ", ") + ")"
}

func (o Operation) answer() string {
	switch {
	case o.Open || o.Output.Unknown:
		return " -> ?"
	case o.Kind == Poll || o.Kind == Members:
		return fmt.Sprintf(" -> %q", o.Output.Values)
	case slices.Contains([]Kind{GetOffset, Create, Lookup, Execute, Count}, o.Kind),
		o.Output.Number.Present:
		return " -> " + o.Output.Number.String()
	case slices.Contains([]Kind{Read, Get, NameOf}, o.Kind):
		return " -> " + o.Output.Value.String()
	case o.Output.OK:
		return " -> ok"
	case slices.Contains([]Kind{CAS, DeleteOffset, Delete}, o.Kind):
		return " -> failed"
	}
	return ""
}

// label names the operation for people: who, which, what.
func (o Operation) label() string {
	return fmt.Sprintf("client %d's %s (id %d)", o.Client, o, o.ID)
}

// times says when the operation ran.
func (o Operation) times(unit Unit) string {
	if o.Open {
		return fmt.Sprintf("called at %d %s, never answered", o.Call, unit)
	}
	return fmt.Sprintf("called at %d, returned at %d %s", o.Call, o.Return, unit)
}
