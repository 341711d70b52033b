package linearizability

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// sessionsSpecification: an object that executes requests of sessions, each at most once
// however often it is sent. A request that is newer than all of its session before is
// executed; the newest one sent again is answered as it was; an older one is refused,
// with a position of null. An unanswered request is executed at any moment, or never.
var sessionsSpecification = specification{
	kinds:   []Kind{Count, Execute},
	initial: Text(""),
	step:    stepSessions,
	shapes: shapesOf(
		shape{
			kind:    Execute,
			mutates: true,
			input: []slot{
				{name: "session", of: inputValue}, {name: "request", of: inputNumber},
			},
			output: []slot{{name: "position", null: true, of: outputNumber}},
		},
		shape{kind: Count, output: []slot{{name: "count", of: outputNumber}}},
	),
	observers: func() observers { return &anyAnswer{} },
}

// executed is the newest request of a session and its position.
type executed struct {
	request, position int64
}

// sessionTable is what the object holds, decoded from its text: one session a line.
type sessionTable struct {
	count    int64
	sessions map[string]executed
}

func decodeSessions(text string) sessionTable {
	t := sessionTable{sessions: map[string]executed{}}
	for line := range strings.Lines(text) {
		last := strings.LastIndex(line, " request ")
		if last < 0 {
			t.count = idOf(strings.TrimSpace(line))
			continue
		}
		var e executed
		if _, err := fmt.Sscanf(line[last:], " request %d at %d\n", &e.request, &e.position); err != nil {
			panic("a state of sessions holds " + line)
		}
		t.sessions[unquote(line[:last])] = e
	}
	return t
}

func (t sessionTable) encode() Value {
	var b strings.Builder
	for _, session := range slices.Sorted(maps.Keys(t.sessions)) {
		e := t.sessions[session]
		fmt.Fprintf(&b, "%s request %d at %d\n", strconv.Quote(session), e.request, e.position)
	}
	fmt.Fprintf(&b, "%d\n", t.count)
	return Text(b.String())
}

func stepSessions(state Value, o *Operation) (bool, Value) {
	t := decodeSessions(state.Text)
	if o.Kind == Count {
		return !o.constrains() || o.Output.Number == Int(t.count), state
	}
	if o.Kind != Execute {
		return false, state
	}
	session, request := o.Input.Value.Text, o.Input.Number.Value
	newest, known := t.sessions[session]
	switch {
	case known && request < newest.request:
		return o.Open || !o.Output.Number.Present, state
	case known && request == newest.request:
		return o.Open || o.Output.Number == Int(newest.position), state
	}
	possible := o.Open || o.Output.Number == Int(t.count)
	t.sessions[session] = executed{request: request, position: t.count}
	t.count++
	return possible, t.encode()
}
