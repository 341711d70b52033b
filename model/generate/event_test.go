package generate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// play takes labelled steps from the initial state and returns their events' args.
func play(t *testing.T, c vsr.Config, labels ...string) []traces.Args {
	t.Helper()
	s := vsr.Init(c)
	var all []traces.Args
	for i, label := range labels {
		var after []vsr.State
		vsr.Next(&c, &s, func(a vsr.Action, next vsr.State) {
			if a.String() == label {
				after = append(after, next)
				all = append(all, eventOf(i+1, &s, a, &next).Args)
			}
		})
		require.Len(t, after, 1, "steps of %s", label)
		s = after[0]
	}
	return all
}

func TestArgsOfEachAction(t *testing.T) {
	t.Parallel()
	r0, r1, r2 := replica(0), replica(1), replica(2)
	type step struct {
		label string
		want  traces.Args
	}
	walk := bound(2, 2, 2, vsr.Walk)
	for name, tc := range map[string]struct {
		config vsr.Config
		steps  []step
	}{
		"normal operation": {walk, []step{
			{"ClientRequest(0)", traces.Args{Op: 1, Checksum: "1.0.1", Request: 1}},
			{"ReceivePrepare(2)", traces.Args{Op: 1, Checksum: "1.0.1", From: r0}},
			{"PrimaryCommit(0)", traces.Args{
				Op: 1, Checksum: "1.0.1", Commit: 1, Quorum: []int{0, 2},
			}},
			{"ReceiveCommit(2,1)", traces.Args{Commit: 1, From: r0}},
			{"WalkExecute(2)", traces.Args{Op: 1, Checksum: "1.0.1"}},
			{"ClientRequest(0)", traces.Args{Op: 2, Checksum: "2.0.2", Request: 2}},
		}},
		"view change with a repair": {walk, []step{
			{"ClientRequest(0)", traces.Args{Op: 1, Checksum: "1.0.1", Request: 1}},
			{"StartViewChange(1)", traces.Args{View: 1}},
			{"ReceiveStartViewChange(0,1)", traces.Args{View: 1}},
			{"SendDoViewChange(0)", traces.Args{View: 1, To: r1}},
			{"SendDoViewChange(1)", traces.Args{View: 1, To: r1}},
			{"MergeVotes(1,{0,1})", traces.Args{View: 1, Quorum: []int{0, 1}, Op: 1}},
			{"RepairPrepare(1,1)", traces.Args{Op: 1, Checksum: "1.0.1", From: r0}},
			{"BecomePrimary(1)", traces.Args{View: 1, Op: 1, Checksum: "1.0.1"}},
			{"ReceiveStartView(2,1)", traces.Args{View: 1, From: r1, Op: 1, Checksum: "1.0.1"}},
			{"RepairPrepare(2,1)", traces.Args{Op: 1, Checksum: "1.0.1", From: r0}},
			{"PrimaryCommit(1)", traces.Args{
				Op: 1, Checksum: "1.0.1", Commit: 1, Quorum: []int{1, 2},
			}},
			{"StartViewChange(2)", traces.Args{View: 2}},
		}},
		"an empty view": {walk, []step{
			{"StartViewChange(1)", traces.Args{View: 1}},
			{"ReceiveStartViewChange(2,1)", traces.Args{View: 1}},
			{"SendDoViewChange(1)", traces.Args{View: 1, To: r1}},
			{"SendDoViewChange(2)", traces.Args{View: 1, To: r1}},
			{"MergeVotes(1,{1,2})", traces.Args{View: 1, Quorum: []int{1, 2}}},
			{"BecomePrimary(1)", traces.Args{View: 1}},
			{"ReceiveStartView(0,1)", traces.Args{View: 1, From: r1}},
		}},
		"restart and recovery": {walk, []step{
			{"ClientRequest(0)", traces.Args{Op: 1, Checksum: "1.0.1", Request: 1}},
			{"ReceivePrepare(1)", traces.Args{Op: 1, Checksum: "1.0.1", From: r0}},
			{"PrimaryCommit(0)", traces.Args{
				Op: 1, Checksum: "1.0.1", Commit: 1, Quorum: []int{0, 1},
			}},
			{"Restart(2)", traces.Args{}},
			{"AnswerProbe(0,2)", traces.Args{To: r2, Op: 1, Checksum: "1.0.1", Commit: 1}},
			{"Recover(2,0)", traces.Args{From: r0, Op: 1, Checksum: "1.0.1", Commit: 1}},
			{"Restart(0)", traces.Args{}},
			// Replica 0 still has the body on its disk, but replica 1 is up.
			{"RepairPrepare(2,1)", traces.Args{Op: 1, Checksum: "1.0.1", From: r1}},
		}},
		"the second driver": {bound(1, 1, 0, vsr.WalkAndPipeline), []step{
			{"ClientRequest(0)", traces.Args{Op: 1, Checksum: "1.0.1", Request: 1}},
			{"ReceivePrepare(1)", traces.Args{Op: 1, Checksum: "1.0.1", From: r0}},
			{"PrimaryCommit(0)", traces.Args{
				Op: 1, Checksum: "1.0.1", Commit: 1, Quorum: []int{0, 1},
			}},
			{"ReceiveCommit(1,1)", traces.Args{Commit: 1, From: r0}},
			{"StartViewChange(1)", traces.Args{View: 1}},
			{"ReceiveStartViewChange(2,1)", traces.Args{View: 1}},
			{"SendDoViewChange(1)", traces.Args{View: 1, To: r1}},
			{"SendDoViewChange(2)", traces.Args{View: 1, To: r1}},
			{"MergeVotes(1,{1,2})", traces.Args{View: 1, Quorum: []int{1, 2}, Op: 1}},
			{"BecomePrimary(1)", traces.Args{View: 1, Op: 1, Checksum: "1.0.1", Commit: 1}},
			{"PipelineExecute(1)", traces.Args{Op: 1, Checksum: "1.0.1"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var labels []string
			var want []traces.Args
			for _, s := range tc.steps {
				labels, want = append(labels, s.label), append(want, s.want)
			}
			got := play(t, tc.config, labels...)
			for i := range want {
				assert.Equal(t, want[i], got[i], labels[i])
			}
		})
	}
}
