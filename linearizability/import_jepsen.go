package linearizability

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// jepsenLine is one line of a Jepsen run's log. The arguments are checked apart.
var jepsenLine = regexp.MustCompile(
	`^INFO\s+jepsen\.util\s+-\s+(\d+)\s+:(invoke|ok|fail|info)\s+:(read|write|cas)\s+(.+)$`)

var (
	jepsenNumber = regexp.MustCompile(`^\d+$`)
	jepsenPair   = regexp.MustCompile(`^\[(\d+)\s+(\d+)\]$`)
)

const (
	jepsenNil     = "nil"
	jepsenTimeout = ":timed-out"
)

// ImportJepsenEtcd reads the log of a Jepsen run against etcd's register, as in
//
//	INFO  jepsen.util - 3	:invoke	:cas	[1 2]
//	INFO  jepsen.util - 3	:ok	:cas	[1 2]
//
// with one register and lines as steps. ":fail :cas [1 2]" is the answer that the
// register held something else; ":fail :read :timed-out" a read that its client
// gave up; ":info ... :timed-out" an unknown outcome, which leaves the operation
// open.
//
// Errors: a [*FormatError] for the first line that is anything else, or that does
// not fit the lines before it.
func ImportJepsenEtcd(from io.Reader, name string) (*History, error) {
	return importLines(from, name, Register, parseJepsen)
}

func parseJepsen(line string) (event, *fault) {
	const expected = `"INFO jepsen.util - PROCESS :invoke|:ok|:fail|:info :read|:write|:cas VALUE"`
	parts := jepsenLine.FindStringSubmatch(line)
	if parts == nil {
		return event{}, &fault{expected: expected, got: shorten(strconv.Quote(line))}
	}
	process, err := strconv.Atoi(parts[1])
	if err != nil {
		return event{}, &fault{expected: "a process number", got: parts[1]}
	}
	e := event{process: process, kind: Kind(parts[3])}
	outcome, argument := parts[2], parts[4]
	switch {
	case outcome == "info":
		e.outcome = eventUnknown
		return e, expectArgument(outcome, e.kind, argument, jepsenTimeout)
	case outcome == "fail" && e.kind == Read:
		e.outcome, e.output.Unknown = eventAnswer, true
		return e, expectArgument(outcome, e.kind, argument, jepsenTimeout)
	case outcome == "fail" && e.kind == Write:
		return e, &fault{expected: ":ok or :info of a write", got: ":fail"}
	case outcome == "invoke":
		e.outcome = eventCall
		if e.kind == Read {
			return e, expectArgument(outcome, e.kind, argument, jepsenNil)
		}
	default:
		e.outcome, e.output.OK = eventAnswer, outcome == "ok" && e.kind == CAS
	}
	return e, parseJepsenValues(&e, argument)
}

func parseJepsenValues(e *event, argument string) *fault {
	if e.kind == CAS {
		pair := jepsenPair.FindStringSubmatch(argument)
		if pair == nil {
			return &fault{expected: "[FROM TO] of a cas", got: argument}
		}
		e.input.From, e.input.To = Text(pair[1]), Text(pair[2])
		return nil
	}
	if e.kind == Read && argument == jepsenNil {
		return nil // The output is null.
	}
	if !jepsenNumber.MatchString(argument) {
		return &fault{expected: fmt.Sprintf("the number of a %s", e.kind), got: argument}
	}
	if e.kind == Read {
		e.output.Value = Text(argument)
	} else {
		e.input.Value = Text(argument)
	}
	return nil
}

func expectArgument(outcome string, kind Kind, argument, expected string) *fault {
	if argument == expected {
		return nil
	}
	return &fault{
		expected: fmt.Sprintf("%q behind :%s :%s", expected, outcome, kind), got: argument,
	}
}
