package linearizability

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJepsenLogsAreImported(t *testing.T) {
	t.Parallel()
	log := strings.Join([]string{
		"INFO  jepsen.util - 0\t:invoke\t:read\tnil",
		"INFO  jepsen.util - 1\t:invoke\t:write\t3",
		"INFO  jepsen.util - 0\t:ok\t:read\tnil",
		"INFO  jepsen.util - 2\t:invoke\t:cas\t[3 4]",
		"INFO  jepsen.util - 1\t:info\t:write\t:timed-out",
		"INFO jepsen.util - 2 :fail :cas [3 4]",
		"INFO jepsen.util - 0 :invoke :read nil",
		"INFO jepsen.util - 2 :invoke :cas [1 2]",
		"INFO jepsen.util - 0 :fail :read :timed-out",
		"INFO jepsen.util - 2 :ok :cas [1 2]",
		"INFO jepsen.util - 0 :invoke :read nil",
		"INFO jepsen.util - 0 :ok :read 2",
		"INFO jepsen.util - 0 :invoke :read nil",
		"",
	}, "\n")
	h, err := ImportJepsenEtcd(strings.NewReader(log), "log")
	require.NoError(t, err)
	require.NoError(t, h.Validate())
	one := func(client, call, returned int, o Operation) Operation {
		o.Client, o.ID, o.Call, o.Return = client, uint64(call), int64(call), int64(returned)
		o.Open = returned == 0
		return o
	}
	assert.Equal(t, &History{Model: Register, Unit: Steps, Operations: []Operation{
		one(0, 1, 3, readNull()),
		one(1, 2, 0, write("3")),
		one(2, 4, 6, cas("3", "4", false)),
		one(0, 7, 9, Operation{Kind: Read, Output: Output{Unknown: true}}),
		one(2, 8, 10, cas("1", "2", true)),
		one(0, 11, 12, read("2")),
		one(0, 13, 0, Operation{Kind: Read}),
	}}, h)
}

func TestPorcupineKVLogsAreImported(t *testing.T) {
	t.Parallel()
	log := strings.Join([]string{
		`{:process 9, :type :invoke, :f :append, :key "0", :value "x 9 0 y"}`,
		`{:process 1, :type :invoke, :f :get, :key "9", :value nil}`,
		`{:process 2, :type :invoke, :f :put, :key "", :value ""}`,
		`{:process 1, :type :ok, :f :get, :key "9", :value ""}`,
		`{:process 9, :type :ok, :f :append, :key "0", :value "x 9 0 y"}`,
		`{:process 2, :type :info, :f :put, :key "", :value nil}`,
		"",
	}, "\n")
	h, err := ImportPorcupineKV(strings.NewReader(log), "log")
	require.NoError(t, err)
	require.NoError(t, h.Validate())
	assert.Equal(t, &History{Model: KV, Unit: Steps, Operations: []Operation{
		{
			Client: 9, ID: 1, Key: "0", Kind: Append, Input: Input{Value: Text("x 9 0 y")},
			Call: 1, Return: 5,
		},
		{Client: 1, ID: 2, Key: "9", Kind: Get, Output: Output{Value: Text("")}, Call: 2, Return: 4},
		{Client: 2, ID: 3, Kind: Put, Input: Input{Value: Text("")}, Call: 3, Open: true},
	}}, h)
}

func TestBadForeignLinesAreRefused(t *testing.T) {
	t.Parallel()
	const (
		jepsenShape = `"INFO jepsen.util - PROCESS :invoke|:ok|:fail|:info :read|:write|:cas VALUE"`
		kvShape     = `"{:process N, :type :invoke|:ok|:info, :f :get|:put|:append, ` +
			`:key "K", :value nil|"V"}"`
	)
	jepsen := func(lines ...string) string {
		return "INFO jepsen.util - " + strings.Join(lines, "\nINFO jepsen.util - ") + "\n"
	}
	kv := func(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
	for name, tc := range map[string]struct {
		model Model
		text  string
		want  string
	}{
		"another logger": {
			Register, "INFO jepsen.core - Run complete\n",
			`log:1: expected ` + jepsenShape + `, got "INFO jepsen.core - Run complete"`,
		},
		"a very long line is cut": {
			Register, strings.Repeat("y", 200) + "\n",
			`log:1: expected ` + jepsenShape + `, got "` + strings.Repeat("y", 79) + "...",
		},
		"an empty line": {Register, "\n", `log:1: expected ` + jepsenShape + `, got ""`},
		"a log without its last newline": {
			Register, strings.TrimSpace(jepsen("0 :invoke :read nil")),
			`log:1: expected a newline at the end of the last line, got the end of the file`,
		},
		"a process beyond all numbers": {
			Register, jepsen("99999999999999999999 :invoke :read nil"),
			`log:1: expected a process number, got 99999999999999999999`,
		},
		"an answer without a call": {
			Register, jepsen("0 :ok :read 1"),
			`log:1: expected a call of process 0 before its answer, got none`,
		},
		"a call before the last answer": {
			Register, jepsen("0 :invoke :read nil", "0 :invoke :write 1"),
			`log:2: expected the answer of process 0's call of line 1 first, got another call`,
		},
		"a process that goes on after an unknown outcome": {
			Register, jepsen("0 :invoke :write 1", "0 :info :write :timed-out", "0 :invoke :write 1"),
			`log:3: expected nothing more of process 0, whose last outcome is unknown, ` +
				`got another call`,
		},
		"the answer of another kind": {
			Register, jepsen("0 :invoke :write 1", "0 :ok :read 1"),
			`log:2: expected the answer of the write of line 1, got that of a read`,
		},
		"the answer of another write": {
			Register, jepsen("0 :invoke :write 1", "0 :ok :write 2"),
			`log:2: expected the answer of write("1") of line 1, got that of write("2")`,
		},
		"the answer of another swap": {
			Register, jepsen("0 :invoke :cas [1 2]", "0 :fail :cas [2 1]"),
			`log:2: expected the answer of cas("1" -> "2") of line 1, got that of cas("2" -> "1")`,
		},
		"a failed write": {
			Register, jepsen("0 :invoke :write 1", "0 :fail :write 1"),
			`log:2: expected :ok or :info of a write, got :fail`,
		},
		"a read that is called with a value": {
			Register, jepsen("0 :invoke :read 1"), `log:1: expected "nil" behind :invoke :read, got 1`,
		},
		"a read that failed with a value": {
			Register, jepsen("0 :invoke :read nil", "0 :fail :read 1"),
			`log:2: expected ":timed-out" behind :fail :read, got 1`,
		},
		"an unknown outcome for another reason": {
			Register, jepsen("0 :invoke :write 1", "0 :info :write :crashed"),
			`log:2: expected ":timed-out" behind :info :write, got :crashed`,
		},
		"a write of no number": {
			Register, jepsen("0 :invoke :write one"), `log:1: expected the number of a write, got one`,
		},
		"a swap of one number": {
			Register, jepsen("0 :invoke :cas [1]"), `log:1: expected [FROM TO] of a cas, got [1]`,
		},
		"a key-value line that is none": {
			KV, kv(`{:process 1}`), `log:1: expected ` + kvShape + `, got "{:process 1}"`,
		},
		"a get that is called with a value": {
			KV, kv(`{:process 1, :type :invoke, :f :get, :key "9", :value "x"}`),
			`log:1: expected nil as the value of an invoked get, and of nothing else, ` +
				`got "{:process 1, :type :invoke, :f :get, :key \"9\", :value \"x\"}"`,
		},
		"a put without a value": {
			KV, kv(`{:process 1, :type :invoke, :f :put, :key "9", :value nil}`),
			`log:1: expected nil as the value of an invoked get, and of nothing else, ` +
				`got "{:process 1, :type :invoke, :f :put, :key \"9\", :value nil}"`,
		},
		"the answer of another key": {
			KV, kv(`{:process 1, :type :invoke, :f :get, :key "9", :value nil}`,
				`{:process 1, :type :ok, :f :get, :key "8", :value "x"}`),
			`log:2: expected the answer of get(9) of line 1, got that of get(8)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := ImportJepsenEtcd
			if tc.model == KV {
				read = ImportPorcupineKV
			}
			h, err := read(strings.NewReader(tc.text), "log")
			require.EqualError(t, err, tc.want)
			assert.Nil(t, h)
			var format *FormatError
			require.ErrorAs(t, err, &format)
		})
	}
}
