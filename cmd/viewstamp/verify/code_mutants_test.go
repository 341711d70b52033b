package verify

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/traces/mutants"
)

func TestAMutantOfTheCodeIsCaughtAndOneThatIsNotFails(t *testing.T) {
	t.Parallel()
	found := FindCodeMutants()
	p, err := found.Lookup("clienttable_skips_numbers")
	require.NoError(t, err)
	survivor := p
	survivor.Name, survivor.Catch.Test = "survivor", "TestConfigSaysWhatIsWrongWithIt"
	found.Patches = []mutants.Patch{p, survivor}
	all := func(mutants.Patch) bool { return true }
	checks := Run(t.Context(), []Section{found.Section(all)}, 2, Observer{})
	require.Equal(t, []string{
		"mutants/code", "mutants/code/clienttable_skips_numbers", "mutants/code/survivor",
	}, names(checks))
	require.Equal(t, Failed, checks[0].Status)
	require.Contains(t, checks[0].Reason, "1 of 2 mutants caught")
	require.Equal(t, Passed, checks[1].Status, checks[1].Reason)
	require.Contains(t, checks[2].Reason, "it survived")
	require.InDelta(t, 1, checks[0].Figures[check.FigureMutantsCaught], 0)
	require.Positive(t, checks[0].Figures[FigureCPUSeconds])
	require.Len(t, found.Seconds(checks), 1)
	_, err = found.Match("nobody*")
	require.ErrorContains(t, err, `mutant "nobody*": expected one of`)
	_, err = found.Match("[")
	require.ErrorContains(t, err, "syntax error")
	keep, err := found.Match("clienttable_*")
	require.NoError(t, err)
	require.True(t, keep(p))
	require.False(t, keep(survivor))
	keep, err = found.Match("surv*,clienttable_*")
	require.NoError(t, err)
	require.True(t, keep(p) && keep(survivor))
}

// No t.Parallel: the current folder is the process's.
func TestMutantsOfTheCodeAreSkippedOutsideOfTheSource(t *testing.T) {
	t.Chdir(t.TempDir())
	c := do(t, FindCodeMutants().Section(func(mutants.Patch) bool { return true }).Jobs[0])[0]
	require.Equal(t, Skipped, c.Status)
	require.Contains(t, c.Reason, "no source tree of viewstamp")
}

func TestTheQuickMutantsOfTheCodeExist(t *testing.T) {
	t.Parallel()
	found := FindCodeMutants()
	for _, name := range quickCodeMutants {
		_, err := found.Lookup(name)
		require.NoError(t, err)
	}
}
