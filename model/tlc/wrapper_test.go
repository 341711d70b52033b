package tlc

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWrapper(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `---- MODULE Graph ----
\* Generated: one operator for each action of VSR with its arguments.
EXTENDS VSR

Restart_0 == TRUE /\ (Restart(0))
ReceiveCommit_1_2 == TRUE /\ (ReceiveCommit(1, 2))

GraphNext ==
    \/ Restart_0
    \/ ReceiveCommit_1_2
GraphSpec == Init /\ [][GraphNext]_vars

\* Whether GraphNext is Next, in both directions.
GraphEitherSpec == Init /\ [][Next \/ GraphNext]_vars
GraphCoversNext == [][GraphNext]_vars
GraphWithinNext == [][Next]_vars
====
`, Wrapper("VSR", []WrappedAction{
		{Operator: "Restart_0", Call: "Restart(0)", Label: "Restart(0)"},
		{Operator: "ReceiveCommit_1_2", Call: "ReceiveCommit(1, 2)", Label: "ReceiveCommit(1,2)"},
	}))
}

func TestWrapRefuses(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"M.tla": []byte("---- MODULE M ----\n====\n")}
	good := []WrappedAction{{Operator: "A_1", Call: "A(1)", Label: "A(1)"}}
	with := func(a WrappedAction) []WrappedAction { return []WrappedAction{good[0], a} }
	for name, tc := range map[string]struct {
		job     Job
		actions []WrappedAction
		want    string
	}{
		"no action": {
			Job{Files: files, Module: "M"}, nil, "wrapper without actions: expected at least one",
		},
		"an operator with a parenthesis": {
			Job{Files: files, Module: "M"},
			with(WrappedAction{"A(2)", "A(2)", "A(2)"}),
			`action 1 (A(2)): operator "A(2)", expected a TLA+ identifier`,
		},
		"an operator twice": {
			Job{Files: files, Module: "M"},
			with(WrappedAction{"A_1", "A(2)", "A(2)"}),
			"action 1 (A(2)): operator A_1 twice, expected another name",
		},
		"an action without a label": {
			Job{Files: files, Module: "M"},
			with(WrappedAction{"A_2", "A(2)", ""}),
			`action 1 (A_2): label "", expected one line`,
		},
		"an action without a call": {
			Job{Files: files, Module: "M"},
			with(WrappedAction{"A_2", " ", "A(2)"}),
			"action 1 (A_2): no call, expected the action in TLA+",
		},
		"a configuration with a specification": {
			Job{Files: files, Module: "M", Config: "CONSTANT N = 1\nSPECIFICATION Spec"},
			good,
			"configuration line 2 has SPECIFICATION: expected CONSTANTS only",
		},
		// A symmetry set or a constraint would make TLC's graph another one.
		"a configuration with a constraint": {
			Job{Files: files, Module: "M", Config: "CONSTRAINT Small"},
			good,
			"configuration line 1 has CONSTRAINT: expected CONSTANTS only",
		},
		"a module without a file": {
			Job{Files: files, Module: "Other"},
			good,
			`module Other: expected Other.tla among the files ["M.tla"]`,
		},
		"a module with the wrapper's name": {
			Job{Files: map[string][]byte{"M.tla": nil, "Graph.tla": nil}, Module: "M"},
			good,
			"file Graph.tla: the name is the wrapper's, expected another",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tc.job.wrap(tc.actions, "SPECIFICATION GraphSpec")
			require.EqualError(t, err, tc.want)
		})
	}
}

func TestWrapLeavesTheCallersJobAlone(t *testing.T) {
	t.Parallel()
	job := Job{Files: map[string][]byte{"M.tla": nil}, Module: "M", Config: "CONSTANT N = 1"}
	wrapped, err := job.wrap([]WrappedAction{{"A_1", "A(1)", "A(1)"}}, "SPECIFICATION GraphSpec")
	require.NoError(t, err)
	assert.Len(t, job.Files, 1)
	assert.Equal(t, "Graph", wrapped.Module)
	assert.Len(t, wrapped.Files, 2)
	assert.Equal(t, "CONSTANT N = 1\nSPECIFICATION GraphSpec\nCHECK_DEADLOCK FALSE\n", wrapped.Config)
}

func TestJobsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"M.tla": nil}
	for name, tc := range map[string]struct {
		job  Job
		want string
	}{
		"a module that is a path": {
			Job{Files: files, Module: "../M"}, `module "../M": expected a TLA+ identifier`,
		},
		"a module that is a number": {
			Job{Files: files, Module: "12"}, `module "12": expected a TLA+ identifier`,
		},
		"a file that is a path": {
			Job{Files: map[string][]byte{"M.tla": nil, "a/B.tla": nil}, Module: "M"},
			`file "a/B.tla": expected the name of a module, like VSR.tla`,
		},
		"a file that is no module": {
			Job{Files: map[string][]byte{"M.tla": nil, "M.cfg": nil}, Module: "M"},
			`file "M.cfg": expected the name of a module, like VSR.tla`,
		},
		"a negative number of workers": {
			Job{Files: files, Module: "M", Workers: -1}, "module M: expected at least one worker, not -1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.EqualError(t, tc.job.validate(), tc.want)
		})
	}
}

func TestRelabelRefusesAnUnknownAction(t *testing.T) {
	t.Parallel()
	o := &Outcome{Status: Violated, Trace: []TraceStep{{}, {Action: "A_1"}, {Action: "Next"}}}
	err := o.relabel(map[string]string{"A_1": "A(1)"})
	require.EqualError(t, err,
		`read TLC's trace: step 3 has action "Next", expected one of the wrapper's`)
	assert.Equal(t, Failed, o.Status)
}
