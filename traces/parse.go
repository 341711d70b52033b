package traces

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
)

// parseHeader decodes and checks a header line. It looks at format and version
// first: another version may give every other field another type.
func parseHeader(line []byte, h *Header) *FormatError {
	var id struct {
		Format  *string      `json:"format"`
		Version *json.Number `json:"version"`
	}
	if bad := parseObject(line, "a header", &id); bad != nil {
		return bad
	}
	switch {
	case id.Format == nil:
		return wrong(`"format":`+quote(Format), "no format")
	case *id.Format != Format:
		return wrong(`"format":`+quote(Format), quote(*id.Format))
	case id.Version == nil:
		return wrong("version "+strconv.Itoa(Version), "no version")
	case id.Version.String() != strconv.Itoa(Version):
		return wrong("version "+strconv.Itoa(Version),
			"version "+excerpt(id.Version.String())+", which this program does not know")
	}
	if bad := parseObject(line, "a header", h); bad != nil {
		return bad
	}
	h.Groups = nilIfEmpty(h.Groups)
	h.Open, h.Files = nilIfEmpty(h.Open), nilIfEmpty(h.Files)
	return checkHeader(h)
}

// parseEvent decodes an event line. Presence is checked here only for the one field
// whose zero is a value; the rest is left to checkEvent.
func parseEvent(line []byte, e *Event) *FormatError {
	var parsed struct {
		Step    int          `json:"step"`
		Group   string       `json:"group"`
		Replica *int         `json:"replica"`
		Action  string       `json:"action"`
		Args    Args         `json:"args"`
		Stutter bool         `json:"stutter"`
		After   ReplicaState `json:"after"`
		Open    []string     `json:"open"`
		Origin  *Origin      `json:"origin"`
		At      int64        `json:"at"`
	}
	if bad := parseObject(line, "an event", &parsed); bad != nil {
		return bad
	}
	if parsed.Replica == nil {
		return missing("replica")
	}
	parsed.Args.Quorum = nilIfEmpty(parsed.Args.Quorum)
	parsed.After.Hollow = nilIfEmpty(parsed.After.Hollow)
	parsed.After.Pipeline = nilIfEmpty(parsed.After.Pipeline)
	*e = Event{
		Step: parsed.Step, Group: parsed.Group, Replica: *parsed.Replica,
		Action: parsed.Action, Args: parsed.Args, Stutter: parsed.Stutter,
		After: parsed.After, Open: nilIfEmpty(parsed.Open), Origin: parsed.Origin,
		At: parsed.At,
	}
	return nil
}

// parseObject decodes one JSON object and explains what stood in the way; what
// names the object in the explanation.
func parseObject(line []byte, what string, into any) *FormatError {
	what += " as one JSON object"
	if len(bytes.TrimSpace(line)) == 0 {
		return wrong(what, "an empty line")
	}
	err := json.Unmarshal(line, into)
	if err == nil {
		return nil
	}
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return wrong(what, excerpt(kind.Value))
	case errors.As(err, &kind):
		return wrong(fmt.Sprintf("%s to be %s", kind.Field, kindName(kind.Type)),
			excerpt(kind.Value))
	case errors.As(err, &syntax) && endsEarly(line):
		return wrong(what, fmt.Sprintf("half an object of %d bytes: the line is truncated",
			len(line)))
	case errors.As(err, &syntax):
		return wrong(what, fmt.Sprintf("bad JSON in column %d: %s", syntax.Offset, syntax.Error()))
	default:
		return wrong(what, excerpt(err.Error()))
	}
}

// endsEarly reports whether bad JSON is the beginning of good JSON. The syntax
// error alone does not tell this from a bad last character.
func endsEarly(line []byte) bool {
	var object json.RawMessage
	err := json.NewDecoder(bytes.NewReader(line)).Decode(&object)
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// kindName says in words what JSON value a Go type stands for.
func kindName(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // The kinds of the schema; the rest names itself.
	case reflect.Uint32:
		return "an integer from 0 to 2^32-1"
	case reflect.Uint64:
		return "an integer from 0 to 2^64-1"
	case reflect.Int:
		return "an integer"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	default:
		return t.String()
	}
}

// nilIfEmpty makes an empty list and an absent one the same value.
func nilIfEmpty[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return s
}
