package seeds_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim/seeds"
)

func TestResultsComeInTheOrderOfTheSeeds(t *testing.T) {
	t.Parallel()
	want := uint64(5)
	odd := errors.New("odd")
	for result, err := range seeds.InOrder(t.Context(), 5, 100, func(s uint64) (uint64, error) {
		if s%2 == 1 {
			return s, odd
		}
		return s, nil
	}) {
		require.Equal(t, want, result)
		require.Equal(t, want%2 == 1, errors.Is(err, odd))
		want++
	}
	assert.Equal(t, uint64(105), want)
}

func TestAConsumerMayEndEarly(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, err := range seeds.InOrder(t.Context(), 1, 1<<40, nothing) {
		require.NoError(t, err)
		if seen++; seen == 10 {
			break
		}
	}
	assert.Equal(t, 10, seen)
}

func TestAContextEndsARange(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	for _, err := range seeds.InOrder(ctx, 1, 1<<40, nothing) {
		require.NoError(t, err)
		if seen++; seen == 10 {
			cancel()
		}
	}
	assert.Less(t, seen, 1000)
}

func nothing(uint64) (int, error) { return 0, nil }
