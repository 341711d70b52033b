package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASizeIsReadWithItsUnit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1": 1, "2GiB": 2 << 30, "500MiB": 500 << 20, "1.5 KiB": 1536, "3GB": 3e9, "7B": 7,
	} {
		var s size
		require.NoError(t, s.Set(text), text)
		assert.Equal(t, want, int64(s), text)
	}
	for _, text := range []string{"", "GiB", "-1", "0", "2 cows", "9e99", "NaN"} {
		var s size
		require.Error(t, s.Set(text), text)
	}
}

func TestASmallMemoryLimitLeavesTheCheckUndecided(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "search")
	status, stdout, _ := do(t, "check", "--cfg", "ci-111", "--memory", "1KiB")
	require.Equal(t, statusUndecided, status, stdout)
	assert.Contains(t, stdout, "ended by the memory limit after 1 states of depth 1, before all")
	assert.Contains(t, stdout, "more --memory or a smaller cfg would help")
	status, stdout, _ = do(t, "check", "--cfg", "ci-111", "--memory", "1KiB", "--save", file)
	require.Equal(t, statusUndecided, status, stdout)
	assert.Contains(t, stdout, "it goes on with --resume")
	status, stdout, _ = do(t, "check", "--cfg", "ci-111", "--resume", file)
	require.Equal(t, statusPassed, status, stdout)
	assert.Contains(t, stdout, "13,503 states, 52,989 transitions, depth 20, 25/25 goals")

	status, stdout, stderr := do(t, "check", "--cfg", "ci-110", "--resume", file)
	require.Equal(t, statusUsage, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "expected")
	assert.Contains(t, stderr, "cannot be resumed")
	require.NoError(t, os.WriteFile(file, []byte("hello"), 0o600))
	status, stdout, stderr = do(t, "check", "--cfg", "ci-111", "--resume", file, "--json")
	require.Equal(t, statusUsage, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "no saved search")
}

func TestATimeLimitLeavesTheCheckUndecided(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "search")
	command := "check --cfg ci-211-lazy --time 150ms --save " + file
	status, stdout, _ := do(t, strings.Fields(command)...)
	require.Equal(t, statusUndecided, status, stdout)
	assert.Contains(t, stdout, "ended by an interruption after ")
	assert.FileExists(t, file)
}
