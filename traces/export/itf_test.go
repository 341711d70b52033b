package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces/export"
)

var itfNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// itfFault holds a document against the rules of Apalache's ADR 015 and says which it breaks.
func itfFault(document []byte) error {
	var trace struct {
		Meta   map[string]any   `json:"#meta"`
		Params []string         `json:"params"`
		Vars   []string         `json:"vars"`
		States []map[string]any `json:"states"`
		Loop   *int             `json:"loop"`
	}
	if err := json.Unmarshal(document, &trace); err != nil {
		return err
	}
	if len(trace.Vars) == 0 || len(trace.States) == 0 {
		return fmt.Errorf("no variable or no state")
	}
	for i, state := range trace.States {
		meta, _ := state["#meta"].(map[string]any)
		if meta["index"] != float64(i) {
			return fmt.Errorf("state %d has index %v", i, meta["index"])
		}
		for _, name := range trace.Vars {
			if _, ok := state[name]; !ok {
				return fmt.Errorf("state %d lacks variable %s", i, name)
			}
		}
		for name, value := range state {
			if name != "#meta" && !slices.Contains(trace.Vars, name) {
				return fmt.Errorf("state %d has %s, which is no variable", i, name)
			}
			if name == "#meta" {
				continue
			}
			if err := itfValueFault(value); err != nil {
				return fmt.Errorf("state %d, %s: %w", i, name, err)
			}
		}
	}
	return nil
}

// itfValueFault: true, "text", {"#bigint"}, [...], {"#tup"}, {"#set"}, {"#map"}, {record}.
func itfValueFault(value any) error {
	switch v := value.(type) {
	case bool, string:
		return nil
	case []any:
		return itfAll(v)
	case map[string]any:
		return itfObjectFault(v)
	}
	return fmt.Errorf("%T %v is no value", value, value)
}

func itfAll(values []any) error {
	for _, v := range values {
		if err := itfValueFault(v); err != nil {
			return err
		}
	}
	return nil
}

func itfObjectFault(v map[string]any) error {
	for key, content := range v {
		if !strings.HasPrefix(key, "#") {
			if err := itfValueFault(content); err != nil {
				return err
			}
			continue
		}
		if len(v) != 1 {
			return fmt.Errorf("%s beside other keys", key)
		}
		list, isList := content.([]any)
		text, _ := content.(string)
		switch {
		case key == "#bigint" && itfNumber.MatchString(text):
			return nil
		case (key == "#tup" || key == "#set") && isList:
			return itfAll(list)
		case key == "#map" && isList:
			seen := map[string]bool{}
			for _, item := range list {
				pair, ok := item.([]any)
				if !ok || len(pair) != 2 {
					return fmt.Errorf("#map has %v, expected a pair", item)
				}
				name := fmt.Sprint(pair[0])
				if seen[name] {
					return fmt.Errorf("#map has key %s twice", name)
				}
				seen[name] = true
				if err := itfAll(pair); err != nil {
					return err
				}
			}
			return nil
		}
		return fmt.Errorf("%s %v", key, content)
	}
	return nil
}

func TestITFFollowsItsRules(t *testing.T) {
	t.Parallel()
	for name, trace := range samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			require.NoError(t, export.WriteITF(&out, trace))
			require.NoError(t, itfFault(out.Bytes()))
			var read struct {
				States []struct {
					Action   struct{ Name string }
					Replicas map[string][][2]any
				}
			}
			require.NoError(t, json.Unmarshal(out.Bytes(), &read))
			require.Len(t, read.States, len(trace.Events)+1)
			for i, e := range trace.Events {
				assert.Equal(t, e.Action, read.States[i+1].Action.Name)
			}
		})
	}
	var out bytes.Buffer
	require.NoError(t, export.WriteITF(&out, hostile()))
	assert.Contains(t, out.String(), `"op_head":{"#bigint":"9223372036854775809"}`)
	assert.Contains(t, out.String(), `"hollow":{"#set":[{"#bigint":"3"},`)
}

func TestTheRulesOfITFRefuseWhatBreaksThem(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		`{}`,
		`{"vars":["x"],"states":[{"#meta":{"index":1},"x":true}]}`,
		`{"vars":["x"],"states":[{"#meta":{"index":0}}]}`,
		`{"vars":["x"],"states":[{"#meta":{"index":0},"x":true,"y":true}]}`,
		`{"vars":["x"],"states":[{"#meta":{"index":0},"x":1}]}`,
		`{"vars":["x"],"states":[{"#meta":{"index":0},"x":null}]}`,
		`{"vars":["x"],"states":[{"#meta":{"index":0},"x":{"#bigint":"1.5"}}]}`,
		`{"vars":["x"],"states":[{"#meta":{"index":0},"x":{"#set":{}}}]}`,
		`{"vars":["x"],"states":[{"#meta":{"index":0},"x":{"#map":[["a"]]}}]}`,
		`{"vars":["x"],"states":[{"#meta":{"index":0},"x":{"#map":[["a",true],["a",true]]}}]}`,
		`{"vars":["x"],"states":[{"#meta":{"index":0},"x":{"#set":[],"y":true}}]}`,
		`{"vars":["x"],"states":[{"#meta":{"index":0},"x":{"#bag":[]}}]}`,
	} {
		assert.Error(t, itfFault([]byte(bad)), bad)
	}
}
