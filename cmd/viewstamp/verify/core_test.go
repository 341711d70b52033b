package verify

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/traces/refine"
)

// A search says, for people and for programs, what the cores did and what not, and why.
func TestASearchOfCoresTellsItsCoverage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"core-transfer-101", "core-solo-222"} {
		cfg, err := refine.Lookup(name)
		require.NoError(t, err)
		checks := Core(cfg, 1, nil).Run(t.Context())
		require.Len(t, checks, 1)
		c := checks[0]
		require.Equal(t, Passed, c.Status, c.Reason)
		require.Positive(t, c.Figures["actions_total"])
		require.InDelta(t, c.Figures["actions_total"], c.Figures["actions_covered"], 0)
		require.Contains(t, c.Coverage.Taken, string(vsr.ActionRestart))
		require.NotEmpty(t, c.Coverage.NotTaken)
		for _, branch := range c.Coverage.NotTaken {
			require.NotEmpty(t, branch.Reason, branch.Branch)
			require.NotContains(t, c.Coverage.Taken, branch.Branch)
		}
		text, err := json.Marshal(c)
		require.NoError(t, err)
		require.Contains(t, string(text), `"not_taken":[{"branch":`)
	}
}

func TestASearchThatFindsADefectOfTransferFails(t *testing.T) {
	t.Parallel()
	cfg, err := refine.Lookup("core-transfer-101")
	require.NoError(t, err)
	cfg.Bounds.Defects = vsr.DefectLoose
	c := Core(cfg, 1, nil).Run(t.Context())[0]
	require.Equal(t, Failed, c.Status)
	require.Contains(t, c.Reason, "no step of Transfer")
	require.Contains(t, c.Detail, "initial state")
}
