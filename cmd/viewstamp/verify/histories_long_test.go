package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLongHistoriesAreDecided(t *testing.T) {
	t.Parallel()
	checks := LongHistories().Run(t.Context())
	require.Len(t, checks, 1)
	c := checks[0]
	assert.Equal(t, Passed, c.Status, c.Reason)
	assert.InDelta(t, 8, c.Figures[FigureHistories], 0)
	assert.InDelta(t, 6, c.Figures["planted"], 0)
}
