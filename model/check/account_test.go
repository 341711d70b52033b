package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAccountOfASearch(t *testing.T) {
	t.Parallel()
	outcome, err := Go(t.Context(), lookup(t, "ci-110"), Options{Workers: 1})
	require.NoError(t, err)
	require.Equal(t, Passed, outcome.Status)
	for _, text := range []string{
		"successors of a state: 3.1 on average", "beyond the state itself",
		"states taken for one another: ", "taken: ClientRequest ",
		"never taken: PipelineExecute, StallTruncate, Restart, AnswerProbe, Recover\n",
	} {
		assert.Contains(t, outcome.Detail, text)
	}
	assert.NotContains(t, outcome.Detail, "not reached")
}
