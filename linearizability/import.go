package linearizability

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// event is one line of a foreign log: a process calls, or learns what became of
// its call. The line's number is the time and, at a call, the id.
type event struct {
	process int
	outcome eventOutcome
	kind    Kind
	key     string
	input   Input
	output  Output // Of an answer.
}

type eventOutcome uint8

const (
	eventCall eventOutcome = iota + 1
	// eventAnswer: the process has its answer, which may be a definite failure.
	eventAnswer
	// eventUnknown: nobody knows whether the call took or will take effect. The
	// process must not go on.
	eventUnknown
	// eventNothing: the call failed for certain. It is as if it had not been made.
	eventNothing
	// eventForeign: the line is none of a client.
	eventForeign
)

// importer pairs calls with answers.
type importer struct {
	history History
	pending map[int]int     // Position of each process's operation without an answer.
	lost    map[int]bool    // Processes with an operation of unknown outcome.
	nothing map[uint64]bool // Operations that failed for certain, by id.
}

// importLines reads a foreign log, one event a line, in the grammar of parse.
func importLines(
	from io.Reader, name string, model Model, parse func(line string) (event, *fault),
) (*History, error) {
	lines, err := newLineReader(from, name)
	if err != nil {
		return nil, err
	}
	defer lines.close()
	im := &importer{
		history: History{Model: model, Unit: Steps},
		pending: map[int]int{},
		lost:    map[int]bool{},
		nothing: map[uint64]bool{},
	}
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			im.history.Operations = slices.DeleteFunc(im.history.Operations, func(o Operation) bool {
				return im.nothing[o.ID]
			})
			return &im.history, nil
		}
		if err != nil {
			return nil, err
		}
		e, f := parse(string(line))
		if f == nil && e.outcome != eventForeign {
			f = im.add(e, lines.line)
		}
		if f != nil {
			return nil, lines.fail(f)
		}
	}
}

func (im *importer) add(e event, line int) *fault {
	at, called := im.pending[e.process]
	if e.outcome == eventCall {
		switch {
		case called:
			return &fault{
				expected: fmt.Sprintf("the answer of process %d's call of line %d first",
					e.process, im.history.Operations[at].Call),
				got: "another call",
			}
		case im.lost[e.process]:
			return &fault{
				expected: fmt.Sprintf("nothing more of process %d, whose last outcome is unknown",
					e.process),
				got: "another call",
			}
		}
		im.pending[e.process] = len(im.history.Operations)
		im.history.Operations = append(im.history.Operations, Operation{
			Client: e.process, ID: uint64(line), Key: e.key, Kind: e.kind, Input: e.input,
			Call: int64(line), Open: true,
		})
		return nil
	}
	if !called {
		return &fault{
			expected: fmt.Sprintf("a call of process %d before its answer", e.process), got: "none",
		}
	}
	o := &im.history.Operations[at]
	if f := matches(o, e); f != nil {
		return f
	}
	delete(im.pending, e.process)
	if e.outcome == eventUnknown || e.outcome == eventNothing {
		im.lost[e.process] = e.outcome == eventUnknown
		im.nothing[o.ID] = e.outcome == eventNothing
		return nil
	}
	o.Open, o.Return, o.Output = false, int64(line), e.output
	return nil
}

// matches refuses an answer that does not repeat its call. An unknown outcome
// repeats the kind only.
func matches(o *Operation, e event) *fault {
	switch {
	case o.Kind != e.kind:
		return &fault{
			expected: fmt.Sprintf("the answer of the %s of line %d", o.Kind, o.Call),
			got:      "that of a " + string(e.kind),
		}
	case e.outcome == eventUnknown || e.outcome == eventNothing || e.output.Unknown:
		return nil
	case o.Key != e.key || o.Input != e.input:
		called := Operation{Key: o.Key, Kind: o.Kind, Input: o.Input}
		answered := Operation{Key: e.key, Kind: e.kind, Input: e.input}
		return &fault{
			expected: fmt.Sprintf("the answer of %s of line %d", called.request(), o.Call),
			got:      "that of " + answered.request(),
		}
	}
	return nil
}
