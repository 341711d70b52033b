package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClaimsOfConsumerGroups(t *testing.T) {
	t.Parallel()
	outcome, err := Claims(t.Context(), "ConsumerGroups", Options{})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status, outcome.Reason)
	assert.Regexp(t, `(?m)^MembersLive +eviction_keeps_member +broken in \d+ states$`, outcome.Detail)
}

func TestMembersConfigSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	cfg := lookup(t, "members")
	var err error
	cfg.Config.Constants, err = cfg.Config.Constants.With("Capacity", 9)
	require.NoError(t, err)
	_, err = MembersConfig(cfg)
	require.EqualError(t, err, "cfg members: ConsumerGroups: Capacity is 9, expected 1 to 3")

	cfg = lookup(t, "members")
	_, err = newSubject(cfg, []string{"none"})
	assert.ErrorContains(t, err, `cfg members: ConsumerGroups: unknown bug "none"`)
}
