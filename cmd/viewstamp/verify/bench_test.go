package verify

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	lin "github.com/viewstamp/viewstamp/linearizability"
	"github.com/viewstamp/viewstamp/model/check"
)

func TestSmallHistoriesAreMeasuredBothWays(t *testing.T) {
	t.Parallel()
	for _, model := range []lin.Model{lin.Register, lin.Partition} {
		c := benchShared(model).Run(context.Background())[0]
		require.Equal(t, Passed, c.Status, c.Reason)
		assert.Positive(t, c.Figures[FigureOperationsPerCPUSecond])
		assert.Positive(t, c.Figures[FigurePorcupinePerCPUSecond])
		assert.Positive(t, c.Figures[check.FigureRatio])
	}
}

func TestWritesPastThePageCacheAreMeasuredWhereThereAreSome(t *testing.T) {
	t.Parallel()
	c := BenchDirect(t.TempDir(), 4096).Run(context.Background())[0]
	require.Equal(t, Passed, c.Status, c.Reason)
	if c.Figures["known"] == 1 {
		assert.Positive(t, c.Figures["direct_us_p50"])
		assert.Positive(t, c.Figures["speed_of_bare"])
	}
	missing := BenchDirect(t.TempDir()+"/none", 4096).Run(context.Background())[0]
	assert.NotEqual(t, Passed, missing.Status)
}

func TestAWrongVerdictIsNotMeasured(t *testing.T) {
	t.Parallel()
	h, err := lin.Generate(lin.GenerateOptions{
		Seed: 1, Model: lin.Partition, Operations: 60, Clients: 3, Keys: 1,
		Plant: lin.PlantLostAppend,
	})
	require.NoError(t, err)
	c := Check{Status: Passed}
	_, err = c.decides(context.Background(), h, lin.CheckOptions{})
	require.NoError(t, err)
	assert.Equal(t, Failed, c.Status)
	assert.Equal(t, "verdict violation, expected linearizable", c.Reason)
}

func TestATraceThatIsNotExplainedIsNotMeasured(t *testing.T) {
	t.Parallel()
	text, err := recordText(sim.Options{Seed: 7, Ticks: 100, Faults: sim.FaultsNone})
	require.NoError(t, err)
	c := Check{Status: Passed, Figures: Figures{}}
	require.NoError(t, c.measureConform(context.Background(), text))
	assert.Positive(t, c.Figures[FigureEvents])
	assert.Positive(t, c.Figures[FigureEventsPerCPUSecond])

	c = Check{Status: Passed, Figures: Figures{}}
	wrong := bytes.Replace(text, []byte(`"commit_min":1,`), []byte(`"commit_min":3,`), 1)
	require.NoError(t, c.measureConform(context.Background(), wrong))
	assert.Equal(t, Failed, c.Status)
	assert.Contains(t, c.Reason, "no step of the model explains event")
}
