package sim

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/record"
)

// wipedKinds are the checks that a replica fails which has lost its disk and does as if not.
var wipedKinds = []string{FailVote, FailPromise, FailAgreement, FailContradiction, FailDurability}

// A replica loses its disk while everything else goes wrong as well (R16).
func TestSwarmWithALostDisk(t *testing.T) {
	t.Parallel()
	seeds := uint64(60)
	if testing.Short() {
		seeds = 15
	}
	for _, replicas := range []int{3, 4, 5} {
		result, err := Swarm(context.Background(), 1, seeds/uint64(replicas-2),
			Options{Faults: FaultsSwarm, Wipe: true, Replicas: replicas}, nil)
		require.NoError(t, err)
		for _, failed := range result.Failures {
			t.Errorf("%v\n%s", failed.Failure, failed.Reproduce)
		}
		refused := result.Coverage.Count("refusal", "wiped")
		assert.Positive(t, refused, "some view change asks in vain")
	}
}

func TestARunIsTheSameUpToTheLossOfADisk(t *testing.T) {
	t.Parallel()
	run := func(wipe bool, ticks int) *Result {
		result, err := Run(Options{Seed: 5, Faults: FaultsSwarm, Wipe: wipe, Ticks: ticks})
		require.NoError(t, err)
		require.Nil(t, result.Failure)
		return result
	}
	require.Equal(t, 1, run(true, 500).Injected["wipe"])
	require.Zero(t, run(false, 500).Injected["wipe"])
	require.Contains(t, run(true, 500).Reproduce(), "--wipe")
	again := run(true, 500)
	require.Equal(t, run(true, 500), again)
}

func TestAWipeNeedsAReplicaMoreThanTwoAndNoTrace(t *testing.T) {
	t.Parallel()
	result, err := Run(Options{Seed: 1, Replicas: 2, Wipe: true, Ticks: 200})
	require.NoError(t, err)
	require.Zero(t, result.Injected["wipe"])
	_, err = Run(Options{Wipe: true, Trace: &record.Recorder{}})
	require.EqualError(t, err, "run simulation: wipe with a trace: expected one of them, the "+
		"actions of traces know no lost disk")
}
