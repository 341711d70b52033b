package seeds_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim/coverage"
	"github.com/viewstamp/viewstamp/impl/sim/seeds"
)

func table() coverage.Table {
	var t coverage.Table
	t.Expect("seed", []string{"odd", "even", "none"})
	return t
}

// parity fails for multiples of seven and is undecided about multiples of five.
func parity(seed uint64) (seeds.Outcome, error) {
	o := seeds.Outcome{Seed: seed, Figures: map[string]int{"sum": int(seed)}}
	o.Seen = coverage.Counts{"seed": {"even": 1 - int(seed%2), "odd": int(seed % 2)}}
	if seed%7 == 0 {
		o.Failure = "seven"
	}
	if seed%5 == 0 {
		o.Undecided = "five"
	}
	return o, nil
}

func TestASwarmSumsUp(t *testing.T) {
	t.Parallel()
	var progress []seeds.Progress
	s, err := seeds.Sum(t.Context(), 6, 15, table(), parity,
		func(p seeds.Progress) { progress = append(progress, p) })
	require.NoError(t, err)
	assert.True(t, s.Complete())
	assert.False(t, s.Passed())
	require.Len(t, s.Failures, 2)
	assert.Equal(t, uint64(7), s.Failures[0].Seed)
	assert.Equal(t, uint64(14), s.Failures[1].Seed)
	assert.Equal(t, []uint64{10, 15}, s.Undecided)
	assert.Equal(t, map[string]int{"sum": 105}, s.Figures)
	assert.Equal(t, []string{"seed/none"}, s.Coverage.Missing())
	assert.Equal(t, 5, s.Coverage.Count("seed", "odd"))
	require.Len(t, progress, 10)
	assert.Equal(t, seeds.Progress{Done: 2, Total: 10, Failed: 1}, progress[1])
	assert.Equal(t, seeds.Progress{Done: 10, Total: 10, Failed: 2}, progress[9])
}

func TestASwarmThatIsStoppedHasWhatIsDone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := seeds.Sum(ctx, 1, 1<<40, table(), parity, func(p seeds.Progress) {
		if p.Done == 3 {
			cancel()
		}
	})
	require.NoError(t, err)
	assert.False(t, s.Complete())
	assert.GreaterOrEqual(t, s.Seeds, uint64(3))
}

func TestASwarmRefusesWhatIsNoRange(t *testing.T) {
	t.Parallel()
	_, err := seeds.Sum(t.Context(), 2, 1, table(), parity, nil)
	require.EqualError(t, err, "run swarm: seeds 2 to 1: expected a range")
	broken := errors.New("replicas 8")
	_, err = seeds.Sum(t.Context(), 1, 2, table(),
		func(uint64) (seeds.Outcome, error) { return seeds.Outcome{}, broken }, nil)
	require.ErrorIs(t, err, broken)
}
