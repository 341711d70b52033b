package main

import (
	"encoding/json"
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
	assert.Contains(t, stdout, "checkpoint at op 8, paired at 8")
	assert.Contains(t, stdout, "above_checkpoint")

	status, stdout, _ = do(t, "inspect", "--json", directory)
	assert.Equal(t, statusPassed, status)
	var r inspect.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	assert.Len(t, r.Groups, 2)

	for _, name := range []string{"1", "2"} {
		at := filepath.Join(directory, "groups/000000000000000"+name,
			"snapshots/00000000000000000008.snapshot")
		require.NoError(t, os.Truncate(at, 40))
	}
	status, stdout, _ = do(t, "inspect", directory)
	assert.Equal(t, statusFailed, status)
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
