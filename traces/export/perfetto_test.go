package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces/export"
)

// phaseKeys are the keys that the Trace Event Format requires beside name, ph, pid and ts.
var phaseKeys = map[string][]string{
	"M": {"args"}, "X": {"tid", "dur"}, "C": {"args"},
	"s": {"tid", "id", "cat"}, "f": {"tid", "id", "cat"},
}

type slice struct{ begin, end float64 }

// traceEventFault holds a document against the Trace Event Format: keys by phase; slices of a
// thread nest; each flow has one begin and one end, not before it, both inside a slice.
func traceEventFault(document []byte) error {
	var read struct {
		TraceEvents []map[string]any `json:"traceEvents"`
	}
	if err := json.Unmarshal(document, &read); err != nil {
		return err
	}
	if read.TraceEvents == nil {
		return fmt.Errorf("no traceEvents")
	}
	slices := map[string][]slice{}
	flows := map[any][2]map[string]any{}
	thread := func(e map[string]any) string { return fmt.Sprint(e["pid"], "/", e["tid"]) }
	for i, e := range read.TraceEvents {
		phase, _ := e["ph"].(string)
		required, known := phaseKeys[phase]
		if !known {
			return fmt.Errorf("event %d has phase %q", i, phase)
		}
		for _, key := range append([]string{"name", "pid", "ts"}, required...) {
			if e[key] == nil {
				return fmt.Errorf("event %d of phase %s lacks %s", i, phase, key)
			}
		}
		ts, ok := e["ts"].(float64)
		if !ok {
			return fmt.Errorf("event %d has ts %v", i, e["ts"])
		}
		flow := flows[e["id"]]
		switch phase {
		case "X":
			dur, _ := e["dur"].(float64)
			if dur <= 0 {
				return fmt.Errorf("event %d lasts %v", i, dur)
			}
			slices[thread(e)] = append(slices[thread(e)], slice{ts, ts + dur})
		case "s":
			flow[0] = e
			flows[e["id"]] = flow
		case "f":
			flow[1] = e
			flows[e["id"]] = flow
		}
	}
	for name, all := range slices {
		for _, a := range all {
			for _, b := range all {
				if a.begin < b.begin && b.begin < a.end && a.end < b.end {
					return fmt.Errorf("slices of thread %s overlap: %v, %v", name, a, b)
				}
			}
		}
	}
	return flowFault(flows, slices, thread)
}

func flowFault(
	flows map[any][2]map[string]any, slices map[string][]slice,
	thread func(map[string]any) string,
) error {
	for id, flow := range flows {
		if flow[0] == nil || flow[1] == nil || flow[0]["name"] != flow[1]["name"] ||
			flow[0]["cat"] != flow[1]["cat"] {
			return fmt.Errorf("flow %v has no two ends of one name", id)
		}
		begin, _ := flow[0]["ts"].(float64)
		end, _ := flow[1]["ts"].(float64)
		if begin > end {
			return fmt.Errorf("flow %v ends before it begins", id)
		}
		for _, e := range flow {
			inside := false
			at, _ := e["ts"].(float64)
			for _, s := range slices[thread(e)] {
				inside = inside || s.begin <= at && at <= s.end
			}
			if !inside {
				return fmt.Errorf("flow %v has an end outside of any slice", id)
			}
		}
	}
	return nil
}

func TestTraceEventsFollowTheRules(t *testing.T) {
	t.Parallel()
	for name, trace := range samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			require.NoError(t, export.WritePerfetto(&out, trace))
			if len(trace.Events) > 0 {
				require.NoError(t, traceEventFault(out.Bytes()))
			}
			for _, e := range trace.Events {
				text, err := json.Marshal(e.Action)
				require.NoError(t, err)
				assert.Contains(t, out.String(), `"name":`+string(text)+`,"ph":"X"`)
			}
			flows := 0
			for _, m := range export.Messages(trace) {
				if m.Sent > 0 {
					flows++
				}
			}
			assert.Equal(t, flows, bytes.Count(out.Bytes(), []byte(`"ph":"f"`)))
		})
	}
}

func TestTheRulesOfTraceEventsRefuseWhatBreaksThem(t *testing.T) {
	t.Parallel()
	const slices = `{"name":"a","ph":"X","pid":1,"tid":1,"ts":0,"dur":9}`
	for _, bad := range []string{
		`{}`, `{"traceEvents":[{"name":"a","ph":"?","pid":1,"ts":0}]}`,
		`{"traceEvents":[{"name":"a","ph":"X","pid":1,"tid":1,"ts":0}]}`,
		`{"traceEvents":[{"name":"a","ph":"C","pid":1,"ts":0}]}`,
		`{"traceEvents":[` + slices + `,{"name":"b","ph":"X","pid":1,"tid":1,"ts":5,"dur":9}]}`,
		`{"traceEvents":[` + slices + `,{"name":"m","cat":"m","id":1,"ph":"s","pid":1,"tid":1,` +
			`"ts":5}]}`,
		`{"traceEvents":[` + slices + `,{"name":"m","cat":"m","id":1,"ph":"s","pid":1,"tid":1,` +
			`"ts":5},{"name":"m","cat":"m","id":1,"ph":"f","pid":1,"tid":1,"ts":99}]}`,
	} {
		assert.Error(t, traceEventFault([]byte(bad)), bad)
	}
}
