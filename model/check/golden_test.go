package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/spec"
)

// The Go model has the state graphs that TLC wrote, state by state and edge by edge.
func TestGoldenGraphs(t *testing.T) {
	t.Parallel()
	cfgs := manifest(t).GoldenCfgs()
	require.NotEmpty(t, cfgs)
	for _, cfg := range cfgs {
		t.Run(cfg.Name, func(t *testing.T) {
			t.Parallel()
			outcome, err := Golden(t.Context(), cfg, Options{})
			require.NoError(t, err)
			assert.Equal(t, Passed, outcome.Status, outcome.Reason)
			assert.InDelta(t, cfg.Distinct, outcome.Figures[FigureDistinct], 0)
		})
	}
}

func TestAMutantIsNotGolden(t *testing.T) {
	t.Parallel()
	outcome, err := Golden(t.Context(), lookup(t, "ci-110"), Options{Bug: "narrow_repair"})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)
	assert.Contains(t, outcome.Reason, "the Go model's state graph is not the golden one: ")
	assert.Regexp(t, `RepairPrepare: Go \d+, golden \d+`, outcome.Reason)
	assert.Regexp(t, `(?m)^golden  [0-9a-f]{64}$`, outcome.Detail)

	_, err = Golden(t.Context(), lookup(t, "ci-110"), Options{Bug: "narrow"})
	require.ErrorContains(t, err, `bug "narrow": not a mutant of VSR`)
}

func TestAStaleGoldenFileFails(t *testing.T) {
	t.Parallel()
	cfg := lookup(t, "ci-110-pipeline")
	golden, err := spec.ReadGolden(cfg)
	require.NoError(t, err)
	golden.SpecSHA256 = strings.Repeat("ab", 32)
	outcome, err := compareGolden(t.Context(), cfg, golden, golden.CheckCurrent(cfg), Options{})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)
	assert.Contains(t, outcome.Reason, "spec changed, golden stale: run make golden")
}

func TestACfgWithoutGoldenFileFails(t *testing.T) {
	t.Parallel()
	outcome, err := Golden(t.Context(), lookup(t, "bug-no_nonce"), Options{})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)
	assert.Contains(t, outcome.Reason, "no file golden/bug-no_nonce.json, expected one")
}

// Graph equality at the golden cfgs would notice each mutant, even those that break
// no invariant at these bounds.
func TestGoldenCfgsAreAdequate(t *testing.T) {
	t.Parallel()
	done := 0
	outcome, err := Adequacy(t.Context(), manifest(t).GoldenCfgs(), AdequacyOptions{
		First: true, Progress: func(int, int) { done++ },
	})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status, outcome.Reason)
	mutants := mutantsOf(t, manifest(t).GoldenCfgs())
	assert.Greater(t, mutants, 48)
	assert.Len(t, outcome.Mutants, mutants)
	assert.Equal(t, mutants, done)
	assert.Regexp(t, `(?m)^ack_over_hole +ci-210-lazy +after \d+ steps: also `, outcome.Detail)
	for _, seen := range outcome.Mutants {
		assert.Len(t, seen.At, 1, seen.Mutant)
	}
}

// mutantsOf counts the mutants of the cfgs' modules.
func mutantsOf(t *testing.T, cfgs []spec.Cfg) int {
	t.Helper()
	modules, count := map[string]bool{}, 0
	for _, cfg := range cfgs {
		if modules[cfg.Module] {
			continue
		}
		modules[cfg.Module] = true
		mutants, err := spec.Mutants(cfg.Module)
		require.NoError(t, err)
		count += len(mutants)
	}
	return count
}

// A first different step and a different digest are the same thing.
func TestFirstDifferenceAgreesWithDigests(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"ci-110", "ci-110-pipeline", "partition-clean", "sessions-graph-capacity",
	} {
		cfg := lookup(t, name)
		digest := func(bugs []string) string {
			graph, err := graphByGo(t.Context(), cfg, bugs, false)
			require.NoError(t, err)
			return graph.Digest()
		}
		clean := digest(nil)
		outcome, err := Adequacy(t.Context(), []spec.Cfg{cfg}, AdequacyOptions{})
		require.NoError(t, err)
		for _, seen := range outcome.Mutants {
			assert.Equal(t, clean != digest([]string{seen.Mutant}), len(seen.At) > 0,
				"%s at %s", seen.Mutant, name)
		}
	}
}

func TestASetThatMissesAMutantIsInadequate(t *testing.T) {
	t.Parallel()
	set := []spec.Cfg{lookup(t, "ci-110-pipeline"), lookup(t, "partition-clean")}
	hurried, err := Adequacy(t.Context(), set, AdequacyOptions{First: true})
	require.NoError(t, err)
	outcome, err := Adequacy(t.Context(), set, AdequacyOptions{})
	require.NoError(t, err)
	assert.Equal(t, outcome.Reason, hurried.Reason, "a glance misses nothing that shows")
	assert.Equal(t, Failed, outcome.Status)
	assert.Contains(t, outcome.Reason, "inadequate: headers_volatile, ")
	assert.Contains(t, outcome.Reason, "change no digest at ci-110-pipeline, partition-clean")
	assert.Regexp(t, `(?m)^no_nonce +\(none\)$`, outcome.Detail)
	assert.Regexp(t, `(?m)^adopt_torn +partition-clean +after 3 steps: also Restart`, outcome.Detail)
	assert.Less(t, outcome.Figures[FigureMutantsCaught], outcome.Figures[FigureMutants])

	_, err = Adequacy(t.Context(), []spec.Cfg{lookup(t, "bug-no_nonce")}, AdequacyOptions{})
	require.EqualError(t, err, "adequacy: cfg bug-no_nonce is a mutant's, expected clean ones")

	outcome, err = Adequacy(t.Context(), nil, AdequacyOptions{})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status, "nothing looked for is nothing shown")
}

func TestClaimsOfComments(t *testing.T) {
	t.Parallel()
	outcome, err := Claims(t.Context(), "PartitionLog", Options{})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status, outcome.Reason)
	assert.Regexp(t, `(?m)^SyncSafe +first_not_longest +broken in \d+ states$`, outcome.Detail)

	outcome, err = Claims(t.Context(), "Sessions", Options{})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status, outcome.Reason)
	assert.Regexp(t, `(?m)^NumberOnce +duplicate_in_pipeline +broken in 10 states$`, outcome.Detail)

	outcome, err = Claims(t.Context(), "Journal", Options{})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status, outcome.Reason)
	assert.InDelta(t, 31, outcome.Figures[FigureMutants], 0)

	_, err = Claims(t.Context(), "Partition", Options{})
	require.ErrorContains(t, err, `module "Partition": no such module`)
}

func TestAWrongClaimFails(t *testing.T) {
	t.Parallel()
	outcome, err := verifyClaims(t.Context(), "PartitionLog", []spec.Invariant{
		{Name: "NoTorn", File: "PartitionLog.tla", Line: 7, Mutants: []string{"adopt_torn"}},
		{
			Name: "SyncSafe", File: "PartitionLog.tla", Line: 9,
			Mutants: []string{"nack_after_restart"},
		},
	}, Options{})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)
	assert.Equal(t, "PartitionLog.tla:9: mutant nack_after_restart does not break SyncSafe",
		outcome.Reason)

	outcome, err = verifyClaims(t.Context(), "PartitionLog", nil, Options{})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)
}
