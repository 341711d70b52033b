package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClaimsOfReads(t *testing.T) {
	t.Parallel()
	outcome, err := Claims(t.Context(), "Reads", Options{})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status, outcome.Reason)
	assert.InDelta(t, 19, outcome.Figures[FigureMutants], 0)
	assert.Regexp(t, `(?m)^ReadFresh +lease_by_clock +broken in 13 states$`, outcome.Detail)
}

func TestReadsConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	cfg := lookup(t, "reads")
	var err error
	cfg.Config.Constants, err = cfg.Config.Constants.With("MaxTick", 9)
	require.NoError(t, err)
	_, err = ReadsConfig(cfg)
	require.EqualError(t, err, "cfg reads: Reads: MaxTick is 9, expected 0 to 3")

	cfg = lookup(t, "reads")
	_, err = newSubject(cfg, []string{"none"})
	assert.ErrorContains(t, err, `cfg reads: Reads: unknown bug "none"`)
}
