package linearizability

import (
	"fmt"
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
	switch o.Kind {
	case Write, Put, Append:
		arguments = append(arguments, o.Input.Value.String())
	case CAS:
		arguments = append(arguments, o.Input.From.String()+" -> "+o.Input.To.String())
	case Read, Get:
	}
	return string(o.Kind) + "(" + strings.Join(arguments, ", ") + ")"
}

func (o Operation) answer() string {
	switch {
	case o.Open || o.Output.Unknown:
		return " -> ?"
	case o.Kind == Read || o.Kind == Get:
		return " -> " + o.Output.Value.String()
	case o.Kind == CAS && o.Output.OK:
		return " -> ok"
	case o.Kind == CAS:
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
