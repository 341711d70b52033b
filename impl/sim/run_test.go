package sim_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/linearizability"
	"github.com/viewstamp/viewstamp/traces"
)

// recorded runs a seed and returns its result, trace and history.
func recorded(t *testing.T, options sim.Options) (*sim.Result, []byte, []byte) {
	t.Helper()
	var trace, history bytes.Buffer
	w, err := traces.NewWriter(&trace, record.Header(options.Seed, 3, ""))
	require.NoError(t, err)
	options.NoCheckpoints = true
	options.Trace, options.History = record.New(w, record.Options{Refusals: true}), &history
	result, err := sim.Run(options)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return result, trace.Bytes(), history.Bytes()
}

func TestEverySeedIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	for _, faults := range []sim.Faults{sim.FaultsNone, sim.FaultsHeavy, sim.FaultsSwarm} {
		options := sim.Options{Seed: 7, Ticks: 1000, Faults: faults}
		first, trace, history := recorded(t, options)
		again, sameTrace, sameHistory := recorded(t, options)
		assert.Equal(t, first, again)
		assert.True(t, bytes.Equal(trace, sameTrace), "the traces differ")
		assert.True(t, bytes.Equal(history, sameHistory), "the histories differ")

		options.Seed++
		_, otherTrace, _ := recorded(t, options)
		assert.False(t, bytes.Equal(trace, otherTrace), "another seed, the same run")
	}
}

// A failing run must fail the same way when it is reproduced.
func TestAFailureIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	options := sim.Options{Seed: 1, Faults: sim.FaultsSwarm, Defects: vsr.DefectVolatileView}
	for {
		first, err := sim.Run(options)
		require.NoError(t, err)
		if first.Passed {
			options.Seed++
			require.Less(t, options.Seed, uint64(50))
			continue
		}
		again, err := sim.Run(options)
		require.NoError(t, err)
		assert.Equal(t, first, again)
		assert.Contains(t, first.Reproduce(), "--defect volatile_view")
		return
	}
}

func TestEachLevelOfFaultsPasses(t *testing.T) {
	t.Parallel()
	for _, faults := range []sim.Faults{sim.FaultsNone, sim.FaultsLight, sim.FaultsHeavy} {
		t.Run(string(faults), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(8) {
				result, err := sim.Run(sim.Options{Seed: seed, Faults: faults})
				require.NoError(t, err)
				require.True(t, result.Passed, "%v\n%s", result, result.Reproduce())
				assert.Positive(t, result.Operations)
				assert.Positive(t, result.Comparisons)
				assert.Equal(t, faults == sim.FaultsNone, len(result.Injected) == 0)
			}
		})
	}
}

// Without faults every request is answered, no view changes, and nothing is refused for long.
func TestWithoutFaultsNothingIsLost(t *testing.T) {
	t.Parallel()
	result, err := sim.Run(sim.Options{Seed: 3, Ticks: 2000, Clients: 8})
	require.NoError(t, err)
	require.True(t, result.Passed, result.String())
	assert.Zero(t, result.Abandoned)
	assert.Zero(t, result.ViewChanges)
	assert.Zero(t, result.PacketsLost)
	assert.Positive(t, result.Reads["local"])
	assert.Positive(t, result.Reads["linearizable"])
	assert.Equal(t, result.Operations, result.Committed+result.Reads["linearizable"])
	assert.Equal(t, 2*result.Committed, result.Comparisons, "three replicas execute each op")
}

func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	result, err := sim.Run(sim.Options{Seed: 3, Ticks: 1000, Clients: 2, Requests: 5})
	require.NoError(t, err)
	require.True(t, result.Passed, result.String())
	assert.Equal(t, 5+2*2, result.Operations+result.Reads["local"],
		"five, and two a client in the healed phase")
	assert.Equal(t, "viewstamp sim run --seed 3 --ticks 1000 --faults none --clients 2 --requests 5",
		result.Reproduce())
}

func TestOptionsOutOfRangeAreRefused(t *testing.T) {
	t.Parallel()
	for want, options := range map[string]sim.Options{
		"run simulation: replicas 8: expected 1 to 7":                             {Replicas: 8},
		"run simulation: ticks -1: expected at least 1":                           {Ticks: -1},
		"run simulation: clients 65: expected 1 to 64":                            {Clients: 65},
		"run simulation: requests -1: expected at least 0":                        {Requests: -1},
		`run simulation: faults "some": expected one of [none light heavy swarm]`: {Faults: "some"},
	} {
		_, err := sim.Run(options)
		require.EqualError(t, err, want)
	}
	faults, err := sim.ParseFaults("heavy")
	require.NoError(t, err)
	assert.Equal(t, sim.FaultsHeavy, faults)
}

type brokenWriter struct{}

var errFull = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errFull }

func TestATraceOrHistoryThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	_, err := sim.Run(sim.Options{Seed: 1, Ticks: 300, History: brokenWriter{}})
	require.ErrorIs(t, err, errFull)

	w, err := traces.NewWriter(brokenWriter{}, record.Header(1, 3, ""))
	require.NoError(t, err, "the writer buffers")
	_, err = sim.Run(sim.Options{Seed: 1, Ticks: 1000, Trace: record.New(w, record.Options{})})
	require.ErrorIs(t, err, errFull)
}

func TestTheHistoryCanBeReadBack(t *testing.T) {
	t.Parallel()
	result, _, history := recorded(t, sim.Options{Seed: 11, Faults: sim.FaultsHeavy})
	require.True(t, result.Passed, result.String())
	read, err := linearizability.ReadHistory(bytes.NewReader(history), "history")
	require.NoError(t, err)
	assert.Len(t, read.Operations, result.Operations+result.Abandoned)
}

// What a trace shows between two events of a replica is what its actions changed: a finer
// event must leave the projection alone, and each boot has an incarnation of its own.
func TestStutteringEventsChangeNothing(t *testing.T) {
	t.Parallel()
	stutters, events := 0, 0
	for seed := range uint64(10) {
		result, trace, _ := recorded(t, sim.Options{Seed: seed, Faults: sim.FaultsSwarm})
		require.True(t, result.Passed, result.String())
		reader, err := traces.NewReader(bytes.NewReader(trace), "trace")
		require.NoError(t, err)
		before := map[int]traces.ReplicaState{}
		for {
			e, err := reader.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			events++
			last, seen := before[e.Replica]
			if e.Stutter && seen {
				stutters++
				require.Empty(t, traces.Diff(last, e.After), "seed %d line %d: %s", seed, e.Line(),
					traces.Describe(e))
			}
			if e.Action == traces.ActionRestart {
				require.NotEqual(t, last.Incarnation, e.After.Incarnation)
			}
			before[e.Replica] = e.After
		}
	}
	assert.Greater(t, stutters, 1000)
	assert.Greater(t, events, stutters)
}
