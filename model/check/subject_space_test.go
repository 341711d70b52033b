package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClaimsOfLogSpace(t *testing.T) {
	t.Parallel()
	outcome, err := Claims(t.Context(), "LogSpace", Options{})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status, outcome.Reason)
	assert.Regexp(t, `(?m)^LogKnown +released_before_state_record +broken in 6 states$`,
		outcome.Detail)
}

func TestLogSpaceConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	cfg := lookup(t, "space")
	var err error
	cfg.Config.Constants, err = cfg.Config.Constants.With("Room", 9)
	require.NoError(t, err)
	_, err = LogSpaceConfig(cfg)
	require.EqualError(t, err, "cfg space: LogSpace: Room is 9, expected 1 to 3")

	cfg = lookup(t, "space")
	_, err = newSubject(cfg, []string{"none"})
	assert.ErrorContains(t, err, `cfg space: LogSpace: unknown bug "none"`)
}
