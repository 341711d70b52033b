package tlcbatch

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/generate"
	"github.com/viewstamp/viewstamp/model/tlc"
	model "github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// realTools skips the test where TLC is not available.
func realTools(t *testing.T) *tlc.Tools {
	t.Helper()
	tools, err := tlc.Locate(t.Context())
	if unavailable := (*tlc.Unavailable)(nil); errors.As(err, &unavailable) && !tlc.Required() {
		t.Skip(unavailable)
	}
	require.NoError(t, err)
	return tools
}

// state is a replica that is normal in view 0 with a log of some ops, all bodies in it.
func state(head, commitMin, commitMax uint64) traces.ReplicaState {
	s := traces.ReplicaState{
		Status: traces.StatusNormal, OpHead: head, Contiguous: head,
		CommitMin: commitMin, CommitMax: commitMax, Stop: traces.StopCaughtUp,
	}
	if head > 0 {
		s.HeadChecksum = string(rune('a' + head))
	}
	if commitMin < commitMax {
		s.Stop = traces.StopAwaitingExecution
	}
	return s
}

func with(s traces.ReplicaState, change func(s *traces.ReplicaState)) traces.ReplicaState {
	change(&s)
	return s
}

func pipelined(s *traces.ReplicaState) { s.Pipeline = []uint64{1, s.OpHead} }

func event(replica int, action string, after traces.ReplicaState) traces.Event {
	return traces.Event{Group: "0", Replica: replica, Action: action, After: after}
}

// restarted is a replica after a restart in a view, with a log of some ops.
func restarted(view uint32, head uint64) traces.ReplicaState {
	return with(state(head, 0, 0), func(s *traces.ReplicaState) {
		s.Status, s.Stop = traces.StatusRecovering, traces.StopNotNormal
		s.View, s.ViewDurable = view, view
	})
}

func traceOf(replicas int, events ...traces.Event) *traces.Trace {
	events = slices.Clone(events)
	for i := range events {
		events[i].Step = i + 1
	}
	return &traces.Trace{Header: traces.Header{Replicas: replicas}, Events: events}
}

// oneOp is a request that is prepared by two of three replicas, committed and executed.
func oneOp() []traces.Event {
	return []traces.Event{
		event(0, traces.ActionClientRequest, with(state(1, 0, 0), pipelined)),
		event(1, traces.ActionReceivePrepare, state(1, 0, 0)),
		event(0, traces.ActionPrimaryCommit, state(1, 0, 1)),
		event(0, traces.ActionWalkExecute, state(1, 1, 1)),
	}
}

// verdictCase is a trace and the line at which it is to be rejected, 0 if it is accepted.
type verdictCase struct {
	name string
	line int
	of   *traces.Trace
}

// hiddenCases are restarts that show what no event has shown.
func hiddenCases() []verdictCase {
	then := func(after traces.ReplicaState) *traces.Trace {
		return traceOf(3, append(oneOp(), event(2, traces.ActionRestart, after))...)
	}
	hollow := with(restarted(0, 1), func(s *traces.ReplicaState) {
		s.Contiguous, s.Hollow = 0, []uint64{1}
	})
	return []verdictCase{
		{"a restart finds what was there", 0, then(restarted(0, 0))},
		{"a restart finds a prepare that had landed unseen", 0, then(restarted(0, 1))},
		{"no prepare can have landed that nobody sent", 6, then(restarted(0, 2))},
		{"a prepare that landed has its body", 6, then(hollow)},
		{"a restart finds a view that was entered unseen", 0, then(restarted(1, 0))},
		{"only one change can be unseen", 6, then(restarted(2, 0))},
		{"a change begins only after all other writes", 6, then(restarted(1, 1))},
		{
			"a log view is not changed by entering a view", 6,
			then(with(restarted(1, 0), func(s *traces.ReplicaState) { s.LogView = 1 })),
		},
	}
}

// alteredCases are one trace with one thing made wrong.
func alteredCases() []verdictCase {
	alter := func(at int, change func(e *traces.Event)) *traces.Trace {
		t := traceOf(3, oneOp()...)
		change(&t.Events[at])
		return t
	}
	without := func(at int) *traces.Trace {
		return traceOf(3, slices.Delete(oneOp(), at, at+1)...)
	}
	swapped := oneOp()
	swapped[0], swapped[1] = swapped[1], swapped[0]
	return []verdictCase{
		{"a trace as it was made", 0, traceOf(3, oneOp()...)},
		{"a field is wrong", 4, alter(2, func(e *traces.Event) { e.After.CommitMax++ })},
		{
			"a number has more than 32 bits", 4,
			alter(2, func(e *traces.Event) { e.After.CommitMax = 1 << 63 }),
		},
		{
			"a checksum stands for two entries", 3,
			alter(1, func(e *traces.Event) { e.After.HeadChecksum = "other" }),
		},
		{"an argument is wrong", 4, alter(2, func(e *traces.Event) { e.Args.Op = 2 })},
		{
			"a view that is never reached", 4,
			alter(2, func(e *traces.Event) { e.Action, e.Args.View = traces.ActionReceiveStartView, 9 }),
		},
		{
			"an action that the spec has not", 4,
			alter(2, func(e *traces.Event) { e.Action = traces.ActionStallTruncate }),
		},
		{"an event is missing: the acknowledgement", 3, without(1)},
		{"an event is missing: the commit", 4, without(2)},
		{"two events are swapped", 2, traceOf(3, swapped...)},
		{
			"a stutter that changes nothing, with a hostile name", 0,
			alter(3, func(e *traces.Event) {
				*e = event(0, `"" \* (* ==== `+"\n", state(1, 0, 1))
				e.Stutter = true
			}),
		},
		{
			"a stutter that changes something", 4,
			alter(2, func(e *traces.Event) { e.Stutter = true }),
		},
		{
			"a reason to stop that nobody knows", 4,
			alter(2, func(e *traces.Event) { e.After.Stop = `"\` }),
		},
		{"another boot without a restart", 4, alter(2, func(e *traces.Event) {
			e.After.Incarnation = "second"
		})},
	}
}

// Both engines give each trace the verdict that it must have, all in one run of TLC.
func TestTLCAndTheGoModelGiveTheSameVerdicts(t *testing.T) {
	t.Parallel()
	cases := append(hiddenCases(), alteredCases()...)
	last := cases[len(cases)-1].of // Its first event has a boot, too.
	last.Events[0].After.Incarnation = "first"
	walks, err := generate.Walks(model.Config{
		N: 3, Drivers: model.Walk, MaxRequest: 8, MaxView: 6, MaxCrash: 4,
	}, 1, 5, 80, generate.Options{})
	require.NoError(t, err)
	for _, walk := range walks {
		cases = append(cases, verdictCase{"a walk of the model", 0, walk})
	}
	two := traceOf(3, oneOp()...)
	for _, e := range without(oneOp(), 1) {
		e.Group, e.Step = "1", len(two.Events)+1
		two.Events = append(two.Events, e)
	}
	cases = append(cases, verdictCase{"each group is followed for itself", 7, two})

	var all []*traces.Trace
	for _, c := range cases {
		all = append(all, c.of)
	}
	result, err := Check(t.Context(), realTools(t), all)
	require.NoError(t, err)
	assert.Equal(t, 1, result.Runs)
	for i, c := range cases {
		want := Verdict{Events: len(c.of.Events)}
		if c.line > 0 {
			want = Verdict{Events: c.line - 2, Line: c.line}
		}
		assert.Equal(t, want, result.Verdicts[i], "TLC: %s", c.name)
		report, err := conform.Trace(c.of)
		require.NoError(t, err)
		got := Verdict{Events: report.Events}
		if report.Mismatch != nil {
			got.Line = report.Mismatch.Line
		}
		assert.Equal(t, want, got, "Go: %s", c.name)
	}
}

func without(events []traces.Event, at int) []traces.Event {
	return slices.Delete(slices.Clone(events), at, at+1)
}

// The verdict is that of the modules' text: where a primary may commit alone, so may a trace.
func TestTheVerdictIsThatOfTheModules(t *testing.T) {
	t.Parallel()
	files, err := spec.ModuleFiles("TraceVSR")
	require.NoError(t, err)
	const rule = "Cardinality(by) >= ReplicationQuorum"
	require.Contains(t, string(files["Normal.tla"]), rule)
	files["Normal.tla"] = bytes.ReplaceAll(files["Normal.tla"], []byte(rule), []byte("TRUE"))
	alone := traceOf(3, without(oneOp(), 1)...)

	result, err := check(t.Context(), realTools(t), files, []*traces.Trace{alone})
	require.NoError(t, err)
	assert.True(t, result.Verdicts[0].Accepted())
	report, err := conform.Trace(alone)
	require.NoError(t, err)
	require.NotNil(t, report.Mismatch)
	assert.Equal(t, 3, report.Mismatch.Line)
}

func TestAModuleThatTLCRefusesIsNoVerdict(t *testing.T) {
	t.Parallel()
	files, err := spec.ModuleFiles("TraceVSR")
	require.NoError(t, err)
	files["Normal.tla"] = []byte("---- MODULE Normal ----\nEXTENDS Replica, Nowhere\n====\n")
	_, err = check(t.Context(), realTools(t), files, []*traces.Trace{traceOf(3, oneOp()...)})
	require.ErrorContains(t, err, "follow traces with TLC: ")
}
