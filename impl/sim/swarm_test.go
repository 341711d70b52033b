package sim_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/sim/seeds"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// The seeds of every day: all pass, and among them everything happens that can.
func TestSwarm(t *testing.T) {
	t.Parallel()
	last := uint64(120)
	if testing.Short() {
		last = 40
	}
	result, err := sim.Swarm(context.Background(), 1, last,
		sim.Options{Faults: sim.FaultsSwarm}, nil)
	require.NoError(t, err)
	for _, failed := range result.Failures {
		t.Errorf("%v\n%s", failed.Failure, failed.Reproduce)
	}
	assert.True(t, result.Complete())
	assert.Positive(t, result.Figures["comparisons"])
	if !testing.Short() {
		assert.Empty(t, result.Coverage.Missing())
	}
}

func TestASwarmSumsUpItsRuns(t *testing.T) {
	t.Parallel()
	options := sim.Options{Ticks: 300, Faults: sim.FaultsHeavy}
	result, err := sim.Swarm(context.Background(), 10, 19, options, nil)
	require.NoError(t, err)
	var operations, ticks, lost int
	for seed := uint64(10); seed <= 19; seed++ {
		options.Seed = seed
		run, err := sim.Run(options)
		require.NoError(t, err)
		operations += run.Operations
		ticks += run.Ticks
		lost += run.Injected["lose"]
	}
	assert.Equal(t, operations, result.Figures["operations"])
	assert.Equal(t, ticks, result.Figures["ticks"])
	assert.Equal(t, uint64(10), result.Seeds)
	assert.Positive(t, lost)
	assert.Equal(t, lost, result.Coverage.Count("fault", "lose"))
	again, err := sim.Swarm(context.Background(), 10, 19,
		sim.Options{Ticks: 300, Faults: sim.FaultsHeavy}, nil)
	require.NoError(t, err)
	assert.Equal(t, result, again)
}

func TestASwarmListsItsFailuresBySeed(t *testing.T) {
	t.Parallel()
	result, err := sim.Swarm(context.Background(), 1, 12,
		sim.Options{Faults: sim.FaultsSwarm, Defects: vsr.DefectSendFirst}, nil)
	require.NoError(t, err)
	assert.False(t, result.Passed())
	require.Greater(t, len(result.Failures), 1)
	for i, failed := range result.Failures[1:] {
		assert.Greater(t, failed.Seed, result.Failures[i].Seed)
	}
}

func TestASwarmThatIsStoppedReportsWhatItHas(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	result, err := sim.Swarm(ctx, 1, 100_000, sim.Options{Ticks: 50, Clients: 1},
		func(p seeds.Progress) {
			if p.Done == 3 {
				cancel()
			}
		})
	require.NoError(t, err)
	assert.False(t, result.Complete())
	assert.GreaterOrEqual(t, result.Seeds, uint64(3))
	assert.Less(t, result.Seeds, uint64(100))
}

func TestWhatASwarmNeverSawIsMissing(t *testing.T) {
	t.Parallel()
	result, err := sim.Swarm(context.Background(), 1, 1, sim.Options{Ticks: 100}, nil)
	require.NoError(t, err)
	missing := result.Coverage.Missing()
	assert.Contains(t, missing, "fault/lose")
	assert.Contains(t, missing, "message/do_view_change")
	assert.Contains(t, missing, "action/BecomePrimary")
	assert.Contains(t, missing, "admission/fill")
	assert.Contains(t, missing, "refusal/unsolicited")
	assert.Contains(t, missing, "stop/MissingBody")
	assert.NotContains(t, missing, "message/prepare_ok")
	assert.Contains(t, missing, "action/Install")
	assert.NotContains(t, missing, "refusal/divergence", "it would fail the run")
}

func TestASwarmRefusesWhatItCannotRun(t *testing.T) {
	t.Parallel()
	_, err := sim.Swarm(context.Background(), 2, 1, sim.Options{}, nil)
	require.EqualError(t, err, "run swarm: seeds 2 to 1: expected a range")
	_, err = sim.Swarm(context.Background(), 1, 2, sim.Options{History: &bytes.Buffer{}}, nil)
	require.EqualError(t, err,
		"run swarm: trace or history: expected none, runs would share it")
	_, err = sim.Swarm(context.Background(), 1, 2, sim.Options{Replicas: 8}, nil)
	require.EqualError(t, err, "run swarm: run simulation: replicas 8: expected 1 to 7")
}

// Groups of every size survive faults; those of three are TestSwarm's.
func TestGroupsOfEverySizeSurviveFaults(t *testing.T) {
	t.Parallel()
	for replicas := 1; replicas <= vsr.ReplicaCountMax; replicas++ {
		committed := 0
		for seed := range uint64(5) {
			result, err := sim.Run(sim.Options{
				Seed: seed, Replicas: replicas, Faults: sim.FaultsSwarm,
			})
			require.NoError(t, err)
			require.Nil(t, result.Failure, "%d replicas, seed %d", replicas, seed)
			committed += result.Committed
		}
		require.Positive(t, committed)
	}
}
