package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/checkpoint/crashtest"
	"github.com/viewstamp/viewstamp/impl/inspect"
	"github.com/viewstamp/viewstamp/impl/storage"
)

var update = flag.Bool("update", false, "rewrite the expected output; read the diff")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o600))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func TestInspectExplainsADataDirectory(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	disk, err := storage.OpenDirectory(directory)
	require.NoError(t, err)
	require.NoError(t, crashtest.Fill(disk))
	require.NoError(t, disk.Close())

	status, stdout, stderr := do(t, "inspect", directory)
	assert.Equal(t, statusPassed, status)
	assert.Empty(t, stderr)
	golden(t, "inspect.txt", strings.ReplaceAll(stdout, directory, "DIR"))

	status, stdout, _ = do(t, "inspect", "--json", directory)
	assert.Equal(t, statusPassed, status)
	golden(t, "inspect.json", strings.ReplaceAll(stdout, directory, "DIR"))
	decoder := json.NewDecoder(strings.NewReader(stdout))
	var r inspect.Report
	require.NoError(t, decoder.Decode(&r))
	assert.Len(t, r.Groups, 2)
	assert.False(t, decoder.More(), "one object and nothing else")

	for _, name := range []string{"1", "2"} {
		at := filepath.Join(directory, "groups/000000000000000"+name,
			"snapshots/00000000000000000008.snapshot")
		require.NoError(t, os.Truncate(at, 40))
	}
	status, stdout, _ = do(t, "inspect", directory)
	assert.Equal(t, statusFailed, status)
	golden(t, "inspect_refused.txt", strings.ReplaceAll(stdout, directory, "DIR"))
	assert.Equal(t, 2, strings.Count(stdout, "REFUSED"))
}

func TestInspectRefusesInOneLine(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		line string
		want int
	}{
		"no such directory": {"inspect none", statusFailed},
		"a file":            {"inspect inspect.go", statusFailed},
		"a foreign one":     {"inspect testdata", statusFailed},
		"nothing named":     {"inspect", statusUsage},
		"no cluster":        {"inspect --cluster ? testdata", statusUsage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := do(t, strings.Fields(tc.line)...)
			assert.Equal(t, tc.want, status)
			assert.Empty(t, stdout)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		})
	}
}
