package traces_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/viewstamp/viewstamp/traces"
)

func TestActionsAreTheSchemas(t *testing.T) {
	t.Parallel()
	names := traces.Actions()
	assert.Equal(t, []string{
		"ClientRequest", "ReceivePrepare", "PrimaryCommit", "ReceiveCommit",
		"WalkExecute", "PipelineExecute", "StallTruncate",
		"RepairPrepare",
		"StartViewChange", "ReceiveStartViewChange", "SendDoViewChange", "MergeVotes",
		"BecomePrimary", "ReceiveStartView",
		"Restart", "AnswerProbe", "Recover",
	}, names)
	for _, name := range names {
		assert.True(t, traces.ValidAction(name), name)
	}
	for _, name := range []string{"", "becomeprimary", "BecomePrimary ", "Next"} {
		assert.False(t, traces.ValidAction(name), name)
	}
	names[0] = "Spoiled"
	assert.False(t, traces.ValidAction("Spoiled"), "the slice is the caller's own")
	assert.Equal(t, "ClientRequest", traces.Actions()[0])
}
