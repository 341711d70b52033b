package scenario_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces/scenario"
)

var update = flag.Bool("update", false, "rewrite the expected output of scenarios")

// files returns the scenarios: one folder for each sub-protocol, and one for each public bug
// under regress.
func files(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"*.txt", filepath.Join("*", "*.txt")} {
		some, err := filepath.Glob(filepath.Join("..", "testdata", "*", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, some)
		found = append(found, some...)
	}
	return found
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, path := range files(t) {
		name, err := filepath.Rel(filepath.Join("..", "testdata"), path)
		require.NoError(t, err)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			result, err := scenario.RunFile(path)
			require.NoError(t, err)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(result.Output), 0o644))
				return
			}
			require.Empty(t, result.Differences)
			twin := strings.HasPrefix(filepath.Base(path), "twin_")
			failed := strings.Contains(result.Output, "FAILED: ") ||
				strings.Contains(result.Output, "panic: ")
			require.Equal(t, twin, failed, "a twin must fail, and nothing else may")
		})
	}
}

// A folder without a twin shows nothing: its checks might be unable to fail.
func TestEachFolderHasATwin(t *testing.T) {
	t.Parallel()
	twins := map[string]int{}
	for _, path := range files(t) {
		folder := filepath.Dir(path)
		twins[folder] += 0
		if strings.HasPrefix(filepath.Base(path), "twin_") {
			twins[folder]++
		}
	}
	require.Greater(t, len(twins), 8)
	for folder, n := range twins {
		require.Positive(t, n, "%s has no twin", folder)
	}
}

func TestCommandsOutOfPlaceAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ command, why string }{
		"of no replica":                {"crash", "expected a replica, r0 to r2"},
		"of a replica that is not":     {"crash r3", "expected r0 to r2"},
		"a loss of what is no message": {"drop rain", "expected any or one of"},
		"a delay of nothing":           {"delay", "expected a command such as prepare"},
		"nothing was kept":             {"deliver", "nothing was kept"},
		"no part of a replica":         {"hold r0 clock", "expected one of [machine disk reads]"},
		"an op that is not stored":     {"rot r0 op=1", "expected an op that it has stored"},
		"a read of who is down":        {"crash r1\nread r1", "it is down"},
		"a checkpoint of who is down":  {"crash r1\ncheckpoint r1", "it is down"},
		"a number that is none":        {"cluster replicas=many", "expected a number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := scenario.Run("story", "cluster\n"+c.command+"\n----\n")
			require.ErrorContains(t, err, c.why)
		})
	}
}
