package export

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/viewstamp/viewstamp/traces"
)

// stepMicros is how long a step takes in trace-event JSON, in microseconds: a trace has an
// order and no clock, so all are alike.
const stepMicros = 1_000

// traceEvent is one event of the trace-event format. Fields that a phase does not have are
// left out.
type traceEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	TS    int            `json:"ts"`
	Dur   int            `json:"dur,omitempty"`
	Cat   string         `json:"cat,omitempty"`
	ID    int            `json:"id,omitempty"`
	Bind  string         `json:"bp,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// WritePerfetto writes a trace as trace-event JSON, which Perfetto and chrome://tracing show.
// A group is a process, a replica a thread in it. A thread has slices for the spans in one
// status and view, with the steps in them; flows are messages; counters are the head and the
// commit points. Step n begins at n milliseconds: a trace has an order and no clock.
//
// Errors are w's.
//
// Source: the Trace Event Format of Chrome.
func WritePerfetto(w io.Writer, t *traces.Trace) error {
	p := perfetto{groups: map[string]int{}, spans: map[place]*traceEvent{}}
	for i, group := range groupsOf(t) {
		p.groups[group] = i + 1
		p.add(traceEvent{
			Name: "process_name", Phase: "M", PID: i + 1,
			Args: map[string]any{"name": "group " + group},
		})
		for r := range t.Header.Replicas {
			p.add(traceEvent{
				Name: "thread_name", Phase: "M", PID: i + 1, TID: r + 1,
				Args: map[string]any{"name": fmt.Sprintf("r%d", r)},
			})
		}
	}
	for _, e := range t.Events {
		p.span(e)
	}
	p.endSpans(len(t.Events) + 1)
	for _, e := range t.Events {
		p.step(e)
	}
	p.flows(t)
	document := struct {
		TraceEvents []traceEvent `json:"traceEvents"`
		Unit        string       `json:"displayTimeUnit"`
	}{p.events, "ms"}
	if err := json.NewEncoder(w).Encode(document); err != nil {
		return fmt.Errorf("write trace-event JSON: %w", err)
	}
	return nil
}

type perfetto struct {
	events []traceEvent
	groups map[string]int
	// spans are the open ones, order the places in the order in which they came.
	spans map[place]*traceEvent
	order []place
}

func (p *perfetto) add(e traceEvent) { p.events = append(p.events, e) }

// span ends the span of a replica where its status or view changes, and begins the next.
func (p *perfetto) span(e traces.Event) {
	at := place{e.Group, e.Replica}
	name := fmt.Sprintf("%s, view %d", e.After.Status, e.After.View)
	open := p.spans[at]
	if open != nil && open.Name == name {
		return
	}
	if open == nil {
		p.order = append(p.order, at)
	} else {
		p.end(open, e.Step)
	}
	p.spans[at] = &traceEvent{
		Name: name, Phase: "X", PID: p.groups[e.Group], TID: e.Replica + 1,
		TS: e.Step * stepMicros, Cat: "status",
	}
}

func (p *perfetto) end(span *traceEvent, step int) {
	span.Dur = step*stepMicros - span.TS
	p.add(*span)
}

func (p *perfetto) endSpans(step int) {
	for _, at := range p.order {
		p.end(p.spans[at], step)
	}
}

// step is a slice within its span, and the counters after it.
func (p *perfetto) step(e traces.Event) {
	args := map[string]any{"step": e.Step, "after": e.After}
	for _, field := range traces.ArgFields(e.Args) {
		args[field.Name] = field.Value
	}
	category := "action"
	if e.Stutter {
		category = "stutter"
	}
	pid, ts := p.groups[e.Group], e.Step*stepMicros
	p.add(traceEvent{
		Name: e.Action, Phase: "X", PID: pid, TID: e.Replica + 1, TS: ts, Dur: stepMicros,
		Cat: category, Args: args,
	})
	p.add(traceEvent{
		Name: fmt.Sprintf("r%d log", e.Replica), Phase: "C", PID: pid, TS: ts,
		Args: map[string]any{
			"op_head": e.After.OpHead, "commit_max": e.After.CommitMax,
			"commit_min": e.After.CommitMin,
		},
	})
}

// flows are the messages between replicas. Each end lies within the slice of its step.
func (p *perfetto) flows(t *traces.Trace) {
	for i, m := range Messages(t) {
		if m.Sent == 0 {
			continue
		}
		pid := p.groups[t.Events[m.Received-1].Group]
		flow := traceEvent{Name: m.Text, Cat: "message", ID: i + 1, PID: pid}
		flow.Phase, flow.TID, flow.TS = "s", m.From+1, m.Sent*stepMicros+stepMicros/2
		p.add(flow)
		flow.Phase, flow.TID, flow.TS = "f", m.To+1, m.Received*stepMicros+stepMicros/2
		flow.Bind = "e"
		p.add(flow)
	}
}
