package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/traces/scenario"
)

type (
	cluster       = scenario.PartitionCluster
	clusterConfig = scenario.PartitionConfig
)

const (
	persisted  = scenario.PolicyPersisted
	replicated = scenario.PolicyReplicated
)

// Seed 003: 30 single-message batches of 317 bytes, all of them in the files of all
// replicas, and then a crash of the whole cluster.
func TestSeed003(t *testing.T) {
	t.Parallel()
	kill := (*cluster).KillAll
	power := (*cluster).PowerLossAll
	torn := func(tear scenario.Tear) func(*cluster) error {
		return func(c *cluster) error { return c.PowerLossTorn(tear) }
	}
	const whole = "r1 recovered ops=30 bodies=30 doubt=false discarded=0 bytes"
	for name, tc := range map[string]struct {
		policy   scenario.PartitionPolicy
		recovery wal.Recovery
		crash    func(*cluster) error
		readable int
		event    string // Of r1, after the restart.
	}{
		"before: a kill loses all that replicated had acknowledged": {
			replicated, wal.RecoverToFrontier, kill, 0,
			"r1 discarded file=0000000000000001.wal offset=1024 bytes=30720 " +
				"records=30 body_bytes=9510 reason=beyond_frontier",
		},
		"before: persisted publishes with each append and loses nothing": {
			persisted, wal.RecoverToFrontier, kill, 30,
			"r1 recovered ops=30 bodies=30 doubt=false discarded=1536 bytes",
		},
		"a kill loses nothing, replicated": {
			replicated, wal.RecoverVerified, kill, 30, whole,
		},
		"a kill loses nothing, persisted": {persisted, wal.RecoverVerified, kill, 30, whole},
		"a torn record that no index tells is the only loss, replicated": {
			replicated, wal.RecoverVerified, torn(scenario.TearBoth), 29,
			"r1 discarded file=0000000000000001.wal offset=30720 bytes=1024 " +
				"records=0 body_bytes=0 reason=torn_tail",
		},
		"... and persisted": {
			persisted, wal.RecoverVerified, torn(scenario.TearBoth), 29,
			"r1 recovered ops=29 bodies=29 doubt=true discarded=1024 bytes",
		},
		"an op whose body is torn is known by its other index, replicated": {
			replicated, wal.RecoverVerified, torn(scenario.TearFirst), 29,
			"r1 recovered ops=30 bodies=29 doubt=true discarded=832 bytes",
		},
		"... and persisted, where that leaves no doubt": {
			persisted, wal.RecoverVerified, torn(scenario.TearFirst), 29,
			"r1 recovered ops=30 bodies=29 doubt=false discarded=832 bytes",
		},
		"... and is cut where no replica has the body": {
			persisted, wal.RecoverVerified, torn(scenario.TearFirst), 29,
			"op=30 lost: no replica has its body",
		},
		"a torn index loses nothing": {
			persisted, wal.RecoverVerified, torn(scenario.TearLast), 30,
			"r1 recovered ops=30 bodies=30 doubt=false discarded=832 bytes",
		},
		"a mutant serves the torn record": {
			replicated, wal.RecoverTorn, torn(scenario.TearFirst), 29,
			"poll readable=29/30 first_missing=30 altered=1",
		},
		"losing power at the worst moment loses what only the page cache had": {
			replicated, wal.RecoverVerified, power, 0,
			"r1 recovered ops=0 bodies=0 doubt=true discarded=0 bytes",
		},
		"... and nothing under persisted": {
			persisted, wal.RecoverVerified, power, 30, whole,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, clusterConfig{Policy: tc.policy, Recovery: tc.recovery})
			require.NoError(t, c.Append(30, 317))
			require.Equal(t, 30, c.Acknowledged())
			require.Equal(t, 30, c.Poll())
			require.NoError(t, tc.crash(c))
			require.Zero(t, c.Poll(), "nobody answers between crash and election")
			require.NoError(t, c.Restart())
			assert.Equal(t, tc.readable, c.Poll())
			assert.Contains(t, c.EventLog(), tc.event)
			assert.Contains(t, c.EventLog(), "append ops=1..30 bytes=9510 acknowledged=30")
			require.NoError(t, c.Append(5, 100), "the cluster works on")
			assert.Equal(t, tc.readable+5, c.Poll())
		})
	}
}

// On a busy partition the frontier is somewhere: what a checkpoint has published
// survives the mutant too, the rest does not.
func TestAFrontierThatACheckpointPublished(t *testing.T) {
	t.Parallel()
	c := start(t, clusterConfig{Policy: replicated, Recovery: wal.RecoverToFrontier})
	require.NoError(t, c.Append(10, 317))
	require.NoError(t, c.PublishFrontier())
	require.NoError(t, c.Append(20, 317))
	require.NoError(t, c.KillAll())
	require.NoError(t, c.Restart())
	assert.Equal(t, 10, c.Poll())
	assert.Contains(t, c.EventLog(), "r2 published op=10")
	assert.Contains(t, c.EventLog(), "r2 recovered ops=10 bodies=10 doubt=false discarded=20480 bytes")
}

func TestAnElectionTakesTheLongestLogOfItsVoters(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		mutant   bool
		voters   []int
		readable int
		event    string
	}{
		"with the votes of all": {
			false, []int{0, 1, 2}, 30, "r0 elected head=30 voters=r0,r1,r2",
		},
		"with a quorum, the shorter log first": {
			false, []int{2, 1}, 30, "r1 elected head=30 voters=r2,r1",
		},
		"the shorter log catches up": {
			false, []int{0, 1}, 30, "r2 adopted copied=20 cut=0",
		},
		"the mutant takes the first": {
			true, []int{2, 1}, 10, "r2 elected head=10 voters=r2,r1",
		},
		"... and cuts the others": {
			true, []int{2, 0, 1}, 10, "r0 adopted copied=0 cut=20",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t, clusterConfig{Policy: persisted, FirstNotLongest: tc.mutant})
			require.NoError(t, c.Append(10, 317))
			require.NoError(t, c.CutOff(2))
			require.NoError(t, c.Append(20, 317))
			require.Equal(t, 30, c.Acknowledged())
			require.NoError(t, c.KillAll())
			require.NoError(t, c.Recover())
			require.NoError(t, c.Elect(tc.voters...))
			assert.Equal(t, tc.readable, c.Poll())
			assert.Contains(t, c.EventLog(), tc.event)
		})
	}
}

func TestWhatNoQuorumHasIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	c := start(t, clusterConfig{Policy: replicated})
	require.NoError(t, c.CutOff(1))
	require.NoError(t, c.Append(1, 100))
	require.NoError(t, c.CutOff(2))
	require.NoError(t, c.Append(1, 100))
	assert.Equal(t, 1, c.Acknowledged())
	require.NoError(t, c.KillAll())
	require.NoError(t, c.Recover())
	require.NoError(t, c.Elect(1, 2))
	assert.Equal(t, 1, c.Poll())
	require.NoError(t, c.Append(1, 100), "another batch takes op 2")
	assert.Equal(t, 2, c.Poll())
}

func TestStepsOutOfPlaceAreRefused(t *testing.T) {
	t.Parallel()
	_, err := scenario.NewPartitionCluster(clusterConfig{})
	require.ErrorContains(t, err, `policy(0), expected one of ["persisted" "replicated"]`)

	c := start(t, clusterConfig{Policy: replicated})
	require.ErrorContains(t, c.Append(0, 317), "0 batches, expected 1 or more")
	require.ErrorContains(t, c.Append(1, 7), "batches of 7 bytes, expected 8 to")
	require.ErrorContains(t, c.CutOff(0), "expected a backup of r0")
	require.ErrorContains(t, c.CutOff(3), "expected a backup of r0")
	require.ErrorContains(t, c.Recover(), "expected a crash before")
	require.ErrorContains(t, c.Elect(0, 1), "expected a cluster that has recovered")

	require.NoError(t, c.KillAll())
	for name, err := range map[string]error{
		"append": c.Append(1, 317), "kill": c.KillAll(), "power loss": c.PowerLossAll(),
		"torn": c.PowerLossTorn(scenario.TearBoth), "any": c.PowerLossAny(),
		"publish": c.PublishFrontier(), "cut off": c.CutOff(1),
	} {
		require.ErrorIs(t, err, scenario.ErrClusterDown, name)
	}
	require.ErrorContains(t, c.Elect(0, 1), "expected a cluster that has recovered")
	require.NoError(t, c.Recover())
	require.ErrorContains(t, c.Recover(), "expected a crash before")
	for _, voters := range [][]int{nil, {0}, {1, 1}, {0, 3}, {-1, 0}} {
		require.ErrorContains(t, c.Elect(voters...), "expected at least 2 of r0 to r2, each once")
	}
	require.NoError(t, c.Elect(2, 0))
}

func TestNamesOfPolicies(t *testing.T) {
	t.Parallel()
	for _, p := range []scenario.PartitionPolicy{persisted, replicated} {
		parsed, err := scenario.ParsePartitionPolicy(p.String())
		require.NoError(t, err)
		assert.Equal(t, p, parsed)
	}
	_, err := scenario.ParsePartitionPolicy("durable")
	require.ErrorContains(t, err, `parse policy "durable": expected one of ["persisted" "replicated"]`)
}

func TestNamesOfTears(t *testing.T) {
	t.Parallel()
	for _, tear := range []scenario.Tear{
		scenario.TearFirst, scenario.TearLast, scenario.TearBoth,
	} {
		parsed, err := scenario.ParseTear(tear.String())
		require.NoError(t, err)
		assert.Equal(t, tear, parsed)
	}
	_, err := scenario.ParseTear("middle")
	require.ErrorContains(t, err, `parse tear "middle": expected one of ["last" "first" "both"]`)
}

func TestTheSameSeedGivesTheSameEvents(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) string {
		c := start(t, clusterConfig{Policy: replicated, Seed: seed})
		for range 3 {
			require.NoError(t, c.Append(7, 500))
			require.NoError(t, c.PowerLossAny())
			require.NoError(t, c.Restart())
			c.Poll()
		}
		return strings.Join(c.EventLog(), "\n")
	}
	different := map[string]bool{}
	for seed := range uint64(8) {
		first, again := run(seed), run(seed)
		require.Equal(t, first, again)
		different[first] = true
	}
	assert.Greater(t, len(different), 4, "the seed decides nothing")
}

// KillSafe and SyncSafe with production code: whatever crash is survived by a policy
// loses nothing that the policy has acknowledged, with any quorum of voters.
func TestNoCrashLosesWhatThePolicyPromises(t *testing.T) {
	t.Parallel()
	quorums := [][]int{{0, 1}, {2, 1}, {2, 0}, {2, 1, 0}}
	for _, policy := range []scenario.PartitionPolicy{persisted, replicated} {
		t.Run(policy.String(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				c := start(t, clusterConfig{Policy: policy, Seed: rapid.Uint64().Draw(t, "seed")})
				lost := 0
				restart := func(t *rapid.T) {
					require.NoError(t, c.Recover())
					require.NoError(t, c.Elect(rapid.SampledFrom(quorums).Draw(t, "voters")...))
				}
				t.Repeat(map[string]func(*rapid.T){
					"append": func(t *rapid.T) {
						require.NoError(t, c.Append(rapid.IntRange(1, 4).Draw(t, "batches"),
							rapid.IntRange(8, 900).Draw(t, "bytes")))
					},
					"cut off": func(t *rapid.T) {
						if err := c.CutOff(rapid.IntRange(0, 2).Draw(t, "replica")); err != nil {
							require.ErrorContains(t, err, "expected a backup")
						}
					},
					"publish": func(t *rapid.T) { require.NoError(t, c.PublishFrontier()) },
					"kill": func(t *rapid.T) {
						require.NoError(t, c.KillAll())
						restart(t)
					},
					"power loss": func(t *rapid.T) {
						require.NoError(t, c.PowerLossAny())
						restart(t)
						if policy == replicated { // It may take a suffix: that is the policy.
							lost = c.Acknowledged() - c.Poll()
						}
					},
					"": func(t *rapid.T) { require.Equal(t, c.Acknowledged()-lost, c.Poll()) },
				})
			})
		})
	}
}

// Under replicated a power loss can take a suffix of what was acknowledged, never the
// middle, and never alters a batch.
func TestPowerLossTakesASuffix(t *testing.T) {
	t.Parallel()
	outcomes := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c := start(t, clusterConfig{Policy: replicated, Seed: rapid.Uint64().Draw(t, "seed")})
		require.NoError(t, c.Append(10, 700))
		require.NoError(t, c.CutOff(2))
		require.NoError(t, c.Append(10, 300))
		require.NoError(t, c.PowerLossAny())
		require.NoError(t, c.Restart())
		kept := c.Poll()
		events := c.EventLog()
		want := "poll readable=20/20"
		if kept < 20 {
			want = fmt.Sprintf("poll readable=%d/20 first_missing=%d altered=0", kept, kept+1)
		}
		require.Equal(t, want, events[len(events)-1])
		outcomes[want]++
	})
	assert.Greater(t, len(outcomes), 2, "power losses are all alike: %v", outcomes)
}

func start(t require.TestingT, config clusterConfig) *cluster {
	c, err := scenario.NewPartitionCluster(config)
	require.NoError(t, err)
	return c
}
