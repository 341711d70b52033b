package check

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/viewstamp/viewstamp/spec"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	clean := spec.Cfg{Name: "c", Expect: []string{spec.Clean}, Distinct: 10, Depth: 4}
	mutant := spec.Cfg{
		Name: "m", Expect: []string{"Agreement", "AckedDurable"}, Counterexample: 7, Mutant: "torn",
	}
	whole := found{distinct: 10, depth: 4, complete: true}
	broken := func(property string, states int) found {
		return found{counterexample: &Counterexample{Property: property, States: states, Reason: "r0"}}
	}
	for name, tc := range map[string]struct {
		cfg    spec.Cfg
		found  found
		p      precision
		want   Status
		reason string
	}{
		"a clean cfg with the manifest's figures passes": {clean, whole, exact, Passed, ""},
		"another number of states fails": {
			clean,
			found{distinct: 11, depth: 4, complete: true},
			exact, Failed,
			"11 distinct states, the manifest says 10",
		},
		"... also with several workers": {
			clean,
			found{distinct: 9, depth: 4, complete: true},
			loose, Failed,
			"9 distinct states, the manifest says 10",
		},
		"another depth fails": {
			clean,
			found{distinct: 10, depth: 5, complete: true},
			exact, Failed,
			"depth 5, the manifest says 4",
		},
		"... but not with several workers": {
			clean, found{distinct: 10, depth: 5, complete: true}, loose, Passed, "",
		},
		"a search that ended early is undecided, whatever it counted": {
			clean,
			found{distinct: 10, depth: 4},
			exact, Undecided,
			"ended after 10 states of depth 4, before all were visited",
		},
		"a violation in a clean cfg fails": {
			clean, broken("Agreement", 7), exact, Failed,
			"Agreement is violated in 7 states (r0), expected no violation",
		},
		"a mutant that breaks an accepted property passes": {
			mutant, broken("AckedDurable", 7), exact, Passed, "",
		},
		"a mutant that breaks another one fails": {
			mutant, broken("NoStall", 7), exact, Failed,
			"NoStall is violated in 7 states (r0), expected a violation of Agreement or AckedDurable",
		},
		"a shorter counterexample fails": {
			mutant, broken("Agreement", 6), loose, Failed,
			"Agreement is violated in 6 states (r0), the manifest says 7",
		},
		"a longer one fails": {
			mutant, broken("Agreement", 8), exact, Failed,
			"Agreement is violated in 8 states (r0), the manifest says 7",
		},
		"a longer one passes with several workers": {mutant, broken("Agreement", 8), loose, Passed, ""},
		"a mutant that nothing catches fails": {
			mutant, whole, exact, Failed,
			"mutant torn is not caught: 10 states and no violation, expected one of Agreement, AckedDurable",
		},
		"a mutant that was not found in time is undecided": {
			mutant,
			found{distinct: 3, depth: 2},
			exact, Undecided,
			"ended after 3 states of depth 2, before all were visited",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, reason := judge(tc.cfg, tc.found, tc.p)
			assert.Equal(t, tc.want, status)
			assert.Equal(t, tc.reason, reason)
		})
	}
}

func TestJudgeSilence(t *testing.T) {
	t.Parallel()
	goals := map[string]bool{"a new primary starves": false, "take Recover": false, "fills": true}
	status, reason := judgeSilence(found{goals: goals}, "")
	assert.Equal(t, Failed, status, "a search that missed a goal proves nothing about it")
	assert.Equal(t, "never reached: a new primary starves; take Recover", reason)

	status, reason = judgeSilence(found{goals: map[string]bool{"fills": true}}, "")
	assert.Equal(t, Passed, status)
	assert.Empty(t, reason)

	status, reason = judgeSilence(found{}, "nothing is ever owed")
	assert.Equal(t, Failed, status, "a property that nothing puts to the test proves nothing")
	assert.Equal(t, "nothing is ever owed", reason)
}

func TestCoverageNamesWhatWasNeverReached(t *testing.T) {
	t.Parallel()
	names := []string{"Restart", "Recover"}
	first := Outcome{
		names: names, actions: map[string]int{"Restart": 3}, goals: map[string]bool{"starves": true},
	}
	second := Outcome{
		names: names, actions: map[string]int{"Recover": 1}, goals: map[string]bool{"starves": false},
	}
	mutant := second
	mutant.Counterexample = &Counterexample{}
	mutant.goals = map[string]bool{"votes": true}

	assert.Equal(t, Passed, Coverage([]Outcome{first, second}).Status)

	alone := Coverage([]Outcome{first})
	assert.Equal(t, Failed, alone.Status)
	assert.Equal(t, "never reached: action Recover", alone.Reason)

	withMutant := Coverage([]Outcome{first, mutant})
	assert.Equal(t, "never reached: goal votes", withMutant.Reason,
		"an action counts from a mutant, a goal does not")

	assert.Equal(t, Failed, Coverage(nil).Status)
	assert.Equal(t, Failed, Coverage([]Outcome{{Name: "golden/ci-110"}}).Status)
}

func TestGraphDifferenceSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	a := spec.GoldenGraph{States: 5, Edges: 7, PerAction: map[string]int{"A": 4, "B": 3}}
	b := spec.GoldenGraph{States: 5, Edges: 8, PerAction: map[string]int{"A": 4, "C": 4}}
	assert.Equal(t, "edges: Go 7, TLC 8; B: Go 3, TLC 0; C: Go 0, TLC 4",
		graphDifference(a, b, "TLC"))
	assert.Equal(t, "all counts are equal, the digests are not", graphDifference(a, a, "TLC"))
}
