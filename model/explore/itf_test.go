package explore

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestITFSaysWhatTheCanonicalTextSays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`["x":T]`:                 `true`,
		`["x":-12]`:               `{"#bigint":"-12"}`,
		`["x":"a<b"]`:             `"a<b"`,
		`["x":'m1]`:               `"m1"`,
		`["x":[]]`:                `[]`,
		`["x":{}]`:                `{"#set":[]}`,
		`["x":{1,{F}}]`:           `{"#set":[{"#bigint":"1"},{"#set":[false]}]}`,
		`["x":["op":1,"view":0]]`: `{"op":{"#bigint":"1"},"view":{"#bigint":"0"}}`,
		`["x":[0:"a",1:"b"]]`:     `{"#map":[[{"#bigint":"0"},"a"],[{"#bigint":"1"},"b"]]}`,
		`["x":["#set":1]]`:        `{"#map":[["#set",{"#bigint":"1"}]]}`,
		`["x":[{1}:2]]`:           `{"#map":[[{"#set":[{"#bigint":"1"}]},{"#bigint":"2"}]]}`,
		// Keys are in the order of their text, lists in that of their numbers.
		`["x":[1:F,10:T,2:F,3:F,4:F,5:F,6:F,7:F,8:F,9:F]]`: `[false,false,false,false,false,` +
			`false,false,false,false,true]`,
	} {
		m := Model[string, label]{Name: "text", Canonical: func(dst []byte, s string) []byte {
			return append(dst, s...)
		}}
		var out bytes.Buffer
		path := []Step[string, label]{{State: text}, {State: text, Action: label{name: "Go"}}}
		require.NoError(t, WriteITF(&out, "Text.tla", m, path), text)
		var read struct {
			Vars   []string
			States []map[string]json.RawMessage
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &read))
		assert.Equal(t, []string{"x", "action_taken"}, read.Vars)
		require.Len(t, read.States, 2)
		assert.Equal(t, want, string(read.States[1]["x"]), text)
		assert.JSONEq(t, `{"index":1}`, string(read.States[1]["#meta"]))
		assert.JSONEq(t, `"Init"`, string(read.States[0]["action_taken"]))
		assert.Contains(t, string(read.States[1]["action_taken"]), "Go")
	}
}

func TestITFRefusesATextThatBreaksTheGrammar(t *testing.T) {
	t.Parallel()
	m := Model[string, label]{Name: "text"}
	write := func(text string) error {
		return WriteITF(&bytes.Buffer{}, "Text.tla", m, []Step[string, label]{{State: text}})
	}
	require.ErrorContains(t, write(`[]`), "Canonical is nil")
	m.Canonical = func(dst []byte, s string) []byte { return append(dst, s...) }
	for _, bad := range []string{
		``, `[1:2]`, `["x":]`, `["x":1`, `["x":{1`, `["x":1]]`, `["x" 1]`,
		`["x":"a]`, `["x":[1 2]]`,
	} {
		assert.ErrorContains(t, write(bad), "state 1", bad)
	}
	m.Canonical = func(dst []byte, s string) []byte { return append(dst, s...) }
	assert.Error(t, WriteITF(brokenPipe{}, "Text.tla", m, []Step[string, label]{{State: `["x":1]`}}))
}
