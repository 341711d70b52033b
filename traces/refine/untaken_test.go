package refine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each reason names branches that there are, and is read: none stands behind one that holds
// always, but in lists of whole kinds of branches.
func TestExcusesNameBranches(t *testing.T) {
	t.Parallel()
	all, always := branches(), map[string]bool{}
	for _, e := range excuses() {
		require.NotEmpty(t, e.why)
		for _, branch := range e.branches {
			require.Contains(t, all, branch)
			if len(e.branches) < 8 {
				require.False(t, always[branch], "%s has a reason already", branch)
			}
			always[branch] = always[branch] || e.holds == nil
		}
	}
}

// What a search should take has no reason to be left out, and is told by name.
func TestABranchWithoutAReasonIsTold(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, branch := range branches() {
		covered[branch] = branch != "Admit fill" && branch != "Refuse wiped"
	}
	b := Bounds{Replicas: 3, Requests: 1, Views: 1}
	require.Equal(t, []Untaken{
		{Branch: "Refuse wiped", Why: "no disk is lost"}, {Branch: "Admit fill"},
	}, untaken(b, covered))
	require.Equal(t, "Admit fill (nobody knows why)", untaken(b, covered)[1].String())
	b.Replicas = 1
	require.Equal(t, "Admit fill (it takes another replica)", untaken(b, covered)[1].String())
}
