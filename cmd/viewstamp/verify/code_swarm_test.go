package verify

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces/mutants"
)

// A rate counts all the seeds that fail, also behind the first; one that no seed sees has none.
func TestARateCountsTheSeedsThatFail(t *testing.T) {
	t.Parallel()
	found := FindCodeMutants()
	p, err := found.Lookup("vsr_sends_before_durable")
	require.NoError(t, err)
	unseen, err := found.Lookup("vsr_reads_unbounded")
	require.NoError(t, err)
	found.Patches = []mutants.Patch{p, unseen}
	section := found.RateSection(func(mutants.Patch) bool { return true }, 3)
	checks := Run(t.Context(), []Section{section}, 1, Observer{})
	require.Equal(t, []string{
		"mutants/rate/vsr_sends_before_durable", "mutants/rate/vsr_reads_unbounded",
	}, names(checks))
	require.Equal(t, Passed, checks[0].Status, checks[0].Reason)
	require.InDelta(t, 3, checks[0].Figures[FigureFailed], 0)
	require.Contains(t, checks[0].Detail, "3 of 3 seeds fail with it, none without")
	require.Equal(t, Failed, checks[1].Status)
}

// Of three mutants seeds find one, find none of another as its patch says, and find the third
// though its patch says that none does.
func TestSeedsFindWhatAPatchDoesNotExcuse(t *testing.T) {
	t.Parallel()
	found := FindCodeMutants()
	p, err := found.Lookup("vsr_sends_before_durable")
	require.NoError(t, err)
	excused, err := found.Lookup("vsr_reads_unbounded")
	require.NoError(t, err)
	wrong, other := p, p
	excused.Name, excused.Unseen = "excused", "so many never wait"
	wrong.Name, wrong.Unseen = "wrong", "it is hard to see"
	other.Name, other.Changes = "other", nil
	found.Patches = []mutants.Patch{p, excused, wrong, other}
	got := map[string]mutants.Outcome{}
	section := found.SwarmSection(func(mutants.Patch) bool { return true }, 3,
		func(name string, _ mutants.Seeds, outcome mutants.Outcome) { got[name] = outcome })
	checks := Run(t.Context(), []Section{section}, 1, Observer{})
	require.Equal(t, []string{
		"mutants/swarm", "mutants/swarm/vsr_sends_before_durable", "mutants/swarm/excused",
		"mutants/swarm/wrong",
	}, names(checks))
	require.Equal(t, Failed, checks[0].Status)
	require.Equal(t, Passed, checks[1].Status, checks[1].Reason)
	require.Equal(t, Skipped, checks[2].Status, checks[2].Reason)
	require.Contains(t, checks[2].Reason, "so many never wait")
	require.Contains(t, checks[3].Reason, "finds it, expected none")
	require.Equal(t, map[string]mutants.Outcome{
		p.Name: mutants.Caught, "excused": mutants.Survived, "wrong": mutants.Caught,
	}, got)
}

// No t.Parallel: the current folder is the process's.
func TestTheHuntIsSkippedOutsideOfTheSource(t *testing.T) {
	t.Chdir(t.TempDir())
	section := FindCodeMutants().SwarmSection(func(mutants.Patch) bool { return true }, 3,
		func(string, mutants.Seeds, mutants.Outcome) {})
	c := do(t, section.Jobs[0])[0]
	require.Equal(t, Skipped, c.Status)
	require.Equal(t, "mutants/swarm", c.Name)
}
