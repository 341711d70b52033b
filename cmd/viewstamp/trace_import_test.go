package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces/iggysim/sample"
)

func TestAnImportedLogGetsAVerdict(t *testing.T) {
	t.Parallel()
	log := write(t, "cluster.log", "a line of another target\n"+
		strings.Join(sample.Standard(3), "\n")+"\n")
	out := filepath.Join(t.TempDir(), "cluster.jsonl")
	status, stdout, stderr := do(t, "trace", "import", "--from", "iggy.sim", log, "--out", out)
	require.Equal(t, statusPassed, status, stderr)
	require.Contains(t, stdout, "1 foreign lines, 0 lost lines; 3 replicas, quorum 2, 2 groups")

	status, stdout, stderr = do(t, "trace", "conform", out)
	require.Equal(t, statusPassed, status, stdout+stderr)
	require.Contains(t, stdout, "could not be checked")
	require.Contains(t, stdout, "what the trace cannot show")

	status, stdout, stderr = do(t, "trace", "import", "--from", "iggy.sim", log)
	require.Equal(t, statusPassed, status, stderr)
	require.True(t, strings.HasPrefix(stdout, `{"format":"viewstamp.trace"`), stdout)
	require.Contains(t, stderr, "foreign lines")
}

func TestABrokenLogIsRejectedAtItsLine(t *testing.T) {
	t.Parallel()
	place := sample.Break(sample.Standard(3), sample.ChecksumChanged)[0]
	log := write(t, "cluster.log", strings.Join(place.Lines, "\n")+"\n")
	out := filepath.Join(t.TempDir(), "cluster.jsonl.zst")
	status, _, stderr := do(t, "trace", "import", "--from", "iggy.sim", log, "--out", out)
	require.Equal(t, statusPassed, status, stderr)
	status, stdout, _ := do(t, "trace", "conform", out)
	require.Equal(t, statusFailed, status)
	require.Contains(t, stdout, "SameChecksum: args.checksum expected")
	require.Contains(t, stdout, "known:")
}

func TestATraceWithoutItsEndIsExplainedUpToALine(t *testing.T) {
	t.Parallel()
	run := filepath.Join(t.TempDir(), "run.jsonl")
	status, _, stderr := do(t, "sim", "run", "--seed", "7", "--ticks", "300", "--trace", run)
	require.Equal(t, statusPassed, status, stderr)
	data, err := os.ReadFile(run)
	require.NoError(t, err)
	text := string(data)
	cut := write(t, "cut.jsonl", text[:len(text)*2/3])
	whole := strings.Count(text[:len(text)*2/3], "\n")
	status, stdout, _ := do(t, "trace", "conform", cut)
	require.Equal(t, statusUndecided, status, stdout)
	require.Contains(t, stdout, fmt.Sprintf("explained up to line %d;", whole))
}
