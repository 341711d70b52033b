package linearizability

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func importEDN(t *testing.T, model Model, lines ...string) *History {
	t.Helper()
	h, err := ImportJepsenEDN(strings.NewReader(strings.Join(lines, "\n")+"\n"), "h", model)
	require.NoError(t, err)
	require.NoError(t, h.Validate())
	return h
}

func TestJepsenEDNIsImported(t *testing.T) {
	t.Parallel()
	for file, tc := range map[string]struct {
		model Model
		says  []string
	}{
		"register.edn": {Register, []string{
			`write("3")`, `read() -> "3"`, `cas("3" -> "4") -> ?`, `read() -> "4"`,
		}},
		"set.edn": {Set, []string{`add("1")`, `members() -> ["1"]`}},
		"append.edn": {KV, []string{
			`append(x, "1 ")`, `append(x, "2 ")`, `get(x) -> "2 1 "`,
		}},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("testdata/" + file)
			require.NoError(t, err)
			h := importEDN(t, tc.model, strings.TrimSpace(string(text)))
			var says []string
			for _, o := range h.Operations {
				says = append(says, o.String())
			}
			assert.Equal(t, tc.says, says)
			assert.Equal(t, Linearizable, mustCheck(t, h, CheckOptions{}).Verdict)
		})
	}
}

func TestJepsenKeysAndFailuresAreUnderstood(t *testing.T) {
	t.Parallel()
	h := importEDN(t, Register,
		`#jepsen.history.Op{:process 0, :type :invoke, :f :cas, :value [:k [1 2]]}`,
		`{:process 0 :type :fail :f :cas :value [:k [1 2]]}`,
		`{:process 1, :type :invoke, :f :read, :value [:k nil]}`,
		`{:process 1, :type :ok, :f :read, :value [:k "a \"b\""]}`,
	)
	require.Len(t, h.Operations, 2)
	assert.Equal(t, `cas(:k, "1" -> "2") -> failed`, h.Operations[0].String())
	assert.Equal(t, `read(:k) -> "a \"b\""`, h.Operations[1].String())
	lost := importEDN(t, Set,
		`{:process 0, :type :invoke, :f :add, :value 1}`,
		`{:process 0, :type :ok, :f :add, :value 1}`,
		`{:process 0, :type :invoke, :f :read}`,
		`{:process 0, :type :ok, :f :read, :value [3]}`,
	)
	report := mustCheck(t, lost, CheckOptions{})
	require.Equal(t, Violation, report.Verdict)
	assert.Len(t, report.Witness.Operations, 1, "nobody added 3")
}

func TestBadEDNIsRefused(t *testing.T) {
	t.Parallel()
	const shape = `{:process N, :type :invoke|:ok|:fail|:info, :f ..., :value ...}`
	for name, tc := range map[string]struct {
		model Model
		line  string
		want  string
	}{
		"an empty line":   {Register, ``, shape + `, got the end of the line`},
		"half a map":      {Register, `{:process 0, :type`, shape + `, got the end of the line`},
		"a key alone":     {Register, `{:process}`, shape + `, got a map whose last key has no value`},
		"an open text":    {Register, `{:process "x}`, shape + `, got a text without its end`},
		"two values":      {Register, `{} {}`, shape + `, got something behind it: "{}"`},
		"a stray bracket": {Register, `]`, shape + `, got ']'`},
		"deep nesting": {
			Register, strings.Repeat("[", 100), shape + `, got more than 64 values in each other`,
		},
		"no operation": {Register, `{:process 1}`, shape + `, got {:process 1}`},
		"a type that is none": {
			Register, `{:process 1, :type :done, :f :read}`, `:type :invoke, :ok, :fail or :info, got :done`,
		},
		"a function of another model": {
			Register, `{:process 1, :type :invoke, :f :add, :value 1}`, `:f of model register, got :add`,
		},
		"a write of nothing": {
			Register, `{:process 1, :type :invoke, :f :write, :value nil}`,
			`a number, a text or a keyword as :value of this write, got nil`,
		},
		"a swap of one": {
			Register, `{:process 1, :type :invoke, :f :cas, :value [1]}`,
			`[FROM TO] as :value of this cas, got ["1"]`,
		},
		"a list in a set": {
			Set, `{:process 1, :type :ok, :f :read, :value [[1]]}`,
			`a list of numbers, texts or keywords as :value of this members, got [["1"]]`,
		},
		"a transaction of two": {
			KV, `{:process 1, :type :invoke, :f :txn, :value [[:r 1 nil] [:r 2 nil]]}`,
			`a transaction of one operation, [[:append K V]] or [[:r K nil]], got 2 operations`,
		},
		"an answer without a call": {
			Set, `{:process 1, :type :ok, :f :add, :value 1}`,
			`a call of process 1 before its answer, got none`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ImportJepsenEDN(strings.NewReader(tc.line+"\n"), "h", tc.model)
			require.EqualError(t, err, "h:1: expected "+tc.want)
		})
	}
	_, err := ImportJepsenEDN(strings.NewReader(""), "h", Offsets)
	require.EqualError(t, err, `import h: expected model register, set or kv, got "offsets"`)
}

func FuzzEDN(f *testing.F) {
	f.Add(`{:process 0, :type :ok, :f :read, :value #{1 [2 "x"]}}`)
	f.Fuzz(func(_ *testing.T, line string) {
		for _, model := range JepsenEDNModels() {
			_, _ = ImportJepsenEDN(strings.NewReader(line+"\n"), "h", model)
		}
	})
}
