package linearizability

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written is a generated history and its lines.
func written(t *testing.T) (*History, []string) {
	t.Helper()
	h := mustGenerate(t, GenerateOptions{
		Seed: 3, Model: KV, Operations: 40, Clients: 3, Keys: 2, UnknownShare: 0.1, Plant: PlantNone,
	})
	var text bytes.Buffer
	require.NoError(t, WriteHistory(&text, h))
	return h, strings.SplitAfter(strings.TrimSuffix(text.String(), "\n"), "\n")
}

func TestAHistoryThatIsCutAnywhereIsRefused(t *testing.T) {
	t.Parallel()
	_, lines := written(t)
	whole := strings.Join(lines, "") + "\n"
	_, err := ReadHistory(strings.NewReader(whole), "h")
	require.NoError(t, err)
	for i := 1; i < len(lines); i++ {
		between := strings.Join(lines[:i], "")
		_, err := ReadHistory(strings.NewReader(between), "h")
		require.EqualError(t, err, fmt.Sprintf(`h:%d: expected an operation or the end mark {"end":%d}, `+
			"got the end of the file: the history is cut off", i+1, i-1), "cut behind line %d", i)
		within := between + lines[i][:len(lines[i])/2]
		_, err = ReadHistory(strings.NewReader(within), "h")
		require.ErrorContains(t, err, fmt.Sprintf("h:%d: expected", i+1), "cut within line %d", i+1)
	}
}

func TestALineThatIsMissingOrTwiceIsNoticed(t *testing.T) {
	t.Parallel()
	h, lines := written(t)
	n := len(h.Operations)
	last := lines[len(lines)-1]
	missing := strings.Join(lines[:5], "") + strings.Join(lines[6:], "") + "\n"
	_, err := ReadHistory(strings.NewReader(missing), "h")
	require.EqualError(t, err, fmt.Sprintf(`h:%d: expected the end mark {"end":%d}, `+
		`which counts the operations, got {"end":%d}`, n+1, n-1, n))

	_, err = ReadHistory(strings.NewReader(strings.Join(lines, "")+"\n"+last+"\n"), "h")
	require.EqualError(t, err, fmt.Sprintf(
		"h:%d: expected nothing behind the end mark, got a line", n+3))
}

func TestOlderHistoriesWithoutAnEndMarkAreRead(t *testing.T) {
	t.Parallel()
	h, lines := written(t)
	lines[0] = strings.Replace(lines[0], `"version":2`, `"version":1`, 1)
	old := strings.Join(lines[:len(lines)-1], "")
	got, err := ReadHistory(strings.NewReader(old), "h")
	require.NoError(t, err)
	assert.Equal(t, h, got)

	_, err = ReadHistory(strings.NewReader(old+lines[len(lines)-1]+"\n"), "h")
	require.ErrorContains(t, err, `unknown field "end"`)

	r, err := NewReader(strings.NewReader(old), "h")
	require.NoError(t, err)
	assert.False(t, r.EndMarked())
	_, err = NewReader(strings.NewReader(strings.Replace(old, `"version":1`, `"version":3`, 1)), "h")
	require.EqualError(t, err, "h:1: expected version 1 or 2, got 3")
}

// A value may look like the mark, and the mark may be written with spaces.
func TestTheEndMarkIsToldFromOperations(t *testing.T) {
	t.Parallel()
	text := `{"format":"viewstamp.history","version":2,"model":"kv","unit":"step"}` + "\n" +
		`{"client":1,"id":1,"kind":"put","input":{"value":"{\"end\":0}"},"call":1}` + "\n" +
		`{"client":2,"id":1,"kind":"put","key":"end","input":{"value":"end"},"call":1}` + "\n" +
		` { "end" : 2 }` + "\n"
	h, err := ReadHistory(strings.NewReader(text), "h")
	require.NoError(t, err)
	require.Len(t, h.Operations, 2)
	assert.Equal(t, Text(`{"end":0}`), h.Operations[0].Input.Value)
}
