package tlc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
)

const (
	dumpHead = "strict digraph DiskGraph {\nnodesep=0.35;\n" +
		"subgraph cluster_graph {\ncolor=\"white\";\n"
	dumpTail = "{rank = same; 1;}\n{rank = same; -2;3;}\n}\n}"
)

var dumpLabels = map[string]string{"Up_1": "Up(1)", "Down_": "Down"}

func parseDump(body string) (*dump, error) {
	return readDump(strings.NewReader(dumpHead+body+dumpTail), dumpLabels, false)
}

func edgeLine(from, to int, action string) string {
	return fmt.Sprintf("%d -> %d [label=%q,color=\"black\",fontcolor=\"black\"];\n", from, to, action)
}

func TestReadDump(t *testing.T) {
	t.Parallel()
	d, err := parseDump(`1 [label="/\\ n = 0\n/\\ s = \"a\\\"b\\nc\"",style = filled]` + "\n" +
		edgeLine(1, -2, "Up_1") +
		`-2 [label="/\\ n = 1\n/\\ s = {2, 1}"];` + "\n" +
		edgeLine(1, -2, "Up_1") + edgeLine(1, 1, "Down_") +
		`3 [label="/\\ n = 5\n/\\ s = \"style = filled]\"",style = filled]` + "\n" +
		edgeLine(-2, 4, "Down_") + edgeLine(4, 3, "Up_1") +
		`4 [label="/\\ n = 6\n/\\ s = \",style = filled]\""];` + "\n")
	require.NoError(t, err)

	want := explore.NewGraph()
	one := want.AddState([]byte(`["n":0,"s":"a\"b\nc"]`), true)
	two := want.AddState([]byte(`["n":1,"s":{1,2}]`), false)
	three := want.AddState([]byte(`["n":5,"s":"style = filled]"]`), true)
	four := want.AddState([]byte(`["n":6,"s":",style = filled]"]`), false)
	want.AddEdge(one, two, "Up(1)")
	want.AddEdge(one, one, "Down")
	want.AddEdge(two, four, "Down")
	want.AddEdge(four, three, "Up(1)")
	assert.Nil(t, explore.Compare(want, d.graph))
	assert.Equal(t, want.Digest(), d.graph.Digest())
	require.NoError(t, d.graph.Validate())

	assert.Equal(t, 5, d.edges, "an edge counts as often as it was written")
	require.NoError(t, d.matches(&Outcome{Distinct: 4, Generated: 7, initialGenerated: 2}))
}

func TestDumpsThatAreRefused(t *testing.T) {
	t.Parallel()
	const state = `1 [label="n = 0",style = filled]` + "\n"
	for name, tc := range map[string]struct{ body, want string }{
		"an edge to an unknown state": {
			state + edgeLine(1, 7, "Up_1"),
			"dump line 6: Up(1) joins states 1 and 7: the dump has no state 7",
		},
		"an edge from an unknown state": {
			state + edgeLine(8, 1, "Up_1"),
			"dump line 6: Up(1) joins states 8 and 1: the dump has no state 8",
		},
		"an action that the wrapper does not have": {
			state + edgeLine(1, 1, "Up"),
			`dump line 6: action "Up": expected one of the wrapper's`,
		},
		"a state twice": {
			state + state, "dump line 6: state 1: a second time, expected each state once",
		},
		"two states with one text": {
			state + `2 [label="/\\ n = 0"];` + "\n",
			`dump line 6: state 2: same canonical text as state 1: ["n":0]`,
		},
		"a value that cannot be read": {
			`1 [label="n = }"]` + "\n",
			`dump line 5: state 1: offset 4: expected a value, found "}"`,
		},
		"a fingerprint that is no number": {
			"1x [label=\"n = 0\"]\n", `dump line 5: expected a fingerprint, found "1x"`,
		},
		"an edge to something that is no number": {
			"1 -> x [label=\"Up_1\"];\n", `dump line 5: expected a fingerprint, found "x"`,
		},
		"a fingerprint alone": {
			"1\n", `dump line 5: expected a label, found ""`,
		},
		"a line without a label": {
			"1 [style = filled]\n", `dump line 5: expected a label, found "[style = filled]"`,
		},
		"a label that breaks off": {
			`1 [label="n = 0` + "\n", "dump line 5: the label breaks off, expected a closing quote",
		},
		"a label that breaks off in an escape": {
			`1 [label="n = 0\` + "\n", "dump line 5: the label breaks off, expected a closing quote",
		},
		"an unknown escape": {
			`1 [label="n = 0\l"];` + "\n", `dump line 5: expected one of \n \" \\ in a label, found \l`,
		},
		"a line that breaks off behind the label": {
			`1 [label="n = 0",style = fil` + "\n",
			"dump line 5: expected the line to end with a bracket",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parseDump(tc.body)
			require.EqualError(t, err, tc.want)
		})
	}
}

func TestDumpThatBreaksOff(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"is empty":                "",
		"ends behind a state":     dumpHead + `1 [label="n = 0",style = filled]` + "\n",
		"ends inside the drawing": dumpHead + "{rank = same; 1;}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := readDump(strings.NewReader(text), dumpLabels, false)
			require.ErrorContains(t, err, "the dump breaks off, expected a closing brace")
		})
	}
}

func TestDumpMustHaveWhatTLCCounted(t *testing.T) {
	t.Parallel()
	d, err := parseDump(`1 [label="n = 0",style = filled]` + "\n" + edgeLine(1, 1, "Up_1"))
	require.NoError(t, err)
	require.NoError(t, d.matches(&Outcome{Distinct: 1, Generated: 2, initialGenerated: 1}))
	require.EqualError(t, d.matches(&Outcome{Distinct: 2, Generated: 2, initialGenerated: 1}),
		"the dump has 1 states, expected 2 as TLC counted")
	require.EqualError(t, d.matches(&Outcome{Distinct: 1, Generated: 3, initialGenerated: 1}),
		"the dump has 1 edges, expected 2 as TLC counted")

	none, err := parseDump(`1 [label="n = 0"];` + "\n")
	require.NoError(t, err)
	require.EqualError(t, none.matches(&Outcome{Distinct: 1}), "the dump has no initial state")
}

func TestDumpKeepsTexts(t *testing.T) {
	t.Parallel()
	text := dumpHead + `1 [label="n = 0",style = filled]` + "\n" + dumpTail
	d, err := readDump(strings.NewReader(text), dumpLabels, true)
	require.NoError(t, err)
	difference := explore.Compare(d.graph, explore.NewGraph())
	require.NotNil(t, difference)
	assert.Equal(t, `["n":0]`, difference.A.State.Text)
}

func BenchmarkReadDump(b *testing.B) {
	var body strings.Builder
	for n := range 20_000 {
		style := "];"
		if n == 0 {
			style = ",style = filled]"
		}
		fmt.Fprintf(&body, `%d [label="/\\ n = %d\n`+
			`/\\ log = (0 :> <<[op |-> 1, view |-> 0]>> @@ 1 :> <<>>)\n`+
			`/\\ messages = {[type |-> \"prepare\", op |-> %d], [type |-> \"commit\", op |-> 2]}"%s`+"\n",
			n, n, n%10, style)
		for to := range 4 {
			body.WriteString(edgeLine(n, (n*3+to)%20_000, "Up_1"))
		}
	}
	text := dumpHead + body.String() + dumpTail
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		d, err := readDump(strings.NewReader(text), dumpLabels, false)
		require.NoError(b, err)
		require.Len(b, d.states, 20_000)
	}
}
