package refine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
)

// What is left to a search is taken there: it is no excuse for what nobody takes.
func TestTheSearchesTakeWhatWalksMiss(t *testing.T) {
	t.Parallel()
	bySearch := map[string][]string{}
	for _, s := range seldomWalked() {
		bySearch[s.search] = append(bySearch[s.search], s.branch)
	}
	for search, branches := range bySearch {
		t.Run(search, func(t *testing.T) {
			t.Parallel()
			cfg, err := Lookup(search)
			require.NoError(t, err)
			require.Zero(t, cfg.Walks)
			require.True(t, cfg.Verify, "a search that each run of everything does")
			r, err := Check(t.Context(), cfg.Bounds, explore.Options{Workers: 1})
			require.NoError(t, err)
			require.Subset(t, r.Covered, branches)
		})
	}
}

// A branch that neither walks nor the searches are known to take has no reason.
func TestWalksExplainNothingElse(t *testing.T) {
	t.Parallel()
	b := Bounds{Replicas: 3, Requests: 12, Views: 8, Crashes: 6}
	covered := map[string]bool{}
	for _, branch := range branches() {
		covered[branch] = branch != "Admit fill" && branch != "Admit is_primary"
	}
	require.Equal(t, []Untaken{
		{Branch: "Admit fill"},
		{Branch: "Admit is_primary", Why: "a walk seldom comes there; the search core-111 does"},
	}, untakenByWalks(b, covered))
}
