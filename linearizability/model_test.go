package linearizability

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestModelsStep(t *testing.T) {
	t.Parallel()
	open := func(o Operation) Operation {
		o.Open = true
		return o
	}
	unknown := func(kind Kind) Operation {
		return Operation{Kind: kind, Output: Output{Unknown: true}}
	}
	a, b := Text("a"), Text("b")
	for name, tc := range map[string]struct {
		model    Model
		holds    Value
		do       Operation
		possible bool
		after    Value
	}{
		"a read returns what is there":           {Register, a, read("a"), true, a},
		"... and nothing else":                   {Register, a, read("b"), false, a},
		"null is not the empty text":             {Register, Text(""), readNull(), false, Text("")},
		"a new register holds null":              {Register, Value{}, readNull(), true, Value{}},
		"a read without an answer is possible":   {Register, a, open(read("")), true, a},
		"a read that gave up is possible":        {Register, a, unknown(Read), true, a},
		"a write replaces":                       {Register, a, write("b"), true, b},
		"a swap takes effect if it can":          {Register, a, cas("a", "b", true), true, b},
		"... and cannot say that it failed":      {Register, a, cas("a", "b", false), false, b},
		"a swap fails on another value":          {Register, a, cas("b", "b", false), true, a},
		"... and cannot say that it succeeded":   {Register, a, cas("b", "b", true), false, a},
		"an open swap takes effect if it can":    {Register, a, open(openCAS("a", "b")), true, b},
		"... and else is possible without":       {Register, a, open(openCAS("b", "a")), true, a},
		"a register does not append":             {Register, a, appended("b"), false, a},
		"a get returns the text":                 {KV, a, get("a"), true, a},
		"... and no other":                       {KV, a, get("b"), false, a},
		"a get that gave up is possible":         {KV, a, unknown(Get), true, a},
		"a put replaces":                         {KV, a, put("b"), true, b},
		"an append adds to the end":              {KV, a, appended("b"), true, Text("ab")},
		"the key-value model does not compare":   {KV, a, cas("a", "b", true), false, a},
		"... nor write":                          {KV, a, write("b"), false, a},
		"a get of a key nobody touched is empty": {KV, Text(""), get(""), true, Text("")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, known := tc.model.specification()
			require.True(t, known)
			possible, after := spec.step(tc.holds, &tc.do)
			assert.Equal(t, tc.possible, possible)
			if possible {
				assert.Equal(t, tc.after, after)
			}
		})
	}
}

func TestObserversSeeWhatCouldMatter(t *testing.T) {
	t.Parallel()
	a, ab := Text("a"), Text("ab")
	failed := cas("x", "y", false)
	for name, tc := range map[string]struct {
		model Model
		of    []Operation
		value Value
		seen  bool
	}{
		"nobody sees anything":                  {Register, nil, a, false},
		"a read sees its value":                 {Register, []Operation{read("a")}, a, true},
		"... and no other":                      {Register, []Operation{read("a")}, ab, false},
		"a swap sees what it expects":           {Register, []Operation{cas("a", "b", true)}, a, true},
		"... not what it sets":                  {Register, []Operation{cas("b", "a", true)}, a, false},
		"a failed swap may owe it to any":       {Register, []Operation{failed}, a, true},
		"a write sees nothing":                  {Register, []Operation{write("a")}, a, false},
		"a get sees every part of its text":     {KV, []Operation{get("xaby")}, ab, true},
		"... and nothing beyond":                {KV, []Operation{get("xay")}, ab, false},
		"an append sees nothing":                {KV, []Operation{appended("a")}, a, false},
		"an empty text is part of every answer": {KV, []Operation{get("")}, Text(""), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, _ := tc.model.specification()
			seen := spec.observers()
			for i := range tc.of {
				seen.add(&tc.of[i])
			}
			assert.Equal(t, tc.seen, seen.sees(tc.value))
			for i := range tc.of {
				seen.remove(&tc.of[i])
			}
			assert.False(t, seen.sees(tc.value), "an observer was removed and still sees")
		})
	}
}

func TestOperationsDescribeThemselves(t *testing.T) {
	t.Parallel()
	keyed := read("a")
	keyed.Key = "x"
	open := write("a")
	open.Open = true
	for want, o := range map[string]Operation{
		`read(x) -> "a"`:            keyed,
		`read() -> null`:            readNull(),
		`write("a") -> ?`:           open,
		`write("a")`:                write("a"),
		`cas("a" -> "b") -> ok`:     cas("a", "b", true),
		`cas("a" -> "b") -> failed`: cas("a", "b", false),
		`append("a")`:               appended("a"),
		`put("a")`:                  put("a"),
		`get() -> "ab"`:             get("ab"),
		`get() -> ?`:                {Kind: Get, Output: Output{Unknown: true}},
	} {
		assert.Equal(t, want, o.String())
	}
}
