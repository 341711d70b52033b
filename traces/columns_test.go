package traces_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
)

func TestColumnsMarkWhatDiffers(t *testing.T) {
	t.Parallel()
	want := exampleEvent().After
	got := want
	got.CommitMax, got.Hollow = 9, []uint64{4, 5}
	text := traces.Columns("r1", "model", "cores", want, got)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	require.Len(t, lines, 1+len(traces.StateFields(want)))
	assert.Regexp(t, `^  r1 +model +cores$`, lines[0])
	var marked []string
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, "!") {
			marked = append(marked, strings.Join(strings.Fields(line), " "))
		}
	}
	assert.Equal(t, []string{"! hollow {} {4,5}", "! commit_max 20 9"}, marked)
	assert.NotContains(t, traces.Columns("r1", "model", "cores", want, want), "!")
}
