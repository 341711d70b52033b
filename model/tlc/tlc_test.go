package tlc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
)

// locateMax bounds the search for the tools, with a fetch of the jar.
const locateMax = 3 * time.Minute

var locateOnce = sync.OnceValues(func() (*Tools, error) {
	ctx, cancel := context.WithTimeout(context.Background(), locateMax)
	defer cancel()
	return Locate(ctx)
})

// realTools returns the real tools, working in a folder that must be empty again at
// the end of the test. It skips the test where TLC is not available.
func realTools(t *testing.T) *Tools {
	t.Helper()
	found, err := locateOnce()
	if unavailable := (*Unavailable)(nil); errors.As(err, &unavailable) && !Required() {
		t.Skip(unavailable)
	}
	require.NoError(t, err)
	tools := *found
	tools.scratch = t.TempDir()
	t.Cleanup(func() {
		left, err := os.ReadDir(tools.scratch)
		require.NoError(t, err)
		require.Empty(t, left, "a run must leave no file behind")
	})
	return &tools
}

// job is a job for a module of testdata.
func job(t *testing.T, module, config string) Job {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", module+".tla"))
	require.NoError(t, err)
	return Job{Files: map[string][]byte{module + ".tla": text}, Module: module, Config: config}
}

// The canonical texts of Values!Shown, in its order.
var valuesShown = []string{
	`0`, `-4`, `T`, `F`, `'m1`, `""`, `"vc"`, `"q\"uo\\te"`, `"a\nb\tc"`, `"a -> b ]; /\\ x = 3"`,
	`{}`, `{1,2,3}`, `{"a","b"}`, `{{1,2},{}}`, `{1,2,3}`, `{-1,-2,0,1}`, `{}`,
	`{10,9}`, `{'m1,{'m1}}`, `[]`, `[1:"a",2:[1:1]]`,
	`[1:1,10:10,2:2,3:3,4:4,5:5,6:6,7:7,8:8,9:9]`, `[]`, `[0:{0},1:{1},2:{2}]`,
	`["o":1,"v":0]`, `["r":["r":[]]]`, `["a":"a",'m1:'m1]`, `["1":"1","a b":"a b"]`,
	`[{1,2}:T,{}:T]`, `{["a":-1],["b":{}]}`, `{{1,2},{1},{2},{}}`,
	`{[1:0,2:0],[1:0,2:1],[1:1,2:0],[1:1,2:1]}`, `{["a":1],["a":2]}`, `{[1:1,2:3],[1:2,2:3]}`,
	`["name":"a string long enough to be broken over lines",` +
		`"other":{"and one more of the same length","another string that is long enough"}]`,
}

const valuesConfig = "CONSTANTS m1 = m1\n Wide <- WideValue"

var valuesActions = []WrappedAction{
	{Operator: "Walk_1", Call: "Walk(1)", Label: "Walk(1)"},
	{Operator: "Walk_2", Call: "Walk(2)", Label: "Walk(2)"},
	{Operator: "Stay_", Call: "Stay", Label: "Stay"},
}

// valuesGraph is the graph of Values, built by hand.
func valuesGraph() *explore.Graph {
	g := explore.NewGraph()
	ids := make([]explore.StateID, len(valuesShown))
	for n, x := range valuesShown {
		ids[n] = g.AddState([]byte(`["i":`+strconv.Itoa(n+1)+`,"x":`+x+`]`), n < 2)
	}
	for n := range ids {
		for k := 1; k <= 2 && n+k < len(ids); k++ {
			g.AddEdge(ids[n], ids[n+k], "Walk("+strconv.Itoa(k)+")")
		}
	}
	g.AddEdge(ids[0], ids[0], "Stay")
	return g
}

func TestGraphIsTLCsGraph(t *testing.T) {
	t.Parallel()
	tools := realTools(t)
	j := job(t, "Values", valuesConfig)
	j.Workers, j.KeepText = 2, true
	graph, outcome, err := tools.Graph(t.Context(), j, valuesActions)
	require.NoError(t, err)
	want := valuesGraph()
	assert.Nil(t, explore.Compare(want, graph))
	assert.Equal(t, want.Digest(), graph.Digest())
	assert.Equal(t, Clean, outcome.Status)
	assert.Equal(t, len(valuesShown), outcome.Distinct)

	// The comparison is not vacuous: one edge more, and the graphs differ.
	first := graph.AddState([]byte(`["i":1,"x":0]`), true)
	graph.AddEdge(first, first, "Walk(1)")
	assert.NotNil(t, explore.Compare(want, graph))
}

func TestCheckLabelledNamesArguments(t *testing.T) {
	t.Parallel()
	tools := realTools(t)
	outcome, err := tools.CheckLabelled(
		t.Context(), job(t, "Values", valuesConfig), valuesActions, []string{"Short"})
	require.NoError(t, err)
	assert.Equal(t, Violated, outcome.Status)
	assert.Equal(t, "Short", outcome.Property)
	require.Len(t, outcome.Trace, 3, "a shortest counterexample has 3 states")
	assert.Empty(t, outcome.Trace[0].Action)
	at, ok := outcome.Trace[0].State.Field("i")
	require.True(t, ok)
	n, _ := at.Int()
	for _, step := range outcome.Trace[1:] {
		before := n
		at, ok := step.State.Field("i")
		require.True(t, ok)
		n, _ = at.Int()
		assert.Equal(t, "Walk("+strconv.FormatInt(n-before, 10)+")", step.Action)
	}
	assert.GreaterOrEqual(t, n, int64(5), "the last state breaks the invariant")
}

func TestCheckWrapper(t *testing.T) {
	t.Parallel()
	walk3 := WrappedAction{Operator: "Walk_3", Call: "Walk(3)", Label: "Walk(3)"}
	for name, tc := range map[string]struct {
		actions []WrappedAction
		want    string
	}{
		"the actions are Next": {actions: valuesActions},
		"an action is missing": {
			actions: []WrappedAction{valuesActions[0], valuesActions[2]},
			want:    "Next has a step that no action of the wrapper has: Walk",
		},
		"an action is too many": {
			actions: append([]WrappedAction{walk3}, valuesActions...),
			want:    "an action of the wrapper has a step that is none of Next: Walk_3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := realTools(t).CheckWrapper(t.Context(), job(t, "Values", valuesConfig), tc.actions)
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "check wrapper of module Values: "+tc.want)
		})
	}
}

// The recorded outputs of verdict_test.go are what TLC still says.
func TestCheckAgreesWithTheRecordedOutputs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config string
		status int
	}{
		"clean":      {"SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n", 0},
		"invariant":  {"SPECIFICATION Spec\nINVARIANT Small\n", 12},
		"stuttering": {"SPECIFICATION FairSpec\nPROPERTY Reached Stays\nCHECK_DEADLOCK FALSE\n", 13},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := job(t, "Counter", tc.config)
			j.Coverage = name == "clean"
			outcome, err := realTools(t).Check(t.Context(), j)
			require.NoError(t, err)

			recorded, _ := hear(t, name, tc.status, tc.config)
			want := recorded.outcome
			assert.Equal(t, want.Status, outcome.Status)
			assert.Equal(t, want.Property, outcome.Property)
			assert.Equal(t, want.Distinct, outcome.Distinct)
			assert.Equal(t, want.Generated, outcome.Generated)
			assert.Equal(t, want.Depth, outcome.Depth)
			assert.Equal(t, path(want), path(*outcome))
			assert.Equal(t, want.Stuttering, outcome.Stuttering)
			assert.Equal(t, want.Actions, outcome.Actions)
			assert.Positive(t, outcome.CPUSeconds)
			assert.Contains(t, outcome.Output, "states generated")
		})
	}
}

func TestMistakesGetOneLine(t *testing.T) {
	t.Parallel()
	broken := map[string][]byte{
		"Top.tla":    []byte("---- MODULE Top ----\nEXTENDS Broken\n====\n"),
		"Broken.tla": []byte("---- MODULE Broken ----\nVARIABLE n\nInit == n = = 0\n====\n"),
	}
	undefined := map[string][]byte{"Top.tla": []byte("---- MODULE Top ----\nA == B\nC == D\n====\n")}
	whole := map[string][]byte{"Top.tla": []byte("---- MODULE Top ----\nA == 1\n====\n")}

	t.Run("a syntax error, by TLC", func(t *testing.T) {
		t.Parallel()
		outcome, err := realTools(t).Check(
			t.Context(), Job{Files: broken, Module: "Top", Config: "INIT Init"})
		var failed *RunError
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, 150, failed.ExitStatus)
		assert.True(t, strings.HasPrefix(err.Error(), "check module Top: Broken.tla:3: "), err.Error())
		assert.NotContains(t, err.Error(), "\n")
		assert.Equal(t, Failed, outcome.Status)
		assert.Contains(t, outcome.Output, "Parsing file Broken.tla", "without the run's folder")
	})
	t.Run("a syntax error, by SANY", func(t *testing.T) {
		t.Parallel()
		err := realTools(t).SANY(t.Context(), broken, "Top")
		require.ErrorContains(t, err, "check module Top: Broken.tla:3: ")
	})
	// SANY ends with status 0 here.
	t.Run("an undefined name, by SANY", func(t *testing.T) {
		t.Parallel()
		err := realTools(t).SANY(t.Context(), undefined, "Top")
		require.EqualError(t, err,
			"check module Top: Top.tla:2: Unknown operator: `B'. (the first of 2 errors)")
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		require.NoError(t, realTools(t).SANY(t.Context(), whole, "Top"))
	})
	t.Run("a jar that is none", func(t *testing.T) {
		t.Parallel()
		tools := realTools(t)
		tools.Jar = filepath.Join("testdata", "Counter.tla")
		_, err := tools.Check(t.Context(), Job{Files: whole, Module: "Top"})
		require.ErrorContains(t, err, "Could not find or load main class tlc2.TLC")
		require.ErrorContains(t, tools.SANY(t.Context(), whole, "Top"),
			"Could not find or load main class tla2sany.SANY")
	})
}

// A search that never ends is ended by its context, and Java with it: Check waits
// for the process, and realTools checks that its files are gone.
func TestCheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	tools := realTools(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	j := job(t, "Counter", "INIT Init\nNEXT ForEver\n")
	var printed []string
	j.Printed = func(line string) {
		if printed = append(printed, line); len(printed) == 3 {
			cancel()
		}
	}
	_, err := tools.Check(ctx, j)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "check module Counter: context canceled")
	require.Equal(t, []string{"0", "1", "2"}, printed[:3])
}
