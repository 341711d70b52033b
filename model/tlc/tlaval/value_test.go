package tlaval_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/tlc/tlaval"
)

func mustParse(t *testing.T, text string) tlaval.Value {
	t.Helper()
	v, err := tlaval.Parse([]byte(text))
	require.NoError(t, err)
	return v
}

func TestKindsAndScalars(t *testing.T) {
	t.Parallel()
	number, ok := mustParse(t, "-7").Int()
	assert.True(t, ok)
	assert.Equal(t, int64(-7), number)

	truth, ok := mustParse(t, "TRUE").Bool()
	assert.True(t, ok)
	assert.True(t, truth)

	text, ok := mustParse(t, `"a\"b"`).Text()
	assert.True(t, ok)
	assert.Equal(t, `a"b`, text)

	name, ok := mustParse(t, "m1").Text()
	assert.True(t, ok)
	assert.Equal(t, "m1", name)

	_, ok = mustParse(t, "1").Bool()
	assert.False(t, ok, "a number is no boolean")
	truth, ok = mustParse(t, "1").Bool()
	assert.False(t, ok || truth)
	_, ok = mustParse(t, "TRUE").Int()
	assert.False(t, ok, "a boolean is no number")
	_, ok = mustParse(t, "{}").Text()
	assert.False(t, ok, "a set is no string")

	for text, want := range map[string]string{
		"1": "int", "TRUE": "bool", `"a"`: "string", "m": "model value", "{}": "set", "<<>>": "function",
	} {
		assert.Equal(t, want, mustParse(t, text).Kind().String())
	}
	assert.Equal(t, "no value", tlaval.Value{}.Kind().String())
	assert.Empty(t, tlaval.Value{}.String())
}

func TestFieldAndAt(t *testing.T) {
	t.Parallel()
	v := mustParse(t, `[log |-> <<"a", "b">>, view |-> (0 :> 3 @@ 1 :> 4), ok |-> {1}]`)
	assert.Equal(t, 3, v.Len())

	log, ok := v.Field("log")
	require.True(t, ok)
	second, ok := log.At(2)
	require.True(t, ok)
	assert.Equal(t, `"b"`, second.String())
	for _, outside := range []int64{0, 3, -1} {
		_, ok = log.At(outside)
		assert.False(t, ok)
	}

	view, ok := v.Field("view")
	require.True(t, ok)
	zero, ok := view.At(0)
	require.True(t, ok)
	assert.Equal(t, "3", zero.String())
	_, ok = view.At(2)
	assert.False(t, ok)

	_, ok = v.Field("nothing")
	assert.False(t, ok)
	_, ok = log.Field("1")
	assert.False(t, ok, "the key is the number 1, not the string")
	set, ok := v.Field("ok")
	require.True(t, ok)
	_, ok = set.At(1)
	assert.False(t, ok, "a set is not a function")
	_, ok = set.Field("a")
	assert.False(t, ok)
}

func TestElementsAndPairs(t *testing.T) {
	t.Parallel()
	set := mustParse(t, "{3, 1}")
	require.Len(t, set.Elements(), 2)
	assert.Equal(t, "3", set.Elements()[0].String())
	assert.Nil(t, mustParse(t, "<<1>>").Elements())

	collect := func(v tlaval.Value, limit int) (pairs []string) {
		for key, result := range v.Pairs {
			pairs = append(pairs, key.String()+"="+result.String())
			if len(pairs) == limit {
				break
			}
		}
		return pairs
	}
	assert.Equal(t, []string{`1="a"`, `2="b"`}, collect(mustParse(t, `<<"a", "b">>`), 9))
	assert.Equal(t, []string{`"b"=1`, `"a"=2`}, collect(mustParse(t, "[b |-> 1, a |-> 2]"), 9))
	assert.Equal(t, []string{`"b"=1`}, collect(mustParse(t, "[b |-> 1, a |-> 2]"), 1))
	assert.Empty(t, collect(set, 9))
}

func TestEqualIsEqualityInTLA(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		a, b string
		want bool
	}{
		"a sequence is a function on 1..n":  {`<<"a", "b">>`, `(1 :> "a" @@ 2 :> "b")`, true},
		"a record is a function on strings": {"[a |-> 1]", `("a" :> 1)`, true},
		"the empty sequence and function":   {"<<>>", "<< >>", true},
		"an interval is a set":              {"1..2", "{2, 1}", true},
		"a function on 0..1 is no sequence": {"<<1, 2>>", "(0 :> 1 @@ 1 :> 2)", false},
		"a string is no model value":        {`"m1"`, "m1", false},
		"a string is no number":             {`"1"`, "1", false},
		"a boolean is no model value":       {"TRUE", "T", false},
		"the empty set is no function":      {"{}", "<<>>", false},
		"a pair is not a set of two":        {"<<1, 2>>", "{1, 2}", false},
		"a quote moves nothing":             {`<<"a\",2:\"b">>`, `<<"a", "b">>`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, mustParse(t, tc.a).Equal(mustParse(t, tc.b)))
		})
	}
}
