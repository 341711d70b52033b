package conform_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/record"
	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/model/generate"
	model "github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// recording runs the simulator and returns its trace.
func recording(t *testing.T, options sim.Options) *traces.Trace {
	t.Helper()
	return read(t, recorded(t, options))
}

// recorded is the text of that trace.
func recorded(t testing.TB, options sim.Options) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w, err := traces.NewWriter(&buffer, record.Header(options.Seed, 3, "none"))
	require.NoError(t, err)
	options.Trace, options.NoCheckpoints = record.New(w, record.Options{}), true
	result, err := sim.Run(options)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	if options.Defects == 0 {
		require.True(t, result.Passed, "%v", result.Failure)
	}
	return buffer.Bytes()
}

func read(t *testing.T, data []byte) *traces.Trace {
	t.Helper()
	r, err := traces.NewReader(bytes.NewReader(data), "run.jsonl")
	require.NoError(t, err)
	trace := &traces.Trace{Header: r.Header(), Path: "run.jsonl"}
	for {
		e, err := r.Next()
		if err != nil {
			break
		}
		trace.Events = append(trace.Events, e)
	}
	return trace
}

func TestRecordedRunsConform(t *testing.T) {
	t.Parallel()
	for _, faults := range []sim.Faults{
		sim.FaultsNone, sim.FaultsLight, sim.FaultsHeavy, sim.FaultsSwarm,
	} {
		t.Run(string(faults), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(10) {
				trace := recording(t, sim.Options{Seed: seed, Ticks: 1500, Faults: faults})
				report, err := conform.Trace(trace)
				require.NoError(t, err)
				require.True(t, report.Passed(), "seed %d: %v", seed, report.Mismatch)
				require.Equal(t, len(trace.Events), report.Events)
			}
		})
	}
}

// What the model can do at any number of replicas, it explains.
func TestWalksOfTheModelConform(t *testing.T) {
	t.Parallel()
	for replicas := 1; replicas <= model.NMax; replicas++ {
		config := model.Config{
			N: replicas, Drivers: model.Walk,
			MaxRequest: model.Unbounded, MaxView: model.Unbounded, MaxCrash: model.Unbounded,
		}
		walks, err := generate.Walks(config, 1, 5, 120, generate.Options{})
		require.NoError(t, err)
		for _, trace := range walks {
			report, err := conform.Trace(trace)
			require.NoError(t, err)
			require.True(t, report.Passed(), "%d replicas: %v", replicas, report.Mismatch)
			require.Equal(t, 120, report.Events)
		}
	}
}

// renumber gives the events of a mutated trace consecutive steps again, as a recorder would.
func renumber(trace *traces.Trace) {
	for i := range trace.Events {
		trace.Events[i].Step = i + 1
	}
}

// visible returns the events that are actions and change what their replica shows, from the
// second quarter of the trace on.
func visible(trace *traces.Trace) []int {
	var out []int
	last := map[int]traces.ReplicaState{}
	for i, e := range trace.Events {
		if i > len(trace.Events)/4 && !e.Stutter && !e.After.Equal(last[e.Replica]) {
			out = append(out, i)
		}
		last[e.Replica] = e.After
	}
	return out
}

// Negative controls: a check that cannot fail shows nothing.
func TestAChangedFieldIsRejectedAtItsLine(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*traces.Event){
		"status":       func(e *traces.Event) { e.After.Status = traces.StatusRecovering },
		"view":         func(e *traces.Event) { e.After.View++ },
		"log_view":     func(e *traces.Event) { e.After.LogView++ },
		"view_durable": func(e *traces.Event) { e.After.ViewDurable++ },
		"log_view_durable": func(e *traces.Event) {
			e.After.LogViewDurable++
		},
		"op_head":       func(e *traces.Event) { e.After.OpHead++ },
		"head_checksum": func(e *traces.Event) { e.After.HeadChecksum = "0badc0de" },
		"contiguous":    func(e *traces.Event) { e.After.Contiguous++ },
		"hollow":        func(e *traces.Event) { e.After.Hollow = append(e.After.Hollow, 99) },
		"commit_min":    func(e *traces.Event) { e.After.CommitMin++ },
		"commit_max":    func(e *traces.Event) { e.After.CommitMax += 2 },
		"pipeline":      func(e *traces.Event) { e.After.Pipeline = []uint64{1, 7} },
		"stop":          func(e *traces.Event) { e.After.Stop = traces.StopTransferring },
		"replica":       func(e *traces.Event) { e.Replica = (e.Replica + 1) % 3 },
		"action":        func(e *traces.Event) { e.Action = traces.ActionRestart },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trace := recording(t, sim.Options{Seed: 3, Ticks: 800, Faults: sim.FaultsLight})
			places := visible(trace)
			require.NotEmpty(t, places)
			at := places[len(places)/2]
			change(&trace.Events[at])
			report, err := conform.Trace(trace)
			require.NoError(t, err)
			require.NotNil(t, report.Mismatch)
			require.Equal(t, at+1, report.Mismatch.Step)
			require.Equal(t, at+2, report.Mismatch.Line, "the header is line 1")
		})
	}
}

// The parameters of an event are bound too, not only the state after it.
func TestAChangedArgumentIsRejectedAtItsLine(t *testing.T) {
	t.Parallel()
	other := func(e *traces.Event) { e.Args.Checksum = "0badc0de" }
	op := func(e *traces.Event) { e.Args.Op++ }
	view := func(e *traces.Event) { e.Args.View++ }
	for action, changes := range map[string][]func(*traces.Event){
		traces.ActionClientRequest:          {op, other},
		traces.ActionReceivePrepare:         {op, other},
		traces.ActionPrimaryCommit:          {op, other},
		traces.ActionWalkExecute:            {op, other},
		traces.ActionRepairPrepare:          {op, other},
		traces.ActionReceiveCommit:          {func(e *traces.Event) { e.Args.Commit++ }},
		traces.ActionReceiveStartViewChange: {view},
		traces.ActionReceiveStartView:       {view},
		traces.ActionRecover:                {view},
		traces.ActionAnswerProbe:            {func(e *traces.Event) { e.Args.To = &e.Replica }},
		traces.ActionMergeVotes: {
			op, func(e *traces.Event) { e.Args.Commit++ },
			func(e *traces.Event) { e.Args.Quorum = []int{0, 1, 2} },
		},
	} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			base := recording(t, sim.Options{Seed: 4, Ticks: 3000, Faults: sim.FaultsHeavy})
			at := slices.IndexFunc(base.Events, func(e traces.Event) bool {
				return e.Action == action
			})
			require.GreaterOrEqual(t, at, 0, "the run has no %s", action)
			for i, change := range changes {
				trace := *base
				trace.Events = slices.Clone(base.Events)
				change(&trace.Events[at])
				report, err := conform.Trace(&trace)
				require.NoError(t, err)
				require.NotNil(t, report.Mismatch, "change %d", i)
				require.Equal(t, at+2, report.Mismatch.Line, "change %d", i)
			}
		})
	}
}

func TestADroppedEventIsRejected(t *testing.T) {
	t.Parallel()
	base := recording(t, sim.Options{Seed: 3, Ticks: 800, Faults: sim.FaultsLight})
	places := visible(base)
	for i := 0; i < len(places); i += max(1, len(places)/40) {
		trace := *base
		at := places[i]
		if next := nextOf(base, at); next == nil || next.Action == traces.ActionRestart {
			continue // what a crash takes back leaves no trace, nor does the end
		}
		trace.Events = append(append([]traces.Event{}, base.Events[:at]...), base.Events[at+1:]...)
		renumber(&trace)
		report, err := conform.Trace(&trace)
		require.NoError(t, err)
		require.NotNil(t, report.Mismatch, "without event %d: %s", at+1,
			traces.Describe(base.Events[at]))
		require.Greater(t, report.Mismatch.Step, at, "not before the place of the dropped event")
	}
}

// nextOf returns the next event of the replica that took event at, or nil.
func nextOf(trace *traces.Trace, at int) *traces.Event {
	for i := at + 1; i < len(trace.Events); i++ {
		if trace.Events[i].Replica == trace.Events[at].Replica {
			return &trace.Events[i]
		}
	}
	return nil
}

// Two neighbouring events of one replica have an order; of two replicas they may not.
func TestSwappedEventsAreRejected(t *testing.T) {
	t.Parallel()
	base := recording(t, sim.Options{Seed: 3, Ticks: 800, Faults: sim.FaultsLight})
	swapped := 0
	for _, at := range visible(base) {
		if at+1 == len(base.Events) {
			break
		}
		a, b := base.Events[at], base.Events[at+1]
		if a.Replica != b.Replica || b.Stutter || a.After.Equal(b.After) || swapped == 40 {
			continue
		}
		swapped++
		trace := *base
		trace.Events = append([]traces.Event{}, base.Events...)
		trace.Events[at], trace.Events[at+1] = b, a
		renumber(&trace)
		report, err := conform.Trace(&trace)
		require.NoError(t, err)
		require.NotNil(t, report.Mismatch, "swapped at event %d", at+1)
		require.Equal(t, at+1, report.Mismatch.Step)
	}
	require.Positive(t, swapped)
}

// A core with a broken rule is found out by its trace, if not by the simulator's own checks.
func TestRunsOfADefectiveCoreDoNotConform(t *testing.T) {
	t.Parallel()
	for name, defect := range map[string]vsr.Defects{
		"volatile_view": vsr.DefectVolatileView, "no_nonce": vsr.DefectNoNonce,
		"start_hollow": vsr.DefectStartHollow, "longest_log": vsr.DefectLongestLog,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(200) {
				trace := recording(t, sim.Options{
					Seed: seed, Ticks: 1500, Faults: sim.FaultsSwarm, Defects: defect,
				})
				report, err := conform.Trace(trace)
				require.NoError(t, err)
				if !report.Passed() {
					require.NotEmpty(t, report.Mismatch.Nearest)
					return
				}
			}
			t.Fatal("no run of 200 seeds was rejected")
		})
	}
}

// A restart may show prepares that were stored unseen, but not any number of them.
func TestARestartWithAnAbsurdHeadIsRejected(t *testing.T) {
	t.Parallel()
	for _, head := range []uint64{1, 1024, 1025, 20_000, 1 << 62} {
		trace := &traces.Trace{
			Header: traces.Header{Replicas: 3},
			Events: []traces.Event{{
				Step: 1, Group: "0", Action: traces.ActionRestart,
				After: traces.ReplicaState{
					Status: traces.StatusRecovering, OpHead: head, Contiguous: head,
				},
			}},
		}
		report, err := conform.Trace(trace)
		require.NoError(t, err)
		require.Equal(t, head <= 1024, report.Passed(), "head %d", head)
	}
}

// A new primary fetched a body for its merged log and died; later it adopted a log that has the op,
// and died again before that was seen. The restart shows the body. Recorded by seed 12995 of whole
// processes.
func TestABodyFetchedForAMergedLogMayBeAdoptedUnseen(t *testing.T) {
	t.Parallel()
	trace, err := traces.ReadFile(t.Context(), "testdata/fetched_body_is_adopted_unseen.jsonl.zst")
	require.NoError(t, err)
	report, err := conform.Trace(trace)
	require.NoError(t, err)
	require.True(t, report.Passed(), "%v", report.Mismatch)
	require.Len(t, trace.Events, report.Events)

	last := &trace.Events[len(trace.Events)-1]
	require.Equal(t, []uint64{6, 8, 9}, last.After.Hollow)
	last.After.Hollow = []uint64{6, 8} // the merged log had no op 9
	report, err = conform.Trace(trace)
	require.NoError(t, err)
	require.False(t, report.Passed())
}

func TestTracesThatCannotBeCheckedAreRefused(t *testing.T) {
	t.Parallel()
	event := traces.Event{Step: 1, Group: "0", Action: traces.ActionClientRequest}
	for name, tc := range map[string]struct {
		trace traces.Trace
		want  string
	}{
		"six replicas": {
			traces.Trace{Header: traces.Header{Replicas: 6}, Events: []traces.Event{event}},
			"t.jsonl:1: expected 1 to 5: the model has no other number, got 6 replicas",
		},
		"another quorum": {
			traces.Trace{
				Header: traces.Header{
					Replicas: 3, Quorum: traces.Quorum{Replication: 1, ViewChange: 3, Nack: 3},
				},
				Events: []traces.Event{event},
			},
			"t.jsonl:1: expected {Replication:2 ViewChange:2 Nack:2}: the model has no others, " +
				"got quorums {Replication:1 ViewChange:3 Nack:3}",
		},
		"no event": {
			traces.Trace{Header: traces.Header{Replicas: 3}},
			"t.jsonl:1: expected at least one: there is nothing to check, got no event",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.trace.Path = "t.jsonl"
			_, err := conform.Trace(&tc.trace)
			require.EqualError(t, err, tc.want)
		})
	}
}

// grouped interleaves recordings as the groups of one trace.
func grouped(all ...*traces.Trace) *traces.Trace {
	out := &traces.Trace{Header: all[0].Header, Path: "groups.jsonl"}
	for i := 0; ; i++ {
		more := false
		for g, one := range all {
			if i < len(one.Events) {
				more = true
				e := one.Events[i]
				e.Group, e.Step = string(rune('a'+g)), len(out.Events)+1
				out.Events = append(out.Events, e)
			}
		}
		if !more {
			return out
		}
	}
}

func TestManyGroupsAreCheckedEachForItself(t *testing.T) {
	t.Parallel()
	var all []*traces.Trace
	for seed := range uint64(3) {
		all = append(all, recording(t, sim.Options{
			Seed: seed, Ticks: 500, Faults: sim.FaultsLight,
		}))
	}
	trace := grouped(all...)
	report, err := conform.Trace(trace)
	require.NoError(t, err)
	require.True(t, report.Passed(), "%v", report.Mismatch)
	require.Equal(t, 3, report.Groups)
	require.Greater(t, report.Compared, report.Fields/2)

	places := visible(all[1])
	at := slices.IndexFunc(trace.Events, func(e traces.Event) bool {
		return e.Group == "b" && e.After.Equal(all[1].Events[places[len(places)/2]].After)
	})
	trace.Events[at].After.CommitMin += 3
	report, err = conform.Trace(trace)
	require.NoError(t, err)
	require.NotNil(t, report.Mismatch)
	require.Equal(t, trace.Events[at].Line(), report.Mismatch.Line)
}
