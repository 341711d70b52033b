package tlaval_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/model/tlc/tlaval"
)

func TestTLA(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ canonical, want string }{
		"a record":   {`["op":1,"view":0]`, `[op |-> 1, view |-> 0]`},
		"a sequence": {`[1:5,2:6]`, `<<5, 6>>`},
		"a long sequence, in its order": {
			`[1:1,10:10,2:2,3:3,4:4,5:5,6:6,7:7,8:8,9:9]`,
			`<<1, 2, 3, 4, 5, 6, 7, 8, 9, 10>>`,
		},
		"the empty function":             {`[]`, `<<>>`},
		"a function on 0..1":             {`[0:{},1:{T}]`, `(0 :> {} @@ 1 :> {TRUE})`},
		"a text with a quote":            {`{"a\"]",-3}`, `{"a\"]", -3}`},
		"a function of texts, no fields": {`["a b":1]`, `("a b" :> 1)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tlaval.TLA(c.canonical)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
	for name, canonical := range map[string]string{
		"no value": ``, "an open set": `{1`, "a function without a value": `[1]`,
		"an open text": `"a`, "more than one value": `1,2`, "two members without a comma": `{"a""b"}`,
	} {
		t.Run(name+" is an error", func(t *testing.T) {
			t.Parallel()
			_, err := tlaval.TLA(canonical)
			assert.ErrorContains(t, err, "expected")
		})
	}
}

// What TLA writes means the same value: the parser reads it back.
func TestTLAIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		canonical := draw(t, 3).canonical
		text, err := tlaval.TLA(canonical)
		require.NoError(t, err)
		value, err := tlaval.Parse([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, canonical, value.String())
	})
}
