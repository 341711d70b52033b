package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEventsComeDueAtTheirTick(t *testing.T) {
	t.Parallel()
	var s schedule
	due := map[int]int{} // by the delay asked for
	delays := []int{-1, 0, 1, 2, 500, horizon - 1, horizon, 10 * horizon}
	for round := range 3 {
		start := s.now
		for i, delay := range delays {
			s.after(delay, event{replica: i})
		}
		for range horizon {
			for _, e := range s.next() {
				due[delays[e.replica]] = s.now - start
			}
		}
		assert.Equal(t, map[int]int{
			-1: 1, 0: 1, 1: 1, 2: 2, 500: 500, horizon - 1: horizon - 1,
			horizon: horizon - 1, 10 * horizon: horizon - 1,
		}, due, "round %d", round)
		clear(due)
	}
}

func TestTheSourceOfChanceIsBounded(t *testing.T) {
	t.Parallel()
	r, same := newRandom(9), newRandom(9)
	low, high := 1000, 0
	for range 2000 {
		n := r.skewed(100)
		require.Equal(t, n, same.skewed(100))
		low, high = min(low, n), max(high, n)
		require.Contains(t, []int{3, 4, 5}, r.between(3, 5))
		same.between(3, 5)
		require.False(t, r.chance(0, 10))
		require.True(t, r.chance(10, 10))
		same.chance(10, 10)
	}
	assert.Equal(t, 1, low)
	assert.Equal(t, 100, high)
	assert.Equal(t, 7, r.between(7, 7))
}

// The seed decides which features there are: each is on in some seeds and off in others, and
// no seed is without any.
func TestASwarmSwitchesFeaturesOnAndOff(t *testing.T) {
	t.Parallel()
	on := map[string]int{}
	const seeds = 200
	for seed := range uint64(seeds) {
		options, err := Options{Seed: seed, Faults: FaultsSwarm}.withDefaults()
		require.NoError(t, err)
		p := planFor(options, newRandom(seed))
		some := false
		for i := range features {
			if *features[i].rate(&p.rates) > 0 {
				on[features[i].name]++
				some = true
			}
		}
		require.True(t, some, "seed %d", seed)
		require.False(t, p.rates.partitionShift > 0 && p.rates.partition == 0)
	}
	for i := range features {
		name := features[i].name
		assert.Greater(t, on[name], seeds/5, name)
		assert.Less(t, on[name], seeds*4/5, name)
	}
}
