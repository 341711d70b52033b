package spec

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestActionComments(t *testing.T) {
	t.Parallel()

	t.Run("the first sentence is kept, over the end of a line", func(t *testing.T) {
		t.Parallel()
		comments, err := ActionComments("VSR")
		require.NoError(t, err)
		assert.Equal(t, ActionComment{
			Name: "ReceiveStartView", Parameters: []string{"r", "v"},
			Sentence: "r learns that view v has started",
		}, comments["ReceiveStartView"])
		assert.Equal(t, "r has waited long enough for its primary, for the end of a "+
			"view change or for an answer to its probe", comments["StartViewChange"].Sentence)
	})

	t.Run("an action without parameters has none", func(t *testing.T) {
		t.Parallel()
		comments, err := ActionComments("Journal")
		require.NoError(t, err)
		assert.Equal(t, ActionComment{
			Name: "WriteBatch", Sentence: "the queue becomes a batch in the page cache",
		}, comments["WriteBatch"])
	})

	t.Run("an unknown module is an error", func(t *testing.T) {
		t.Parallel()
		_, err := ActionComments("Absent")
		require.ErrorContains(t, err, "Absent")
	})
}
