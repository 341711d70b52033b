package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/viewstamp/viewstamp/traces"
)

// itfDescription is where the format is specified.
const itfDescription = "https://apalache-mc.org/docs/adr/015adr-trace.html"

// itfObject is a record, or one of the objects that stand for other values. Its keys are
// written in order.
type itfObject = map[string]any

// WriteITF writes a trace in the Informal Trace Format of the TLA+ tools. Its variables are
//
//	action    the record of the step: name, group, replica, stutter and its arguments
//	replicas  a map from <<group, replica>> to the record of that replica's state
//
// The first state is the one before the first event, with an empty map: a trace says what a
// replica is only after its first step. The fields are those of the trace format.
//
// Errors are w's.
//
// Source: Apalache, ADR 015.
func WriteITF(w io.Writer, t *traces.Trace) error {
	states := []itfObject{{
		"#meta": itfObject{"index": 0}, "replicas": itfObject{"#map": [][2]any{}},
		"action": itfObject{
			"name": "Init", "group": "", "replica": itfInt(-1), "stutter": false,
			"args": itfObject{"#map": [][2]any{}},
		},
	}}
	var order []place
	now := map[place]itfObject{}
	for i, e := range t.Events {
		at := place{e.Group, e.Replica}
		if now[at] == nil {
			order = append(order, at)
		}
		now[at] = itfState(e.After)
		replicas := make([][2]any, len(order))
		for n, p := range order {
			key := itfObject{"#tup": []any{p.group, itfInt(p.replica)}}
			replicas[n] = [2]any{key, now[p]}
		}
		states = append(states, itfObject{
			"#meta":    itfObject{"index": i + 1},
			"replicas": itfObject{"#map": replicas},
			"action":   itfAction(e),
		})
	}
	document := struct {
		Meta   itfObject   `json:"#meta"`
		Vars   []string    `json:"vars"`
		States []itfObject `json:"states"`
	}{
		itfObject{
			"format": "ITF", "format-description": itfDescription, "source": t.Header.Source,
			"description": "A trace of viewstamp",
			"varTypes": itfObject{
				"action": "{ name: Str, group: Str, replica: Int, stutter: Bool, args: Str -> Str }",
				"replicas": "<<Str, Int>> -> { status: Str, view: Int, log_view: Int, " +
					"view_durable: Int, log_view_durable: Int, op_head: Int, head_checksum: Str, " +
					"contiguous: Int, hollow: Set(Int), in_doubt: Bool, commit_min: Int, " +
					"commit_max: Int, pipeline: Seq(Int), incarnation: Str, stop: Str }",
			},
		},
		[]string{"action", "replicas"},
		states,
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("write ITF: %w", err)
	}
	return nil
}

// place is a replica of a group.
type place struct {
	group   string
	replica int
}

func itfInt[N int | uint32 | uint64](n N) itfObject {
	text := strconv.FormatUint(uint64(n), 10)
	if n < 0 {
		text = strconv.Itoa(int(n))
	}
	return itfObject{"#bigint": text}
}

func itfInts(numbers []uint64) []any {
	values := make([]any, len(numbers))
	for i, n := range numbers {
		values[i] = itfInt(n)
	}
	return values
}

func itfAction(e traces.Event) itfObject {
	args := [][2]any{}
	for _, field := range traces.ArgFields(e.Args) {
		args = append(args, [2]any{field.Name, field.Value})
	}
	return itfObject{
		"name": e.Action, "group": e.Group, "replica": itfInt(e.Replica), "stutter": e.Stutter,
		"args": itfObject{"#map": args},
	}
}

func itfState(s traces.ReplicaState) itfObject {
	return itfObject{
		"status": s.Status, "view": itfInt(s.View), "log_view": itfInt(s.LogView),
		"view_durable": itfInt(s.ViewDurable), "log_view_durable": itfInt(s.LogViewDurable),
		"op_head": itfInt(s.OpHead), "head_checksum": s.HeadChecksum,
		"contiguous": itfInt(s.Contiguous), "hollow": itfObject{"#set": itfInts(s.Hollow)},
		"in_doubt": s.InDoubt, "commit_min": itfInt(s.CommitMin),
		"commit_max": itfInt(s.CommitMax), "pipeline": itfInts(s.Pipeline),
		"incarnation": s.Incarnation, "stop": s.Stop,
	}
}
