package tlc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hear reads testdata/output/name.txt, which TLC 2.18 once printed about a small
// module (system-dependent parts taken out), with the exit status of that run.
func hear(t *testing.T, name string, exitStatus int, config string) (*verdict, exit) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "output", name+".txt"))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	v := &verdict{config: readConfig(config)}
	readMessages(file, v)
	v.nameTemporal()
	v.outcome.Status = v.status(exitStatus)
	return v, exit{status: exitStatus}
}

// path writes a trace as its actions, with the number that each state has.
func path(o Outcome) (steps []string) {
	for _, step := range o.Trace {
		n, _ := step.State.Field("n")
		steps = append(steps, step.Action+"="+n.String())
	}
	return steps
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		exitStatus int
		config     string
		status     Status
		property   string
		figures    [3]int // Generated, distinct, depth.
		path       []string
		backTo     int
		stuttering bool
	}{
		"clean": {status: Clean, figures: [3]int{4, 4, 4}},
		"invariant": {
			exitStatus: 12, status: Violated, property: "Small",
			figures: [3]int{3, 3, 3}, path: []string{"=0", "Step=1", "Step=2"},
		},
		"invariant_initial": {
			exitStatus: 12, status: Violated, property: "Positive", path: []string{"=0"},
		},
		"action_property": {
			exitStatus: 13, status: Violated, property: "Slow",
			figures: [3]int{3, 3, 3}, path: []string{"=0", "Step=1", "Step=2"},
		},
		"property_initial": {
			exitStatus: 13, status: Violated, property: "Positive", path: []string{"=0"},
		},
		"deadlock": {
			exitStatus: 11, status: Violated, property: Deadlock,
			figures: [3]int{4, 4, 4}, path: []string{"=0", "Step=1", "Step=2", "Step=3"},
		},
		"stuttering": {
			exitStatus: 13, config: "PROPERTY Reached Stays", status: Violated, property: "Reached,Stays",
			figures: [3]int{4, 4, 0}, path: []string{"=0", "Step=1", "Step=2", "Step=3"}, stuttering: true,
		},
		"lasso": {
			exitStatus: 13, config: "PROPERTY Back", status: Violated, property: "Back",
			figures: [3]int{7, 6, 0}, backTo: 4,
			path: []string{"=0", "Step=1", "Step=2", "Step=3", "Loop=1", "Step=2"},
		},
		"printed": {status: Clean, figures: [3]int{4, 4, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, _ := hear(t, name, tc.exitStatus, tc.config)
			o := v.outcome
			require.NoError(t, v.badStep)
			assert.Equal(t, tc.status, o.Status)
			assert.Equal(t, tc.property, o.Property)
			figures := [3]int{o.Generated, o.Distinct, o.Depth}
			assert.Equal(t, tc.figures, figures)
			assert.Equal(t, tc.path, path(o))
			assert.Equal(t, tc.backTo, o.BackTo)
			assert.Equal(t, tc.stuttering, o.Stuttering)
		})
	}
}

// Without a verdict, one line says why, and where.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		exitStatus int
		want       string
	}{
		"parse_error": {150, `P.tla:5: parse error: Was expecting "==== or more Module body" ` +
			`Encountered "1" at line 5, column 20 and token "+"`},
		"parse_error_extended": {150, `P.tla:5: parse error: Was expecting "==== or more Module body" ` +
			`Encountered "1" at line 5, column 20 and token "+"`},
		"semantic_errors": {150, "U.tla:5: Unknown operator: `foo'. (the first of 3 errors)"},
		"missing_module":  {150, "Cannot find source file for module Missing imported in module X."},
		"undefined_invariant": {151, "The invariant Nope specified in the configuration file " +
			"is not defined in the specification."},
		"bad_config": {255, "TLC found an error in the configuration file at line 2 " +
			"It was expecting a keyword, but did not find it."},
		"assumption": {10, "Assumption line 2, col 8 to line 2, col 12 of module A is false."},
		"evaluation": {75, "Counter.tla:18: Attempted to apply the operator overridden by the Java " +
			"method public static tlc2.value.impl.IntValue " +
			"tlc2.module.Integers.Plus(tlc2.value.impl.IntValue," +
			"tlc2.value.impl.IntValue), but it produced the following error: " +
			"Cannot cast tlc2.value.impl.StringValue to tlc2.value.impl.IntValue"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, ended := hear(t, name, tc.exitStatus, "")
			assert.Equal(t, Failed, v.outcome.Status)
			assert.Equal(t, tc.want, v.failure(ended))
		})
	}
}

// The trace up to a failed evaluation is of use, so it is kept.
func TestFailureKeepsTheTrace(t *testing.T) {
	t.Parallel()
	v, _ := hear(t, "evaluation", 75, "")
	assert.Equal(t, []string{"=0", "Wrong=1"}, path(v.outcome))
}

func TestPrintedLinesAreTheModulesOnly(t *testing.T) {
	t.Parallel()
	file, err := os.Open(filepath.Join("testdata", "output", "printed.txt"))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var lines []string
	readMessages(file, &verdict{printed: func(line string) { lines = append(lines, line) }})
	assert.Equal(t, []string{`<<"at", 0>>`, `<<"at", 1>>`, `<<"at", 2>>`}, lines)
}

func TestCoverageOfActions(t *testing.T) {
	t.Parallel()
	v, _ := hear(t, "clean", 0, "")
	assert.Equal(t, []ActionCount{{Action: "Step", Distinct: 3, Generated: 3}}, v.outcome.Actions)

	v.covered("<Step line 6, col 1 to line 6, col 7 of module Counter>: 1,004:2,005")
	assert.Equal(t,
		[]ActionCount{{Action: "Step", Distinct: 1004, Generated: 2005}}, v.outcome.Actions,
		"a later figure replaces an earlier one")
}

// Neither the exit status alone nor the words alone make a verdict.
func TestVerdictNeedsStatusAndWords(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		output     string
		exitStatus int
	}{
		"status 0 after a violation":                    {"invariant", 0},
		"status 0 after a parse error":                  {"parse_error", 0},
		"no error was found, but status 12":             {"clean", 12},
		"no error was found, but killed":                {"clean", -1},
		"no error was found, but status 13":             {"clean", 13},
		"an invariant is violated, but status 75":       {"invariant", 75},
		"an invariant is violated, but status 11":       {"invariant", 11},
		"a false assumption with an invariant's status": {"assumption", 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, ended := hear(t, tc.output, tc.exitStatus, "")
			assert.Equal(t, Failed, v.outcome.Status)
			assert.NotEmpty(t, v.failure(ended))
		})
	}
}

func TestFailureWithoutWords(t *testing.T) {
	t.Parallel()
	v := &verdict{}
	assert.Equal(t, "Java ended with exit status 1: Could not find or load main class",
		v.failure(exit{words: "exit status 1", stderr: "\nCould not find or load main class\nmore"}))
	assert.Equal(t, "TLC ended with signal: killed and gave no reason: Progress(9)",
		v.failure(exit{words: "signal: killed", stdout: "Starting\nProgress(9)\n"}))
}

// A check of no state finds no error, and means nothing.
func TestCleanNeedsAState(t *testing.T) {
	t.Parallel()
	hearNone := func(config string) *verdict {
		v := &verdict{config: readConfig(config)}
		v.onMessage(message{code: codeNoError, text: "Model checking completed."})
		v.onMessage(message{
			code: codeFigures,
			text: "0 states generated, 0 distinct states found, 0 states left on queue.",
		})
		return v
	}
	for _, config := range []string{"SPECIFICATION Spec", "INIT Init NEXT Next"} {
		v := hearNone(config)
		assert.Equal(t, Failed, v.status(0))
		assert.Equal(t, "no state satisfies the initial predicate", v.failure(exit{}))
	}
	assert.Equal(t, Clean, hearNone("CONSTANT N = 3").status(0), "assumptions only")
}

func TestInitialStatesAreCountedAsGenerated(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"1 distinct state generated at 2025.":                  1,
		"1,200 distinct states generated at 2025.":             1200,
		"3 states generated, with 2 of them distinct at 2025.": 3,
	} {
		v := &verdict{}
		v.onMessage(message{code: codeInitialTwice, text: "Finished computing initial states: " + text})
		assert.Equal(t, want, v.outcome.initialGenerated)
	}
}

func TestUnreadableStateOfATrace(t *testing.T) {
	t.Parallel()
	v := &verdict{}
	v.onMessage(message{code: codeState, text: "1: <Initial predicate>\n/\\ n = ?"})
	require.ErrorContains(t, v.badStep, "read state 1 of TLC's trace: offset 7: expected a value")
}

func TestStatusNames(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"clean", "violated", "failed", "no status"},
		[]string{Clean.String(), Violated.String(), Failed.String(), Status(0).String()})
}
