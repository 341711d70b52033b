package conform_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// compacted records a run of cores that take checkpoints, hand them to each other and send only
// the ends of their logs.
func compacted(t *testing.T, seed uint64) *traces.Trace {
	t.Helper()
	return compactedFor(t, seed, 1500)
}

// compactedFor is the same of a run of so many ticks.
func compactedFor(t *testing.T, seed uint64, ticks int) *traces.Trace {
	t.Helper()
	var buffer bytes.Buffer
	header := record.Header(seed, 3, "none")
	header.Checkpoints = true
	w, err := traces.NewWriter(&buffer, header)
	require.NoError(t, err)
	result, err := sim.Run(sim.Options{
		Seed: seed, Ticks: ticks, Faults: sim.FaultsSwarm, Trace: record.New(w, record.Options{}),
	})
	require.NoError(t, err)
	require.True(t, result.Passed, "%v", result.Failure)
	require.NoError(t, w.Close())
	return read(t, buffer.Bytes())
}

func TestRunsWithCheckpointsConform(t *testing.T) {
	t.Parallel()
	checkpoints, installs := 0, 0
	for seed := range uint64(24) {
		trace := compacted(t, seed)
		report, err := conform.Trace(trace)
		require.NoError(t, err)
		require.True(t, report.Passed(), "seed %d: %v", seed, report.Mismatch)
		require.Equal(t, len(trace.Events), report.Events)
		checkpoints += report.Checkpoints
		installs += report.Installs
	}
	assert.Greater(t, checkpoints, 150)
	assert.Greater(t, installs, 2)
}

// first is where the first event of a name is, -1 if there is none.
func first(trace *traces.Trace, action string) int {
	return slices.IndexFunc(trace.Events, func(e traces.Event) bool { return e.Action == action })
}

// Negative controls: what a checkpoint claims must be executed, committed and agreed.
func TestAnAlteredCheckpointIsRejectedAtItsLine(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		action, want string
		change       func(*traces.Event)
	}{
		"of an op that is not executed": {
			traces.EventTakeCheckpoint, "op ",
			func(e *traces.Event) { e.Args.Op, e.Args.Checksum = e.After.CommitMin+1, "" },
		},
		"of another prepare": {
			traces.EventTakeCheckpoint, ", not 0badc0de",
			func(e *traces.Event) { e.Args.Checksum = "0badc0de" },
		},
		"of an op above the log": {
			traces.EventTakeCheckpoint, "op 999 is none of the replica's log",
			func(e *traces.Event) { e.Args.Op = 999 },
		},
		"that moves the commit point": {
			traces.EventTakeCheckpoint, "commit_min want",
			func(e *traces.Event) { e.After.CommitMin = e.After.OpHead + 1 },
		},
		"fetched, of another prepare": {
			traces.EventStartTransfer, ", not 0badc0de",
			func(e *traces.Event) { e.Args.Checksum = "0badc0de" },
		},
		"fetched, of an op that is not committed": {
			traces.EventStartTransfer, "op",
			func(e *traces.Event) { e.Args.Op, e.Args.Checksum = e.After.OpHead+1, "" },
		},
		"installed, of another prepare": {
			traces.EventInstall, ", not 0badc0de",
			func(e *traces.Event) { e.Args.Checksum = "0badc0de" },
		},
		"installed, below what is executed": {
			traces.EventInstall, "it needs no checkpoint of it",
			func(e *traces.Event) { e.Args.Op, e.Args.Checksum = 1, "" },
		},
		"installed, executed beyond": {
			traces.EventInstall, "commit_min want", func(e *traces.Event) { e.After.CommitMin++ },
		},
		"with a log that nobody prepared": {
			traces.EventRaiseHead, "has no log up to op",
			func(e *traces.Event) { e.Args.Op, e.After.OpHead = 999, 999 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seed, trace, at := uint64(0), (*traces.Trace)(nil), -1
			for ; at < 0; seed++ {
				trace = compacted(t, seed)
				at = first(trace, tc.action)
			}
			tc.change(&trace.Events[at])
			report, err := conform.Trace(trace)
			require.NoError(t, err)
			require.NotNil(t, report.Mismatch, "seed %d, event %d", seed-1, at+1)
			assert.Equal(t, at+2, report.Mismatch.Line, "%v", report.Mismatch)
			assert.Contains(t, report.Mismatch.String(), tc.want)
		})
	}
}

// A replica that has taken a checkpoint never goes on from below it.
func TestARestartBelowTheCheckpointIsRejected(t *testing.T) {
	t.Parallel()
	for seed := uint64(0); ; seed++ {
		require.Less(t, seed, uint64(100))
		trace := compacted(t, seed)
		newest := map[int]uint64{}
		at := slices.IndexFunc(trace.Events, func(e traces.Event) bool {
			if e.Action == traces.EventTakeCheckpoint {
				newest[e.Replica] = e.Args.Op
			}
			return e.Action == traces.ActionRestart && e.After.CommitMin > 0 &&
				e.After.CommitMin == newest[e.Replica]
		})
		if at < 0 {
			continue
		}
		trace.Events[at].After.CommitMin--
		trace.Events[at].After.CommitMax--
		report, err := conform.Trace(trace)
		require.NoError(t, err)
		require.NotNil(t, report.Mismatch)
		assert.Equal(t, at+2, report.Mismatch.Line)
		return
	}
}

// The write of a body may be under way when a checkpoint takes the place of the log up to there: it
// lands, and changes nothing. It is of the op that the log has, and of one below the checkpoint.
func TestABodyMayLandBelowACheckpoint(t *testing.T) {
	t.Parallel()
	tried := 0
	for seed := uint64(0); tried < 3; seed++ {
		require.Less(t, seed, uint64(200))
		trace := compacted(t, seed)
		at := first(trace, traces.EventInstall)
		if at < 0 {
			continue
		}
		tried++
		for name, tc := range map[string]struct {
			change func(e *traces.Event)
			passes bool
		}{
			"of the log": {func(*traces.Event) {}, true},
			"another":    {func(e *traces.Event) { e.Args.Checksum = "another" }, false},
			"above":      {func(e *traces.Event) { e.Args.Op++ }, false},
		} {
			late := trace.Events[at]
			late.Action, late.Stutter, late.Args.View = traces.ActionRepairPrepare, false, 0
			tc.change(&late)
			changed := *trace
			changed.Events = slices.Insert(slices.Clone(trace.Events), at+1, late)
			renumber(&changed)
			for _, every := range []int{0, 1, 128} {
				if !tc.passes && every == 1 {
					continue // What is forgotten has no checksum any more.
				}
				report, _ := judge(t, &changed, every)
				if tc.passes {
					require.True(t, report.Passed(), "%s, seed %d: %v", name, seed, report.Mismatch)
					continue
				}
				require.NotNil(t, report.Mismatch, "%s, seed %d", name, seed)
				require.Equal(t, at+3, report.Mismatch.Line, name)
			}
		}
	}
}

// Without the word of the header a trace is held against whole logs.
func TestCheckpointsThatTheHeaderDoesNotNameAreRejected(t *testing.T) {
	t.Parallel()
	for seed := uint64(0); ; seed++ {
		trace := compacted(t, seed)
		at := first(trace, traces.EventTakeCheckpoint)
		if at < 0 {
			continue
		}
		trace.Header.Checkpoints = false
		report, err := conform.Trace(trace)
		require.NoError(t, err)
		require.NotNil(t, report.Mismatch)
		assert.LessOrEqual(t, report.Mismatch.Step, at+1)
		return
	}
}

// What all replicas have a checkpoint of is forgotten: a trace of any length takes the same memory.
func TestOpsBelowAllCheckpointsAreForgotten(t *testing.T) {
	t.Parallel()
	most, longest := 0, 0
	for seed := range uint64(12) {
		trace := compacted(t, seed)
		checker, err := conform.New(trace.Header, trace.Path)
		require.NoError(t, err)
		checker.SettleEvery(1)
		for _, e := range trace.Events {
			require.Nil(t, checker.Add(e), "seed %d", seed)
			longest = max(longest, checker.SettledOps(e.Group)-checker.ForgottenOps(e.Group))
		}
		most = max(most, checker.ForgottenOps(trace.Events[0].Group))
	}
	assert.Greater(t, most, 30)
	t.Logf("%d ops forgotten, at most %d kept aside", most, longest)
}

// They are forgotten as soon as all have one, and not when no other op happens to be aside: what
// is kept does not grow with the length.
func TestWhatIsKeptOfALongTraceIsWhatLiesAboveACheckpoint(t *testing.T) {
	t.Parallel()
	trace := compactedFor(t, 7, 20_000)
	checker, err := conform.New(trace.Header, trace.Path)
	require.NoError(t, err)
	longest := 0
	for _, e := range trace.Events {
		require.Nil(t, checker.Add(e))
		longest = max(longest, checker.SettledOps(e.Group)-checker.ForgottenOps(e.Group))
	}
	assert.Greater(t, checker.ForgottenOps("0"), 1000)
	assert.Less(t, longest, 400)
}

func TestOpsThatArePutAsideChangeNoVerdictAboutCheckpoints(t *testing.T) {
	t.Parallel()
	aside, rejected := 0, 0
	for seed := range uint64(2) {
		trace := compacted(t, seed)
		for i, changed := range append([]*traces.Trace{trace}, spoiled(trace)...) {
			want, _ := judge(t, changed, 0)
			got, most := judge(t, changed, 3)
			require.Equal(t, want, got, "seed %d, change %d", seed, i)
			aside += most
			if !want.Passed() {
				rejected++
			}
		}
	}
	assert.Greater(t, aside, 200)
	assert.Greater(t, rejected, 20)
}
