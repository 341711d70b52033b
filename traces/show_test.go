package traces_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/traces"
)

func TestDescribeIsOneLine(t *testing.T) {
	t.Parallel()
	const state = " -> normal view=1 log_view=1 head=21 commit=20/20"
	from, to := 0, 2
	for name, tc := range map[string]struct {
		change func(*traces.Event)
		want   string
	}{
		"an action of the schema": {
			func(*traces.Event) {}, "r1 BecomePrimary quorum={1,2}" + state,
		},
		"a finer event of another group with every argument": {
			func(e *traces.Event) {
				e.Group, e.Action, e.Stutter = "7", "Sent", true
				e.Args = traces.Args{
					Op: 5, Checksum: "c5", View: 2, Commit: 4, To: &to, Quorum: []int{1},
					Request: 9, From: &from, Incarnation: "i1", Class: "fill",
					Reason: "too late",
				}
			},
			"[7] r1 Sent (stutter) op=5 checksum=c5 view=2 commit=4 to=2 quorum={1} " +
				`request=9 from=0 incarnation=i1 class=fill reason="too late"` + state,
		},
		"a state with everything that is left out when it is normal": {
			func(e *traces.Event) {
				e.Replica, e.Action, e.Args = 0, traces.ActionRestart, traces.Args{}
				e.After.Status, e.After.CommitMin = traces.StatusRecovering, 19
				e.After.ViewDurable, e.After.LogViewDurable = 2, 0
				e.After.Hollow, e.After.InDoubt = []uint64{20, 21}, true
			},
			"r0 Restart -> recovering view=1 log_view=1 head=21 commit=19/20 " +
				"view_durable=2 log_view_durable=0 hollow={20,21} in_doubt",
		},
		"texts that would control the terminal": {
			func(e *traces.Event) {
				e.Group, e.Action, e.Stutter = "p 7", "\x1b[2J\n", true
				e.Args = traces.Args{}
			},
			`["p 7"] r1 "\x1b[2J\n" (stutter)` + state,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event := exampleEvent()
			tc.change(&event)
			assert.Equal(t, tc.want, traces.Describe(event))
		})
	}
}

// showTrace is the story of a hollow op: r2 adopts op 2 without its body, so it
// cannot execute; the body is repaired; then both execute.
func showTrace() *traces.Trace {
	header := exampleHeader()
	header.CommitDrivers, header.RefusedAt = traces.CommitDriversWalk, 7
	header.Mutant, header.Violates = "start_hollow", "NoStall"
	base := traces.ReplicaState{
		Status: traces.StatusNormal, View: 1, LogView: 0, ViewDurable: 1,
		OpHead: 2, HeadChecksum: "c2", Contiguous: 2, CommitMin: 1, CommitMax: 1,
		Incarnation: "i1", Stop: traces.StopNotNormal,
	}
	t := &traces.Trace{Header: header, Path: "hollow.jsonl"}
	add := func(replica int, action string, args traces.Args, s traces.ReplicaState) {
		t.Events = append(t.Events, traces.Event{
			Step: len(t.Events) + 1, Group: "0", Replica: replica, Action: action, Args: args,
			Stutter: !traces.ValidAction(action), After: s,
		})
	}
	r1, r2, zero := base, base, 0
	r1.Status = traces.StatusViewChange
	add(1, traces.ActionMergeVotes, traces.Args{Quorum: []int{1, 2}}, r1)
	r1.Status, r1.LogView, r1.Pipeline = traces.StatusNormal, 1, []uint64{2, 2}
	add(1, traces.ActionBecomePrimary, traces.Args{}, r1)
	r1.LogViewDurable = 1
	add(1, "StateStored", traces.Args{}, r1)
	r2.LogView, r2.LogViewDurable = 1, 1
	r2.Hollow, r2.Contiguous = []uint64{2}, 1
	add(2, traces.ActionReceiveStartView, traces.Args{View: 1, From: &zero}, r2)
	r2.Hollow, r2.Contiguous = nil, 2
	add(2, traces.ActionRepairPrepare, traces.Args{Op: 2, Checksum: "c2"}, r2)
	r1.CommitMax, r1.Pipeline = 2, nil
	add(1, traces.ActionPrimaryCommit, traces.Args{}, r1)
	r1.CommitMin, r1.Stop = 2, traces.StopCaughtUp
	add(1, traces.ActionWalkExecute, traces.Args{}, r1)
	r1.OpHead, r1.HeadChecksum, r1.Contiguous = 3, "c3", 3
	add(1, traces.ActionClientRequest, traces.Args{Request: 3}, r1)
	r1.HeadChecksum = "d3"
	add(1, "Replaced", traces.Args{}, r1)
	add(1, "Ticked", traces.Args{}, r1)
	return t
}

// showGolden is what Show prints of showTrace.
const showGolden = `hollow.jsonl: source=model seed=7 commit_drivers=walk events=10
replicas=3 replication=2 view_change=2 nack=2
counterexample: mutant=start_hollow violates=NoStall
   1 r1 MergeVotes quorum={1,2}   -> view_change view=1 log_view=0 head=2 commit=1/1
   2 r1 BecomePrimary   status view_change -> normal, log_view 0 -> 1, pipeline [] -> [2,2]
   3 r1 StateStored (stutter)   log_view_durable 0 -> 1
   4 r2 ReceiveStartView view=1 from=0   -> normal view=1 log_view=1 head=2 commit=1/1 hollow={2}
   5 r2 RepairPrepare op=2 checksum=c2   contiguous 1 -> 2, hollow {2} -> {}
   6 r1 PrimaryCommit   commit_max 1 -> 2, pipeline [2,2] -> []
   7 r1 WalkExecute   commit_min 1 -> 2, stop NotNormal -> CaughtUp   <- must be refused
   8 r1 ClientRequest request=3   op_head 2 -> 3, head_checksum c2 -> c3, contiguous 2 -> 3
   9 r1 Replaced (stutter)   head_checksum c3 -> d3
  10 r1 Ticked (stutter)   no change
`

func TestShowPrintsWhatChanged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	all := traces.Filter{Replica: traces.AllReplicas}
	require.NoError(t, traces.Show(&out, showTrace(), all))
	assert.Equal(t, showGolden, out.String())
}

func TestShowFiltersEvents(t *testing.T) {
	t.Parallel()
	all := traces.AllReplicas
	for name, tc := range map[string]struct {
		filter traces.Filter
		steps  []int
	}{
		"one replica":                 {traces.Filter{Replica: 2}, []int{4, 5}},
		"an op from log to execution": {traces.Filter{Op: 2, Replica: all}, []int{1, 2, 4, 5, 6, 7}},
		"an op that is replaced":      {traces.Filter{Op: 3, Replica: all}, []int{8, 9}},
		"an op at one replica":        {traces.Filter{Op: 2, Replica: 2}, []int{4, 5}},
		"an op that is not there":     {traces.Filter{Op: 9, Replica: all}, nil},
		"a replica without events":    {traces.Filter{Replica: 0}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := strings.SplitAfter(showGolden, "\n")
			want := strings.Join(lines[:3], "")
			for _, step := range tc.steps {
				want += lines[2+step]
			}
			want += fmt.Sprintf("%d of 10 events\n", len(tc.steps))
			var out bytes.Buffer
			require.NoError(t, traces.Show(&out, showTrace(), tc.filter))
			assert.Equal(t, want, out.String())
		})
	}
}

func TestShowKeepsGroupsApart(t *testing.T) {
	t.Parallel()
	trace := exampleTrace(2)
	trace.Events[1].Group = "9" // The same replica, but another log: no earlier state.
	var out bytes.Buffer
	require.NoError(t, traces.Show(&out, trace, traces.Filter{Replica: traces.AllReplicas}))
	assert.Contains(t, out.String(), "   2 [9] r1 BecomePrimary quorum={1,2}   -> normal view=1")
}

func TestShowReportsTheSinksErrors(t *testing.T) {
	t.Parallel()
	errPipe := errors.New("broken pipe")
	err := traces.Show(failingWriter{errPipe}, showTrace(), traces.Filter{})
	require.ErrorIs(t, err, errPipe)
}
