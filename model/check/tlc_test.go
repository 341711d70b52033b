package check

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// oneRun keeps the runs of Java apart: each takes all that a small machine has.
var oneRun sync.Mutex

// tools returns TLC, or skips the test where there is none. Where TLC is required a
// skip is a failure.
func tools(t *testing.T) *tlc.Tools {
	t.Helper()
	found, err := tlc.Locate(t.Context())
	if reason, unavailable := Unavailable(err); unavailable && !tlc.Required() {
		t.Skip("SKIPPED: " + reason)
	}
	require.NoError(t, err)
	oneRun.Lock()
	t.Cleanup(oneRun.Unlock)
	return found
}

func TestTLCAgreesWithTheManifest(t *testing.T) {
	t.Parallel()
	found := tools(t)
	clean := lookup(t, "ci-110-pipeline")
	outcome, err := TLC(t.Context(), found, clean, Options{})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status, outcome.Reason)
	assert.Equal(t, "check/ci-110-pipeline", outcome.Name)
	assert.Positive(t, outcome.Figures[FigureStatesPerCPUSecond])

	clean.Distinct++
	outcome, err = TLC(t.Context(), found, clean, Options{})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status, "a manifest that is wrong by one must not pass")
}

func TestTLCNamesTheStepsOfACounterexample(t *testing.T) {
	t.Parallel()
	found := tools(t)
	outcome, err := TLC(t.Context(), found, lookup(t, "bug-start_hollow"), Options{})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status, outcome.Reason)
	require.NotNil(t, outcome.Counterexample)
	assert.Contains(t, outcome.Counterexample.Text, "TLC: PipelineBacked is violated in state ")
	assert.Regexp(t, `(?m)^ +\d+  BecomePrimary\(1\)$`, outcome.Counterexample.Text)
	assert.Regexp(t, `(?m)^        requests = 1$`, outcome.Counterexample.Text)

	outcome, err = TLC(t.Context(), found, lookup(t, "ci-110-pipeline"), Options{Bug: "start_hollow"})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)
	assert.Contains(t, outcome.Reason, "expected no violation")
}

func TestTLCNamesTemporalProperties(t *testing.T) {
	t.Parallel()
	found := tools(t)
	for name, want := range map[string]string{
		"refine-bug-volatile_view":        "TLC: Refines is violated in state 3",
		"live-bug-commit_number_not_sent": "TLC: Progress is violated in state 6",
	} {
		outcome, err := TLC(t.Context(), found, lookup(t, name), Options{})
		require.NoError(t, err)
		assert.Equal(t, Passed, outcome.Status, outcome.Reason)
		require.NotNil(t, outcome.Counterexample)
		assert.Contains(t, outcome.Counterexample.Text, want)
	}
}

func TestGraphsAreEqual(t *testing.T) {
	t.Parallel()
	found := tools(t)
	cfg := lookup(t, "ci-110-pipeline")
	dir := t.TempDir()
	outcomes, err := WriteGolden(t.Context(), found, dir, cfg)
	require.NoError(t, err)
	require.Len(t, outcomes, 1)
	assert.True(t, outcomes[0].Equal)
	assert.Equal(t, outcomes[0].Go, outcomes[0].TLC)
	written, err := os.ReadFile(filepath.Join(dir, cfg.Name+".json"))
	require.NoError(t, err)
	assert.Equal(t, string(spec.Files()["golden/"+cfg.Name+".json"]), string(written))
}

func TestGraphsOfAMutantDiffer(t *testing.T) {
	t.Parallel()
	found := tools(t)
	cfg := lookup(t, "ci-110-pipeline")
	outcome, err := Graphs(t.Context(), found, cfg, Options{Bug: "narrow_repair"})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)
	assert.False(t, outcome.Equal)
	assert.Contains(t, outcome.Reason, "the state graphs differ: ")
	assert.Contains(t, outcome.Detail, "only in B: ")
	assert.Contains(t, outcome.Detail, "RepairPrepare")

	err = writeGolden(t.TempDir(), cfg, outcome)
	require.ErrorIs(t, err, ErrGraphsDiffer, "no golden file of graphs that differ")
}

func TestWithoutTLCItIsSkipped(t *testing.T) {
	t.Parallel()
	outcome, err := TLC(t.Context(), nil, lookup(t, "ci-110"), Options{NoTLC: "no java"})
	require.NoError(t, err)
	assert.Equal(t, Skipped, outcome.Status)
	assert.Equal(t, "no java", outcome.Reason)

	graphs, err := Graphs(t.Context(), nil, lookup(t, "ci-110"), Options{})
	require.NoError(t, err)
	assert.Equal(t, Skipped, graphs.Status)
	assert.False(t, graphs.Equal)
	assert.Equal(t, "TLC is not available", graphs.Reason)

	_, err = WriteGolden(t.Context(), nil, t.TempDir())
	require.EqualError(t, err, "write golden files: no TLC, expected it")

	reason, unavailable := Unavailable(&tlc.Unavailable{Reason: "no java"})
	assert.True(t, unavailable)
	assert.Equal(t, "no java", reason)
	_, unavailable = Unavailable(os.ErrNotExist)
	assert.False(t, unavailable)
}
