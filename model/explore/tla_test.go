package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCanonicalTextBecomesTLA(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`["n":4]`:                      "4",
		`["n":-3]`:                     "-3",
		`["n":T]`:                      "TRUE",
		`["n":'m1]`:                    "m1",
		`["n":{1,{F}}]`:                "{1, {FALSE}}",
		`["n":{}]`:                     "{}",
		`["n":[]]`:                     "<<>>",
		`["n":[1:"a",2:"b"]]`:          `<<"a", "b">>`,
		`["n":["o":1,"v":0]]`:          "[o |-> 1, v |-> 0]",
		`["n":[0:"x",1:"y"]]`:          `(0 :> "x" @@ 1 :> "y")`,
		`["n":["a b":1]]`:              `("a b" :> 1)`,
		`["n":"x\"],y"]`:               `"x\"],y"`,
		`["n":[1:1,10:10,2:2,3:3]]`:    "(1 :> 1 @@ 10 :> 10 @@ 2 :> 2 @@ 3 :> 3)",
		sequenceOf(12):                 "<<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>>",
		`["n":[[1:1,2:2]:{},[1:3]:4]]`: "(<<1, 2>> :> {} @@ <<3>> :> 4)",
	} {
		state, err := stateInTLA([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, []binding{{"n", want}}, state, text)
	}
}

// sequenceOf is the canonical text of 1..n: its keys stand in the order of their texts.
func sequenceOf(n int) string {
	text := `["n":[1:1`
	for i := 10; i <= n; i++ {
		text += fmt.Sprintf(",%d:%d", i, i)
	}
	for i := 2; i < 10; i++ {
		text += fmt.Sprintf(",%d:%d", i, i)
	}
	return text + "]]"
}

func TestTextThatIsNotCanonicalIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":              "byte 0: expected [",
		"4":             "byte 0: expected [",
		"[]":            "no variable",
		`["n":]`:        "byte 5: expected a value",
		`["n":1`:        "byte 6: expected a comma or the end of the function",
		`["n":1]x`:      "byte 7: expected the end of the text",
		`["n":{1 2}]`:   "", // A number ends at a comma, a colon or a bracket.
		`["n":{1`:       "byte 7: expected a comma or the end of the set",
		`["n" 1]`:       "byte 4: expected a colon",
		`[4:1]`:         "expected a variable in quotes",
		`["n":"x]`:      "byte 5: expected a text in quotes",
		`["n":["a":1 2`: "expected a comma or the end of the function",
	} {
		_, err := stateInTLA([]byte(text))
		if want != "" {
			require.ErrorContains(t, err, want, text)
		}
	}
	m := jugs()
	m.Canonical = nil
	err := WriteTLA(&strings.Builder{}, "M", m, nil)
	require.ErrorContains(t, err, "Canonical is nil")
	m.Canonical = func([]byte, jugsState) []byte { return []byte("4") }
	err = WriteTLA(&strings.Builder{}, "M", m, []Step[jugsState, label]{{}})
	require.ErrorContains(t, err, "state 1: canonical text, byte 0")
	require.ErrorContains(t, WriteTLA(brokenPipe{}, "M", jugs(), nil), "broken pipe")
}

func TestADiagramShowsArrowsAndNotes(t *testing.T) {
	t.Parallel()
	path := []Step[jugsState, label]{{}, {Action: label{name: "Go"}}, {Action: label{name: "Go"}}}
	arrows := [][]Arrow{
		{{From: "a", To: "b", Text: "x; <y>\n#"}, {From: "b", Text: "note"}},
		{{Text: "all"}, {To: "b", Text: "arrives"}, {From: "b", To: "b", Text: "own"}},
	}
	at := -1
	var text strings.Builder
	draw := func(jugsState, Step[jugsState, label]) []Arrow { at++; return arrows[at] }
	require.NoError(t, WriteMermaid(&text, []string{"a", "b"}, path, draw))
	assert.Equal(t, `sequenceDiagram
  participant p0 as a
  participant p1 as b
  p0->>p1: 2. x#59; #lt;y#gt; #35;
  Note over p1: 2. note
  Note over p0,p1: 3. all
  Note over p1: 3. arrives
  Note over p1: 3. own
`, text.String())
	text.Reset()
	require.NoError(t, WriteMermaid(&text, []string{"only"}, path[:2], nil))
	assert.Contains(t, text.String(), "  Note over p0: 2. Go\n")
	at = -1
	err := WriteMermaid(&text, []string{"a"}, path, draw)
	require.ErrorContains(t, err, `participant "b" is not listed`)
	require.ErrorContains(t, WriteMermaid(&text, nil, path, nil), "no participant")
	require.ErrorContains(t, WriteMermaid(brokenPipe{}, []string{"a"}, path[:1], nil), "broken pipe")
}
