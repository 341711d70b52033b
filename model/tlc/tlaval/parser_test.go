package tlaval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/tlc/tlaval"
)

func TestParseGivesTheCanonicalText(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"an integer":                   {"42", "42"},
		"a negative integer":           {"-42", "-42"},
		"true":                         {"TRUE", "T"},
		"false":                        {"FALSE", "F"},
		"a model value":                {"m1", "'m1"},
		"a model value led by a digit": {"1a", "'1a"},
		"a string":                     {`"vc"`, `"vc"`},
		"an empty string":              {`""`, `""`},
		"a string like a boolean":      {`"TRUE"`, `"TRUE"`},
		"a string with quotes":         {`"q\"uo\\te"`, `"q\"uo\\te"`},
		"a string with line breaks":    {`"a\nb\tc\rd\fe"`, `"a\nb\tc\rd\fe"`},
		"a backslash, then an n":       {`"a\\nb"`, `"a\\nb"`},
		"a string beyond ASCII":        {`"é"`, `"é"`},
		"a string of bytes":            {"\"\xff\"", `"\xff"`},
		"a string with syntax in it":   {`"a -> b ]; \" /\\ x = 3"`, `"a -> b ]; \" /\\ x = 3"`},
		"an empty set":                 {"{}", "{}"},
		"a set in another order":       {"{2, 1}", "{1,2}"},
		"a set with an element twice":  {"{2, 1, 2}", "{1,2}"},
		"a set of sets":                {"{{}, {2, 1}, {1}}", "{{1,2},{1},{}}"},
		"an interval":                  {"1..3", "{1,2,3}"},
		"an interval of one":           {"7..7", "{7}"},
		"an interval through zero":     {"-2..1", "{-1,-2,0,1}"},
		"an empty interval":            {"1..0", "{}"},
		"a set with 10 and 2":          {"{2, 10}", "{10,2}"},
		"an empty sequence":            {"<<>>", "[]"},
		"an empty function":            {"<< >>", "[]"},
		"a sequence":                   {`<<"a", "b">>`, `[1:"a",2:"b"]`},
		"a function":                   {`(0 :> "vc" @@ 1 :> "rec")`, `[0:"vc",1:"rec"]`},
		"a function on 1..n":           {`(2 :> "b" @@ 1 :> "a")`, `[1:"a",2:"b"]`},
		"a function on negatives":      {"(-1 :> 1 @@ 5 :> -5)", "[-1:1,5:-5]"},
		"a function on model values":   {`(m1 :> m1 @@ "a" :> "a")`, `["a":"a",'m1:'m1]`},
		"a function on sets":           {"({2, 1} :> 1 @@ {} :> 0)", "[{1,2}:1,{}:0]"},
		"a record":                     {"[v |-> 0, o |-> 1]", `["o":1,"v":0]`},
		"a function on strings":        {`("v" :> 0 @@ "o" :> 1)`, `["o":1,"v":0]`},
		"a field led by a digit":       {"[1a |-> 0]", `["1a":0]`},
		"a record over many lines": {
			"[ name |->\n      { \"x\",\n        \"y\" },\n  n |-> <<1, [a |-> {}]>> ]",
			`["n":[1:1,2:["a":{}]],"name":{"x","y"}]`,
		},
		// By the key's text alone: by the whole pair, 10 would come before 1.
		"keys sort by their own text": {
			"<<0, 0, 0, 0, 0, 0, 0, 0, 0, 0>>",
			"[1:0,10:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0]",
		},
		"white space around": {"\n  {\t1\r\n,2 } ", "{1,2}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := tlaval.Parse([]byte(tc.text))
			require.NoError(t, err)
			assert.Equal(t, tc.want, v.String())
			assert.Equal(t, "x"+tc.want, string(v.AppendCanonical([]byte("x"))))
		})
	}
}

func TestParseNamesTheOffsetOfAnError(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text     string
		offset   int
		expected string
	}{
		"nothing":                     {"", 0, "a value"},
		"white space only":            {"  ", 2, "a value"},
		"an unknown character":        {"{1, #}", 4, "a value"},
		"two values":                  {"1 2", 2, "end of text"},
		"a set that never ends":       {"{1, 2", 5, `"," or "}"`},
		"a set closed by a bracket":   {"{1]", 2, `"," or "}"`},
		"a trailing comma":            {"{1,}", 3, "a value"},
		"half a sequence bracket":     {"<1>", 0, "a value"},
		"a sequence half closed":      {"<<1>", 3, `"," or ">>"`},
		"a record without an arrow":   {"[a 1]", 3, `"|->"`},
		"a record without a name":     {"[|-> 1]", 1, "a field's name"},
		"a record with a colon":       {"[a |-> 1: b |-> 2]", 8, `"," or "]"`},
		"a set of functions":          {"[{1} -> {2}]", 1, "a field's name"},
		"an empty parenthesis":        {"()", 1, "a value"},
		"a parenthesis around one":    {"(1)", 2, `":>"`},
		"a function with a comma":     {"(1 :> 2, 3 :> 4)", 7, `"@@" or ")"`},
		"an open string":              {`"ab`, 3, "a closing quote"},
		"an open string with escapes": {`"a\"b`, 5, "a closing quote"},
		"an unknown escape":           {`"a\q"`, 2, `one of \\ \" \n \t \r \f`},
		"an escape of nothing":        {`"a\`, 2, `one of \\ \" \n \t \r \f`},
		"a lone minus":                {"-", 0, "an integer of 64 bits"},
		"a number too large":          {"{9223372036854775808}", 1, "an integer of 64 bits"},
		"an interval without an end":  {"{1..}", 4, "an integer of 64 bits after .."},
		"an interval too long":        {"{1..99999999}", 1, "intervals of at most 65536 numbers in all"},
		"intervals too long together": {
			"{1..40000, 1..40000}", 11, "intervals of at most 65536 numbers in all",
		},
		"the longest interval of all": {
			"-9223372036854775808..9223372036854775807", 0,
			"intervals of at most 65536 numbers in all",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tlaval.Parse([]byte(tc.text))
			var syntax *tlaval.SyntaxError
			require.ErrorAs(t, err, &syntax)
			assert.Equal(t, tc.offset, syntax.Offset)
			assert.Equal(t, tc.expected, syntax.Expected)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestParseBoundsItsRecursion(t *testing.T) {
	t.Parallel()
	_, err := tlaval.Parse([]byte(strings.Repeat("{", 1_000_000)))
	require.ErrorContains(t, err, "offset 1000: expected at most 1000 levels of nesting")

	deep := strings.Repeat("{", 1000) + strings.Repeat("}", 1000)
	v, err := tlaval.Parse([]byte(deep))
	require.NoError(t, err)
	assert.Equal(t, deep, v.String())
}

func TestParseState(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want, refused string }{
		"several variables": {
			text: "/\\ n = 1\n/\\ s = {}\n/\\ x = [a |-> TRUE]", want: `["n":1,"s":{},"x":["a":T]]`,
		},
		"variables in another order": {text: `/\ b = 1 /\ a = 2`, want: `["a":2,"b":1]`},
		"one variable":               {text: "n = 0\n", want: `["n":0]`},
		"one variable in a list":     {text: `/\ n = 0`, want: `["n":0]`},
		"a string with a conjunction": {
			text: `/\ n = "/\\ m = 1"`, want: `["n":"/\\ m = 1"]`,
		},
		"a variable without a value in an incomplete state": {
			text: "/\\ n = null\n/\\ m = 1", want: `["m":1,"n":'null]`,
		},
		"nothing":                {text: "", refused: "offset 0: expected a variable's name"},
		"a list that goes on":    {text: `/\ n = 0 /\`, refused: "offset 11: expected a variable's"},
		"a missing equals sign":  {text: `/\ n 0`, refused: `offset 5: expected "="`},
		"a bad value":            {text: `/\ n = }`, refused: "offset 7: expected a value"},
		"a list without a start": {text: `n = 0 /\ m = 1`, refused: "offset 6: expected end of text"},
		"no conjunction":         {text: "/\\ n = 0\nm = 1", refused: `offset 9: expected "/\" or`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := tlaval.ParseState([]byte(tc.text))
			if tc.refused != "" {
				require.ErrorContains(t, err, tc.refused)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, v.String())
		})
	}
}

// A Parser reuses its memory, so a value of one call must not show in the next,
// and an error must leave nothing behind.
func TestParserIsReusable(t *testing.T) {
	t.Parallel()
	var p tlaval.Parser
	long := "<<" + strings.Repeat("{1, 2}, ", 10_000) + `"end">>`
	for range 3 {
		for _, text := range []string{"{3, 1}", long, "[a |-> <<1>>]", "1..100", `"a\\b"`, "{}"} {
			want, err := tlaval.Parse([]byte(text))
			require.NoError(t, err)
			got, err := p.Parse([]byte(text))
			require.NoError(t, err)
			require.Equal(t, want.String(), got.String())

			_, err = p.Parse([]byte("{1, {2, [a |-> <<3, 4"))
			require.Error(t, err)
		}
		state, err := p.ParseState([]byte("/\\ b = {2, 1}\n/\\ a = 1..2"))
		require.NoError(t, err)
		require.Equal(t, `["a":{1,2},"b":{1,2}]`, state.String())
	}
}

func TestValueDoesNotAliasItsText(t *testing.T) {
	t.Parallel()
	text := []byte(`[name |-> "body", m |-> model]`)
	v, err := tlaval.Parse(text)
	require.NoError(t, err)
	clear(text)
	assert.Equal(t, `["m":'model,"name":"body"]`, v.String())
}
