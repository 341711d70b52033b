package linearizability

import (
	"io"
	"regexp"
	"strconv"
)

// porcupineKVLine is one event. Keys and values have no escapes.
var porcupineKVLine = regexp.MustCompile(
	`^\{:process (\d+), :type :(invoke|ok|info), :f :(get|put|append), ` +
		`:key "([^"\\]*)", :value (?:(nil)|"([^"\\]*)")\}$`)

// ImportPorcupineKV reads a key-value history in the form of those that ship with
// Porcupine, with lines as steps:
//
//	{:process 9, :type :invoke, :f :append, :key "0", :value "x 9 0 y"}
//	{:process 9, :type :ok, :f :append, :key "0", :value "x 9 0 y"}
//
// The value is nil at the call of a get only. An event of type :info leaves the
// operation open.
//
// Errors: a [*FormatError] for the first line that is anything else, or that does
// not fit the lines before it.
func ImportPorcupineKV(from io.Reader, name string) (*History, error) {
	return importLines(from, name, KV, parsePorcupineKV)
}

func parsePorcupineKV(line string) (event, *fault) {
	const expected = `"{:process N, :type :invoke|:ok|:info, :f :get|:put|:append, ` +
		`:key "K", :value nil|"V"}"`
	parts := porcupineKVLine.FindStringSubmatch(line)
	if parts == nil {
		return event{}, &fault{expected: expected, got: shorten(strconv.Quote(line))}
	}
	process, err := strconv.Atoi(parts[1])
	if err != nil {
		return event{}, &fault{expected: "a process number", got: parts[1]}
	}
	e := event{process: process, kind: Kind(parts[3]), key: parts[4]}
	isNil, value := parts[5] != "", Text(parts[6])
	switch parts[2] {
	case "invoke":
		e.outcome = eventCall
	case "ok":
		e.outcome = eventAnswer
	case "info":
		e.outcome = eventUnknown
		return e, nil
	}
	if isNil != (e.kind == Get && e.outcome == eventCall) {
		return event{}, &fault{
			expected: "nil as the value of an invoked get, and of nothing else",
			got:      shorten(strconv.Quote(line)),
		}
	}
	switch {
	case e.kind != Get:
		e.input.Value = value
	case e.outcome == eventAnswer:
		e.output.Value = value
	}
	return e, nil
}
