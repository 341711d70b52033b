package verify

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim/nodes"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// A recovering replica that takes an answer to an earlier probe does no harm that disks, clients
// or executions of a short run show (R4). The model shows it: it has no such step.
func TestTheModelSeesWhatNoOtherCheckOfWholeProcessesDoes(t *testing.T) {
	t.Parallel()
	options := nodes.Options{Core: vsr.DefectNoNonce, Judge: JudgeNodes}
	for options.Seed = 1; options.Seed <= 200; options.Seed++ {
		judged, err := nodes.Run(options)
		require.NoError(t, err)
		if judged.Passed || judged.Failure.Kind != nodes.FailConform {
			continue
		}
		require.True(t, judged.Chosen.Modelled)
		require.Contains(t, judged.Failure.Text, "no step of the model explains")
		options.Judge = nil
		alone, err := nodes.Run(options)
		require.NoError(t, err)
		require.True(t, alone.Passed, alone.String())
		return
	}
	require.Fail(t, "no seed fails")
}

func TestWholeProcessesConformToTheModel(t *testing.T) {
	t.Parallel()
	checks := do(t, Nodes(1, 40, nodes.Options{Ticks: 600}, true, nil))
	require.Equal(t, []string{"sim/nodes", "sim/nodes-coverage"}, names(checks))
	require.Equal(t, Passed, checks[0].Status, checks[0].Reason)
	require.Contains(t, checks[0].Detail, "WalkExecute=")
	require.NotContains(t, checks[0].Detail, "WalkExecute=0")
	require.Equal(t, "viewstamp sim nodes --seeds 1..40 --ticks 600", checks[0].Reproduce)
}
