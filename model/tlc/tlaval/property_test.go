package tlaval_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/model/tlc/tlaval"
)

// sample is a random value: its canonical text, computed here in the plainest
// way, and a way to print it as TLC might, elements in any order.
type sample struct {
	canonical string
	print     func(t *rapid.T) string
}

func fixed(canonical, printed string) sample {
	return sample{canonical, func(*rapid.T) string { return printed }}
}

var identifiers = rapid.StringMatching(`[a-z_][a-zA-Z0-9_]{0,3}`)

func drawScalar(t *rapid.T) sample {
	switch rapid.IntRange(0, 3).Draw(t, "scalar") {
	case 0:
		n := rapid.Int64Range(-20, 20).Draw(t, "int")
		return fixed(strconv.FormatInt(n, 10), strconv.FormatInt(n, 10))
	case 1:
		name := identifiers.Draw(t, "model")
		return fixed("'"+name, name)
	case 2:
		s := rapid.StringMatching(`[a-z "\\\n\t,:{}|>-]{0,6}`).Draw(t, "string")
		escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
		return fixed(strconv.Quote(s), `"`+escape.Replace(s)+`"`)
	}
	if rapid.Bool().Draw(t, "bool") {
		return fixed("T", "TRUE")
	}
	return fixed("F", "FALSE")
}

func draw(t *rapid.T, depth int) sample {
	if depth == 0 {
		return drawScalar(t)
	}
	switch rapid.IntRange(0, 4).Draw(t, "form") {
	case 0:
		return drawSet(t, depth)
	case 1:
		return drawSequence(t, depth)
	case 2:
		names := rapid.SliceOfNDistinct(identifiers, 1, 5, rapid.ID).Draw(t, "fields")
		keys := make(map[string]string)
		for _, name := range names {
			keys[strconv.Quote(name)] = name
		}
		return drawPairs(t, depth, keys, "[", " |-> ", ", ", "]")
	case 3:
		keys := make(map[string]string)
		for range rapid.IntRange(1, 4).Draw(t, "keys") {
			key := draw(t, depth-1)
			keys[key.canonical] = key.print(t)
		}
		return drawPairs(t, depth, keys, "(", " :> ", " @@ ", ")")
	}
	return drawScalar(t)
}

func drawSet(t *rapid.T, depth int) sample {
	elements := make(map[string]sample)
	for range rapid.IntRange(0, 5).Draw(t, "elements") {
		element := draw(t, depth-1)
		elements[element.canonical] = element
	}
	texts := sortedKeys(elements)
	return sample{"{" + strings.Join(texts, ",") + "}", func(t *rapid.T) string {
		var printed []string
		for _, text := range rapid.Permutation(texts).Draw(t, "order") {
			printed = append(printed, elements[text].print(t))
		}
		return "{" + strings.Join(printed, ", ") + "}"
	}}
}

func drawSequence(t *rapid.T, depth int) sample {
	values := make(map[string]sample)
	var inOrder []sample
	for i := range rapid.IntRange(0, 12).Draw(t, "length") {
		v := draw(t, depth-1)
		inOrder = append(inOrder, v)
		values[strconv.Itoa(i+1)] = v
	}
	return sample{canonicalPairs(values), func(t *rapid.T) string {
		var printed []string
		for _, v := range inOrder {
			printed = append(printed, v.print(t))
		}
		return "<<" + strings.Join(printed, ", ") + ">>"
	}}
}

// drawPairs draws the results of a function; keys maps the canonical text of
// each key to the printed one.
func drawPairs(t *rapid.T, depth int, keys map[string]string, open, to, next, end string) sample {
	values := make(map[string]sample)
	texts := sortedKeys(keys)
	for _, key := range texts {
		values[key] = draw(t, depth-1)
	}
	return sample{canonicalPairs(values), func(t *rapid.T) string {
		var printed []string
		for _, key := range rapid.Permutation(texts).Draw(t, "order") {
			printed = append(printed, keys[key]+to+values[key].print(t))
		}
		return open + strings.Join(printed, next) + end
	}}
}

func canonicalPairs(values map[string]sample) string {
	var pairs []string
	for _, key := range sortedKeys(values) {
		pairs = append(pairs, key+":"+values[key].canonical)
	}
	return "[" + strings.Join(pairs, ",") + "]"
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// However a value is printed, its canonical text is the one of the plain rule.
func TestCanonicalTextDependsOnTheValueOnly(t *testing.T) {
	t.Parallel()
	var p tlaval.Parser
	rapid.Check(t, func(t *rapid.T) {
		want := draw(t, rapid.IntRange(0, 3).Draw(t, "depth"))
		for range 2 {
			printed := want.print(t)
			v, err := p.Parse([]byte(printed))
			require.NoError(t, err, printed)
			require.Equal(t, want.canonical, v.String(), printed)
		}
	})
}

// What the parser takes it takes whole, and what it refuses it refuses with an
// offset inside the text; it never panics.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "1", "-1..3", "{}", "<<>>", "<< >>", `{<<1, "a">>, [a |-> {m1}, b |-> TRUE]}`,
		`(0 :> "a\n" @@ -1 :> << >>)`, "/\\ n = 0\n/\\ s = {1}", "n = 0", `"\`, "[a |->", "(1 :> 2 @@",
		"{1..3, 2..2}", "9223372036854775808", "((((((", "1a", "\x00", "{1}\x00", "\"\xff\x00\"",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		check := func(v tlaval.Value, err error, again tlaval.Value, againErr error) {
			if err == nil {
				require.NoError(t, againErr)
				require.NotZero(t, v.Kind())
				require.True(t, v.Equal(again))
				return
			}
			var syntax *tlaval.SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.LessOrEqual(t, syntax.Offset, len(text))
			require.GreaterOrEqual(t, syntax.Offset, 0)
			require.EqualError(t, againErr, err.Error())
			require.Zero(t, v.Kind())
		}
		var p tlaval.Parser
		v, err := tlaval.Parse(text)
		again, againErr := p.Parse(text)
		check(v, err, again, againErr)
		v, err = tlaval.ParseState(text)
		again, againErr = p.ParseState(text)
		check(v, err, again, againErr)
	})
}

// stateText is a state about as large as those of the replication spec.
func stateText() []byte {
	var b strings.Builder
	for variable := range 12 {
		fmt.Fprintf(&b, "/\\ variable_%d = (0 :> %d @@ 1 :> 2 @@ 2 :> 0)\n", variable, variable%3)
	}
	b.WriteString(`/\ log = (0 :> <<[op |-> 1, view |-> 0, request |-> 1]>> @@ 1 :> <<>>)` + "\n")
	b.WriteString(`/\ messages = { [type |-> "prepare", view |-> 0, op |-> 1, body |-> <<1, 0, 1>>],`)
	b.WriteString("\n" + `  [type |-> "start_view", view |-> 2, log |-> <<>>, commit_max |-> 0] }`)
	return []byte(b.String())
}

func BenchmarkStateToCanonicalText(b *testing.B) {
	text := stateText()
	var p tlaval.Parser
	var canonical []byte
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		state, err := p.ParseState(text)
		require.NoError(b, err)
		canonical = state.AppendCanonical(canonical[:0])
	}
	require.NotEmpty(b, canonical)
}
