package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/spec"
)

func TestAMutantOfSeveralModulesIsToldOfEach(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := do(t, "check", "--bug", "adopt_torn")
	require.Equal(t, statusPassed, status)
	require.Contains(t, stdout, "Mutant adopt_torn of PartitionLog: ")
	require.Contains(t, stdout, "Mutant adopt_torn of Journal: ")
	require.Contains(t, stdout, "2 of 2 checks passed")
	require.Equal(t, "viewstamp: told of cfg partition-bug-adopt_torn, journal-bug-adopt_torn; "+
		"--cfg has it of partition-bug-adopt_torn-synced too\n", stderr)
	require.NotContains(t, stdout, "acknowledged = {}")
	_, stdout, _ = do(t, "check", "--bug", "adopt_torn", "--full")
	require.Contains(t, stdout, "acknowledged = {}")
}

func TestADefectThatShowsNothingSaysSo(t *testing.T) {
	t.Parallel()
	status, stdout, _ := do(t, "check", "--cfg", "ci-110", "--bug", "no_nonce")
	require.Equal(t, statusPassed, status)
	require.Contains(t, stdout, "mutant no_nonce shows nothing at cfg ci-110")
	status, stdout, _ = do(t, "check", "--cfg", "ci-110", "--bug", "narrow_repair")
	require.Equal(t, statusFailed, status)
	require.Contains(t, stdout, "mutant narrow_repair ")
}

// What is looked at before the search is not changed by the look.
func TestFilesToWriteAreTriedAndLeftAlone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	fresh := filepath.Join(folder, "fresh")
	require.NoError(t, writable(fresh))
	require.NoError(t, replaceable(fresh))
	require.NoFileExists(t, fresh)
	old := write(t, "old", "text")
	require.NoError(t, writable(old))
	require.NoError(t, replaceable(old))
	text, err := os.ReadFile(old)
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.NoError(t, writable(os.DevNull), "a device is written, not replaced")
	require.Error(t, replaceable(os.DevNull))
	require.EqualError(t, writable(filepath.Join(fresh, "x")),
		"cannot be written: no such file or directory")
}

func TestAChangedModuleIsNamedOnce(t *testing.T) {
	t.Parallel()
	_, _, stderr := do(t, "check", "--cfg", "ci-110")
	require.Empty(t, stderr, "nothing has changed")
	var text strings.Builder
	writeChanges(&text, []spec.Changed{{Module: "Reads", Golden: []string{"reads-a", "reads-b"}}})
	require.True(t, strings.HasPrefix(text.String(),
		"viewstamp: module Reads changed since its golden files: "), text.String())
	require.Contains(t, text.String(), "'viewstamp check --graphs --cfg reads-a'")
	require.Equal(t, 1, strings.Count(text.String(), "\n"))
}
