package nodes_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/sim/nodes"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// run runs options that are valid.
func run(t *testing.T, options nodes.Options) *nodes.Result {
	t.Helper()
	result, err := nodes.Run(options)
	require.NoError(t, err)
	return result
}

func TestOneSeedIsOneRun(t *testing.T) {
	t.Parallel()
	options := nodes.Options{Seed: 7, Ticks: 400}
	first := run(t, options)
	assert.Equal(t, first, run(t, options))
	options.Seed++
	assert.NotEqual(t, first.Digest, run(t, options).Digest)
}

// The digests fold every byte that processes and clients were sent. They change with every
// change of the simulator, the host or the core: run these seeds twice and put in what comes out.
func TestTheBytesOfARunAreThoseOfItsSeed(t *testing.T) {
	t.Parallel()
	var digests string
	for seed := range uint64(4) {
		digests += fmt.Sprintf("%016x ", run(t, nodes.Options{Seed: seed, Ticks: 600}).Digest)
	}
	assert.Equal(t, "9cc0093e0a1fb92c 66fa3309759384ca eaf812175e8224ac 0fdd499d18bf5a6b ", digests)
}

// What the clients ask for, and how many they are, moves no other source of chance: links are
// cut at the same ticks.
func TestTheWeatherIsTheSameWhateverTheClientsDo(t *testing.T) {
	t.Parallel()
	only := []string{"partition", "clog", "filter"}
	weather := map[uint64]bool{}
	for seed := range uint64(10) {
		one := run(t, nodes.Options{Seed: seed, Replicas: 3, Only: only, Clients: 1})
		many := run(t, nodes.Options{Seed: seed, Replicas: 3, Only: only, Clients: 9, Groups: 4})
		require.NotEqual(t, one.Digest, many.Digest)
		assert.Equal(t, one.Weather, many.Weather, "seed %d", seed)
		weather[one.Weather] = true
	}
	assert.Greater(t, len(weather), 5)
}

func TestSeedsPass(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		result := run(t, nodes.Options{Seed: seed, Ticks: 600})
		assert.True(t, result.Passed, result.String())
	}
}

// Seed 4 has a table of 16 rows: one after the other its 48 clients need more than a run has.
func TestMoreClientsThanRowsAreAnsweredInTime(t *testing.T) {
	t.Parallel()
	result := run(t, nodes.Options{Seed: 4, Clients: 48})
	assert.True(t, result.Passed, result.String())
}

// Seeds that failed once, though the product did nothing wrong.
func TestSeedsThatTheChecksWereWrongAboutPass(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]nodes.Options{
		"a rejoined disk that loses all but its mark, beside one in doubt": {
			Seed: 9, Ticks: 2500, Groups: 1,
		},
		"a state record in a rotten index":                     {Seed: 1834},
		"a group that a rotten index names":                    {Seed: 17009},
		"a state record that the end of a batch shows":         {Seed: 10528},
		"a copy of the superblock that rots twice":             {Seed: 1612},
		"an only body that rots beside one in doubt":           {Seed: 15947},
		"a history of offsets with many that are lost":         {Seed: 13226},
		"a doubt of which the cut log has used a number again": {Seed: 1536},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, options)
			assert.True(t, result.Passed, result.String())
		})
	}
}

// A mark of doubt went with the oldest file of a log that had no record of one group, and the next
// boot trusted the log of that group (R15).
func TestADoubtByAMarkStaysWhereTheLogHasNothingOfTheGroup(t *testing.T) {
	t.Parallel()
	result := run(t, nodes.Options{Seed: 13900})
	assert.True(t, result.Passed, result.String())
}

// A primary installed a checkpoint of ops that it had prepared, took them for under way for good,
// and told their clients to wait (R18, R21).
func TestAPrimaryThatInstallsACheckpointAnswersItsClients(t *testing.T) {
	t.Parallel()
	result := run(t, nodes.Options{Seed: 8397})
	assert.True(t, result.Passed, result.String())
}

func TestClustersOfEverySizePass(t *testing.T) {
	t.Parallel()
	for replicas := 1; replicas <= 6; replicas++ {
		for seed := range uint64(6) {
			result := run(t, nodes.Options{Seed: seed, Ticks: 500, Replicas: replicas})
			assert.True(t, result.Passed, result.String())
			calm := run(t, nodes.Options{Seed: seed, Ticks: 100, Replicas: replicas, Calm: true})
			assert.True(t, calm.Passed, calm.String())
			assert.Zero(t, calm.Crashes)
		}
	}
}

// Each rule that a host or a core breaks on purpose is found, by the check that is there for it,
// within a few seeds.
func TestEachDefectIsCaught(t *testing.T) {
	t.Parallel()
	const seeds = 60
	for name, want := range map[string][]string{
		"report_before_flush": {nodes.FailPromise, nodes.FailDurability},
		"execute_twice":       {nodes.FailExecution},
		"no_sessions":         {nodes.FailExecution},
		"sessions_volatile":   {nodes.FailContradiction, nodes.FailRead},
		"local_reads":         {nodes.FailRead, nodes.FailHistory},
		"volatile_view": {
			nodes.FailMonotone, nodes.FailStorage, nodes.FailContradiction, nodes.FailDurableFirst,
		},
		"send_first":    {nodes.FailDurableFirst},
		"narrow_repair": {nodes.FailStalled},
		"start_hollow":  {nodes.FailPromise, nodes.FailContradiction, nodes.FailStalled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := nodes.Options{Ticks: 800, Clients: 8}
			if defect, err := replica.ParseDefect(name); err == nil {
				options.Defects = defect
			} else {
				options.Core, err = vsr.ParseDefect(name)
				require.NoError(t, err)
			}
			for options.Seed = 1; options.Seed <= seeds; options.Seed++ {
				if result := run(t, options); !result.Passed {
					t.Log(result)
					assert.Contains(t, want, result.Failure.Kind, result.String())
					return
				}
			}
			assert.Fail(t, "no seed fails")
		})
	}
}

func TestOptionsOutOfRangeAreRefused(t *testing.T) {
	t.Parallel()
	for want, options := range map[string]nodes.Options{
		"ticks -1: expected at least 1":      {Ticks: -1},
		"replicas 7: expected 1 to 6":        {Replicas: 7},
		"groups 17: expected 1 to 16":        {Groups: 17},
		"clients 257: expected 1 to 256":     {Clients: 257},
		`only "flood": expected one of lose`: {Only: []string{"kill", "flood"}},
	} {
		require.ErrorContains(t, options.Validate(), want)
		_, err := nodes.Run(options)
		require.ErrorContains(t, err, want)
	}
}

func TestClientsThatOnlyWriteReadNothing(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		options := nodes.Options{Seed: seed, Ticks: 200, Groups: 2, Clients: 8, Calm: true}
		both := run(t, options)
		options.Writes = true
		writes := run(t, options)
		require.True(t, writes.Passed, writes.String())
		assert.Empty(t, writes.Reads)
		if len(both.Reads) > 0 {
			assert.Greater(t, writes.Requests, both.Requests)
			return
		}
	}
	assert.Fail(t, "no seed reads")
}

func TestACommandNamesWhatIsNotUsual(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "viewstamp sim nodes --seeds 4..4 --ticks 9 --replicas 2 --groups 3 --clients 4 "+
		"--writes --only kill,rot --defect execute_twice --defect no_nonce",
		nodes.Options{
			Seed: 4, Ticks: 9, Replicas: 2, Groups: 3, Clients: 4, Writes: true,
			Only:    []string{"kill", "rot"},
			Defects: replica.DefectExecuteTwice, Core: vsr.DefectNoNonce,
		}.Command())
	assert.True(t, slices.Contains(nodes.FeatureNames(), "rot"))
}

func TestARunSaysWhichChecksItDoesWithout(t *testing.T) {
	t.Parallel()
	assert.Empty(t, nodes.Options{Writes: true}.LeavesOut())
	assert.Equal(t, []string{"promise_read", "promise_stored", "acknowledged_stored"},
		nodes.Options{Calm: true}.LeavesOut())
}
