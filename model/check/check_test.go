package check

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/spec"
)

// heavy are the cfgs whose search takes more than some seconds; the tool runs them
// ("viewstamp check --all").
var heavy = []string{
	"atomic-21", "bug-ack_over_hole", "bug-headers_volatile", "bug-longest_log", "ci-211-lazy",
	"sessions", "sessions-evict", "sessions-window", "sessions-owner",
	"sessions-upstream-evict",
	"journal-views", "journal-checkpoint-twice",
	"merge-restarts", "merge-rot-power", "merge-persisted-over", "merge-commit-kept",
	"merge-n2-rot", "merge-n4", "merge-n5", "merge-bug-untrusted_nacks-n5",
	"merge-bug-prepare_ok_of_any_view",
	"transfer", "transfer-crash", "transfer-late", "transfer-late-views", "transfer-chunks",
	"transfer-retain", "transfer-ack-during", "transfer-pipeline", "transfer-pipeline-crash",
	"transfer-pipeline-checkpoint", "transfer-two-views", "transfer-all", "transfer-four",
	"transfer-all-views",
	"transfer-four-restart", "transfer-four-ops", "transfer-five",
	"transfer-bug-transfer_keeps_dead_suffix", "transfer-bug-acks_withheld_stay_withheld",
	"transfer-bug-loose",
}

func lookup(t *testing.T, name string) spec.Cfg {
	t.Helper()
	cfg, err := spec.Lookup(name)
	require.NoError(t, err)
	return cfg
}

func manifest(t *testing.T) *spec.Manifest {
	t.Helper()
	m, err := spec.Read()
	require.NoError(t, err)
	return m
}

// Each clean cfg has the states and the depth of the manifest, each mutant is caught
// by the expected property in the expected number of states; together the runs take
// every action and reach every goal.
func TestGoAgreesWithTheManifest(t *testing.T) {
	t.Parallel()
	var outcomes []Outcome
	for _, cfg := range manifest(t).Cfgs {
		if cfg.Tier == spec.TierNightly || slices.Contains(heavy, cfg.Name) {
			continue
		}
		outcome, err := Go(t.Context(), cfg, Options{})
		require.NoError(t, err)
		assert.Equal(t, Passed, outcome.Status, "%s: %s", outcome.Name, outcome.Reason)
		assert.Empty(t, outcome.Reason)
		assert.Equal(t, "viewstamp check --cfg "+cfg.Name+" --engine go", outcome.Reproduce)
		if cfg.IsClean() {
			assert.Nil(t, outcome.Counterexample)
			assert.InDelta(t, cfg.Distinct, outcome.Figures[FigureDistinct], 0)
		} else {
			require.NotNil(t, outcome.Counterexample)
			assert.Equal(t, cfg.Counterexample, outcome.Counterexample.States)
			assert.InDelta(t, 1, outcome.Figures[FigureMutantsCaught], 0)
		}
		outcomes = append(outcomes, outcome)
	}
	coverage := Coverage(outcomes)
	assert.Equal(t, Passed, coverage.Status, coverage.Reason)
	assert.InDelta(t, coverage.Figures[FigureActionsTotal], coverage.Figures[FigureActionsCovered], 0)
	assert.InDelta(t, coverage.Figures[FigureSometimesTotal], coverage.Figures[FigureSometimesHit], 0)
}

// Negative controls: a manifest that is wrong by one must not pass.
func TestGoRefusesAWrongManifest(t *testing.T) {
	t.Parallel()
	clean, mutant := lookup(t, "ci-110"), lookup(t, "bug-start_hollow")
	for name, tc := range map[string]struct {
		cfg    spec.Cfg
		change func(c *spec.Cfg)
		want   string
	}{
		"one state too many": {
			clean, func(c *spec.Cfg) { c.Distinct++ }, "distinct states, the manifest says",
		},
		"one level too many": {
			clean, func(c *spec.Cfg) { c.Depth++ }, "the manifest says",
		},
		"a longer counterexample": {
			mutant, func(c *spec.Cfg) { c.Counterexample++ }, "states (",
		},
		"a shorter counterexample": {
			mutant, func(c *spec.Cfg) { c.Counterexample-- }, "states (",
		},
		"another property": {
			mutant, func(c *spec.Cfg) { c.Expect = []string{"NoStall"} },
			"expected a violation of NoStall",
		},
		"a clean cfg where the mutant shows": {
			mutant, func(c *spec.Cfg) { c.Expect = []string{spec.Clean} }, "expected no violation",
		},
		"an invariant less, which the mutant needs": {
			mutant, func(c *spec.Cfg) { c.Config.Invariants = []string{"TypeOK"} },
			"mutant start_hollow is not caught",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := tc.cfg
			tc.change(&cfg)
			outcome, err := Go(t.Context(), cfg, Options{})
			require.NoError(t, err)
			assert.Equal(t, Failed, outcome.Status)
			assert.Contains(t, outcome.Reason, tc.want)
			assert.NotContains(t, outcome.Reason, "\n")
		})
	}
}

func TestBugTakesThePlaceOfTheCfgs(t *testing.T) {
	t.Parallel()
	outcome, err := Go(t.Context(), lookup(t, "ci-110"), Options{Bug: "start_hollow"})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)
	assert.Contains(t, outcome.Reason, "PipelineBacked is violated in ")
	assert.Contains(t, outcome.Reason, "expected no violation")
	assert.Equal(t, "viewstamp check --cfg ci-110 --engine go --bug start_hollow", outcome.Reproduce)

	// A mutant that no invariant sees at a bound may still change the count.
	outcome, err = Go(t.Context(), lookup(t, "ci-110"), Options{Bug: "narrow_repair"})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)

	// One that shows nothing passes, and says so.
	outcome, err = Go(t.Context(), lookup(t, "ci-110"), Options{Bug: "no_nonce"})
	require.NoError(t, err)
	assert.Equal(t, Passed, outcome.Status)
	assert.True(t, strings.HasPrefix(outcome.Detail,
		"mutant no_nonce shows nothing at cfg ci-110: it breaks no property there"), outcome.Detail)

	outcome, err = Go(t.Context(), lookup(t, "bug-start_hollow"), Options{Bug: "no_nonce"})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)
	assert.Contains(t, outcome.Reason, "mutant no_nonce breaks no property at cfg bug-start_hollow")

	_, err = Go(t.Context(), lookup(t, "ci-110"), Options{Bug: "start_hollo"})
	require.ErrorContains(t, err,
		`bug "start_hollo": not a mutant of VSR, expected one of stall_is_pipeline, `)
}

func TestCounterexampleCanBeReadAndReplayed(t *testing.T) {
	t.Parallel()
	outcome, err := Go(t.Context(), lookup(t, "bug-stall_is_pipeline"), Options{})
	require.NoError(t, err)
	c := outcome.Counterexample
	require.NotNil(t, c)
	assert.Contains(t, c.Text, "PipelineBacked is violated in state 12")
	assert.Contains(t, c.Text, "StallTruncate(")
	assert.NotEmpty(t, c.Reason)
	require.Len(t, c.VSR, c.States)
	assert.Equal(t, "StallTruncate", c.VSR[c.States-1].Action.Name())
	assert.NotZero(t, c.VSRConfig.Bugs)
	assert.Nil(t, c.Partition)

	outcome, err = Go(t.Context(), lookup(t, "partition-bug-adopt_torn"), Options{})
	require.NoError(t, err)
	require.Len(t, outcome.Counterexample.Partition, 5)
	assert.Nil(t, outcome.Counterexample.VSR)
}

func TestALimitLeavesItUndecided(t *testing.T) {
	t.Parallel()
	outcome, err := Go(t.Context(), lookup(t, "ci-120"), Options{MaxStates: 5000})
	require.NoError(t, err)
	assert.Equal(t, Undecided, outcome.Status)
	assert.Contains(t, outcome.Reason, "before all were visited")

	ended, end := context.WithCancel(t.Context())
	end()
	outcome, err = Go(ended, lookup(t, "bug-longest_log"), Options{})
	require.NoError(t, err)
	assert.Equal(t, Undecided, outcome.Status, "a mutant that was not found yet is not missed")

	golden, err := Golden(ended, lookup(t, "ci-110"), Options{})
	require.NoError(t, err)
	assert.NotEqual(t, Passed, golden.Status)

	adequacy, err := Adequacy(ended, []spec.Cfg{lookup(t, "ci-110")}, AdequacyOptions{})
	require.NoError(t, err)
	assert.Equal(t, Undecided, adequacy.Status)
}

func TestTemporalPropertiesAreChecked(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"live-110", "refine-110", "live-bug-same_view_sv", "live-bug-join_is_silent",
		"refine-bug-start_hollow", "atomic-11",
	} {
		outcome, err := Go(t.Context(), lookup(t, name), Options{Workers: 1})
		require.NoError(t, err)
		assert.Equal(t, Passed, outcome.Status, "%s: %s", name, outcome.Reason)
	}

	outcome, err := Go(t.Context(), lookup(t, "live-110"), Options{Bug: "join_is_silent"})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status, "a clean cfg with a mutant must not pass")
	assert.Contains(t, outcome.Reason, "ViewChangeCompletes is violated in 4 states")
	outcome, err = Go(t.Context(), lookup(t, "refine-110"), Options{Bug: "start_hollow"})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status)
	assert.Contains(t, outcome.Reason, "Refines is violated in 8 states")
	assert.Contains(t, outcome.Counterexample.Text, "seen in AtomicViewChange")

	cfg := lookup(t, "live-110")
	cfg.Config.Constants, err = cfg.Config.Constants.With("MaxRequest", 0)
	require.NoError(t, err)
	cfg.Config.Constants, err = cfg.Config.Constants.With("MaxView", 0)
	require.NoError(t, err)
	cfg.Distinct, cfg.Depth = 1, 1
	outcome, err = Go(t.Context(), cfg, Options{})
	require.NoError(t, err)
	assert.Equal(t, Failed, outcome.Status, "properties that nothing puts to the test")
	assert.Contains(t, outcome.Reason, "nothing is ever owed")

	cfg.Config.Properties = []string{"Hope"}
	_, err = Go(t.Context(), cfg, Options{})
	require.ErrorContains(t, err,
		"cfg live-110: lists property Hope, which the Go model of VSR has not")
}

func TestProgressNamesTheCfg(t *testing.T) {
	t.Parallel()
	levels := 0
	_, err := Go(t.Context(), lookup(t, "ci-110-pipeline"), Options{
		Progress: func(p Progress) {
			levels++
			assert.Equal(t, "ci-110-pipeline", p.Cfg)
			assert.Positive(t, p.Distinct)
		},
	})
	require.NoError(t, err)
	assert.Greater(t, levels, 5)
}

func TestConstantsMustFitTheModel(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cfg      string
		constant string
		value    any
		want     string
	}{
		"a group of six": {
			"ci-110", "N", 6, `cfg ci-110: N is 6, expected 1 to 5`,
		},
		"a group of five that refines the atomic view change": {
			"refine-110", "N", 5, `cfg refine-110: constant N is 5, expected 3: module Atomic`,
		},
		"a number that is a word": {
			"ci-110", "MaxView", "many",
			`cfg ci-110: constant MaxView is "many", expected a number`,
		},
		"an unknown driver": {
			"ci-110", "CommitDrivers", "ring", `cfg ci-110: commit drivers "ring": expected`,
		},
		"an unknown bug": {
			"ci-110", "Bugs", []string{"none"}, `cfg ci-110: mutant "none": expected one of`,
		},
		"an unknown bug of the partition": {
			"partition-clean", "Bugs", []string{"none"}, `cfg partition-clean: PartitionLog: unknown bug`,
		},
		"a partition of nine replicas": {
			"partition-clean", "N", 9, `cfg partition-clean: PartitionLog: N is 9, expected 1 to 5`,
		},
		"an unknown policy of the partition": {
			"partition-clean", "Policies",
			[]string{"none"},
			`cfg partition-clean: Policy is "none", expected "persisted" or "replicated"`,
		},
		"an unknown bug of the sessions": {
			"sessions-ring", "Bugs", []string{"none"}, `cfg sessions-ring: Sessions: unknown bug`,
		},
		"an unknown policy": {
			"journal", "Policy", "none", `cfg journal: Policy is "none", expected "persisted" or`,
		},
		"a ring of five batches": {
			"journal", "Slots", 5, `cfg journal: Journal: Slots is 5, expected 1 to 4`,
		},
		"a transfer of six": {
			"transfer", "N", 6, `cfg transfer: Transfer: N is 6, expected 1 to 5`,
		},
		"an unknown bug of the transfer": {
			"transfer", "Bugs", []string{"none"}, `cfg transfer: Transfer: unknown bug`,
		},
		"an unknown shape": {
			"sessions-ring", "Shape", "ring", `cfg sessions-ring: shape "ring": expected "numbered"`,
		},
		"an unknown policy of the merge": {
			"merge-wipe", "Policy", "none", `cfg merge-wipe: policy "none": expected "persisted" or`,
		},
		"votes one by one where disks are lost": {
			"merge-wipe", "Together", false, `cfg merge-wipe: Merge: MaxWipe is 1 without Together`,
		},
		"a window beyond the ring": {
			"sessions-ring", "Window", 3, `cfg sessions-ring: Sessions: Window is 3, expected 1 to 2`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := lookup(t, tc.cfg)
			constants, err := cfg.Config.Constants.With(tc.constant, tc.value)
			require.NoError(t, err)
			cfg.Config.Constants = constants
			_, err = newSubject(cfg, cfg.Bugs())
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), tc.want), err.Error())
		})
	}

	cfg := lookup(t, "ci-110")
	cfg.Module = "Replica"
	_, err := Go(t.Context(), cfg, Options{})
	require.EqualError(t, err,
		"cfg ci-110: module Replica has no Go model, expected "+strings.Join(modelled, ", "))

	cfg = lookup(t, "ci-110")
	cfg.Config.Invariants = []string{"TypeOK", "Sound"}
	_, err = Go(t.Context(), cfg, Options{})
	require.EqualError(t, err,
		"cfg ci-110: lists invariant Sound, which the Go model of VSR has not")
}
