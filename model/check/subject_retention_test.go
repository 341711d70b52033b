package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClaimsOfRetention(t *testing.T) {
	t.Parallel()
	outcome, err := Claims(t.Context(), "Retention", Options{})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status, outcome.Reason)
	assert.Regexp(t, `(?m)^NoneMissing +trim_before_pairing +broken in 9 states$`, outcome.Detail)
}

func TestRetentionConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	cfg := lookup(t, "retention")
	var err error
	cfg.Config.Constants, err = cfg.Config.Constants.With("Segment", 9)
	require.NoError(t, err)
	_, err = RetentionConfig(cfg)
	require.EqualError(t, err, "cfg retention: Retention: Segment is 9, expected 1 to 3")

	cfg = lookup(t, "retention")
	_, err = newSubject(cfg, []string{"none"})
	assert.ErrorContains(t, err, `cfg retention: Retention: unknown bug "none"`)
}
