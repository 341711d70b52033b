package linearizability

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func shippedDir(t *testing.T) string {
	t.Helper()
	dir, ok := PorcupineTestData()
	require.True(t, ok, "the Porcupine module is a dependency, so its test data is at hand")
	return dir
}

func TestShippedHistoriesHaveTheVerdictsOfPorcupinesTests(t *testing.T) {
	t.Parallel()
	results, err := CheckPorcupineSuite(t.Context(), shippedDir(t), checkMax)
	require.NoError(t, err)
	require.Len(t, results, 108)
	operations, counts := 0, map[Verdict]int{}
	for _, r := range results {
		assert.True(t, r.Passed(), "%s: expected %s, got %s", r.File, r.Expected, r.Report.Summary())
		assert.Positive(t, r.Report.Operations, r.File)
		operations += r.Report.Operations
		counts[r.Report.Verdict]++
	}
	assert.Equal(t, 26, counts[Linearizable])
	assert.Equal(t, 82, counts[Violation])
	assert.Equal(t, 13097, operations)
}

// Every shipped file has a verdict, but for the one that is empty.
func TestNoShippedHistoryIsLeftOut(t *testing.T) {
	t.Parallel()
	dir, known := shippedDir(t), KnownVerdicts()
	var left []string
	for _, pattern := range []string{"jepsen/*.log", "kv/*.txt"} {
		files, err := fs.Glob(os.DirFS(dir), pattern)
		require.NoError(t, err)
		for _, file := range files {
			if _, has := known[file]; !has {
				left = append(left, file)
			}
			delete(known, file)
		}
	}
	assert.Equal(t, []string{"jepsen/etcd_095.log"}, left)
	assert.Empty(t, known, "verdicts of files that do not exist")
	empty, err := os.Stat(filepath.Join(dir, "jepsen", "etcd_095.log"))
	require.NoError(t, err)
	assert.Zero(t, empty.Size())
}

func TestWitnessesOfShippedViolationsAreSmall(t *testing.T) {
	t.Parallel()
	dir := shippedDir(t)
	for file, left := range map[string]int{
		"jepsen/etcd_000.log": 3, // A read of an overwritten value.
		"jepsen/etcd_081.log": 5,
		"kv/c01-bad.txt":      3, // A get without an append that had returned.
		"kv/c10-bad.txt":      5,
		"kv/c50-bad.txt":      6,
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			h, err := importShipped(dir, file)
			require.NoError(t, err)
			require.NoError(t, h.Validate())
			report := mustCheck(t, h, CheckOptions{})
			require.Equal(t, Violation, report.Verdict)
			w := report.Witness
			assert.True(t, w.Minimal)
			assert.Len(t, w.Operations, left)
			spec, _ := h.Model.specification()
			assert.Equal(t, Violation, plainVerdict(spec, w.pointers()))
			require.NotNil(t, w.Conflict)
			assert.Equal(t, ConflictStale, w.Conflict.Kind)
		})
	}
}

func TestSuiteReportsWrongVerdictsAndMissingFiles(t *testing.T) {
	t.Parallel()
	t.Run("a verdict that is not the expected one does not pass", func(t *testing.T) {
		t.Parallel()
		assert.True(t, SuiteResult{Expected: Violation, Report: Report{Verdict: Violation}}.Passed())
		assert.False(t, SuiteResult{Expected: Violation, Report: Report{Verdict: Linearizable}}.Passed())
		assert.False(t, SuiteResult{Expected: Linearizable, Report: Report{Verdict: Undecided}}.Passed())
	})
	t.Run("a folder without the files is an error", func(t *testing.T) {
		t.Parallel()
		_, err := CheckPorcupineSuite(t.Context(), t.TempDir(), time.Second)
		require.ErrorIs(t, err, os.ErrNotExist)
	})
	t.Run("a file that was changed is an error with its place", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(shippedDir(t))))
		spoiled := filepath.Join(dir, "jepsen", "etcd_042.log")
		require.NoError(t, os.Chmod(spoiled, 0o600))
		require.NoError(t, os.WriteFile(spoiled, []byte("INFO\n"), 0o600))
		_, err := CheckPorcupineSuite(t.Context(), dir, time.Nanosecond)
		require.ErrorContains(t, err, "jepsen/etcd_042.log:1: expected")
	})
	t.Run("no time leaves all undecided", func(t *testing.T) {
		t.Parallel()
		results, err := CheckPorcupineSuite(t.Context(), shippedDir(t), time.Nanosecond)
		require.NoError(t, err)
		for _, r := range results {
			assert.Equal(t, Undecided, r.Report.Verdict)
			assert.Equal(t, StopTime, r.Report.Stop)
		}
	})
}
