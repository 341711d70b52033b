package replay_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/generate"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/replay"
)

func bounds(request, view, crash int) vsr.Config {
	return vsr.Config{
		N: 3, MaxRequest: request, MaxView: view, MaxCrash: crash, Drivers: vsr.Walk,
	}
}

func requireFollowed(t *testing.T, all []*traces.Trace) {
	t.Helper()
	require.NotEmpty(t, all)
	failed := 0
	for i, trace := range all {
		report, err := replay.Trace(trace)
		require.NoError(t, err)
		if !report.Passed {
			failed++
			if failed <= 3 {
				t.Errorf("trace %d: %s", i, report.Reason)
			}
		}
	}
	require.Zero(t, failed, "of %d traces", len(all))
}

func TestCoresFollowEveryEdgeOfTheSmallestGraph(t *testing.T) {
	t.Parallel()
	all, err := generate.Edges(context.Background(), bounds(1, 1, 0), generate.Options{})
	require.NoError(t, err)
	requireFollowed(t, all)
}

func TestCoresFollowWalksBeyondTheBounds(t *testing.T) {
	t.Parallel()
	all, err := generate.Walks(bounds(6, 5, 4), 1, 60, 150, generate.Options{})
	require.NoError(t, err)
	requireFollowed(t, all)
}

// counterexample finds a mutant's shortest counterexample and writes it as a trace.
func counterexample(t *testing.T, name string, c vsr.Config) *traces.Trace {
	t.Helper()
	mutant, err := vsr.ParseMutant(name)
	require.NoError(t, err)
	c.Bugs = vsr.MutantSet(mutant)
	result, err := explore.Check(context.Background(), vsr.Model(c), explore.Options{})
	require.NoError(t, err)
	require.NotNil(t, result.Violation)
	trace, err := generate.Counterexample(c, result.Violation, generate.Options{})
	require.NoError(t, err)
	return trace
}

// A core refuses the very step at which a mutant breaks its rule. The slow mutants are left to
// the tool's verify.
func TestCoresRefuseCounterexamples(t *testing.T) {
	t.Parallel()
	pipeline := bounds(1, 1, 0)
	pipeline.Drivers = vsr.WalkAndPipeline
	for name, config := range map[string]vsr.Config{
		"stall_is_pipeline": pipeline, "walk_takes_pipeline": pipeline,
		"no_nonce": bounds(1, 1, 1), "volatile_view": bounds(1, 1, 1),
		"send_first": bounds(1, 1, 1), "same_view_sv": bounds(1, 1, 0),
		"start_hollow": bounds(1, 1, 0), "dvc_drops_hollow": bounds(1, 2, 0),
		"stall_truncates": bounds(1, 2, 0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trace := counterexample(t, name, config)
			report, err := replay.Trace(trace)
			require.NoError(t, err)
			require.NotNil(t, report.Refusal)
			require.True(t, report.Passed, report.Reason)
		})
	}
}

// Every step of a stall is legal; what is wrong is that nothing more happens. A core goes on.
func TestCoresCatchUpWhereAMutantStalls(t *testing.T) {
	t.Parallel()
	trace := counterexample(t, "narrow_repair", bounds(1, 1, 1))
	require.Zero(t, trace.Header.RefusedAt)
	report, err := replay.Trace(trace)
	require.NoError(t, err)
	require.Nil(t, report.Refusal)
	require.True(t, report.Passed, report.Reason)
}

// Negative controls: a replay that cannot fail shows nothing.
func TestReplayRefusesAChangedTrace(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*traces.Event){
		"another commit number": func(e *traces.Event) { e.After.CommitMax++ },
		"another view":          func(e *traces.Event) { e.After.View++ },
		"another head":          func(e *traces.Event) { e.After.HeadChecksum = "9.9.9" },
		"a hole":                func(e *traces.Event) { e.After.Hollow = []uint64{1} },
		"another stop":          func(e *traces.Event) { e.After.Stop = traces.StopTransferring },
		"an action of another":  func(e *traces.Event) { e.Replica = (e.Replica + 1) % 3 },
		"an action that was not enabled": func(e *traces.Event) {
			e.Action = traces.ActionBecomePrimary
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, err := generate.Walks(bounds(3, 2, 1), 5, 1, 60, generate.Options{})
			require.NoError(t, err)
			changed := len(all[0].Events) / 2
			change(&all[0].Events[changed])
			report, err := replay.Trace(all[0])
			require.NoError(t, err)
			require.False(t, report.Passed)
			require.Equal(t, changed+1, report.Refusal.Step)
			told := report.Refusal.Divergence
			require.Contains(t, told, fmt.Sprintf("step %d (line %d): ", changed+1, changed+2))
			require.Contains(t, told, "in hand: ")
			require.Regexp(t, `(?m)^  r\d +model +cores$`, told)
			require.Regexp(t, `(?m)^! \w+ +\S+ +\S+$`, told)
		})
	}
}

func TestOnlyTheModelsTracesAreReplayed(t *testing.T) {
	t.Parallel()
	_, err := replay.Trace(&traces.Trace{
		Path: "run.jsonl", Header: traces.Header{Source: traces.SourceSim, Replicas: 3},
	})
	require.EqualError(t, err, `run.jsonl:1: expected source "model": only a model's trace can `+
		`be replayed, got source "sim"`)
}
