package nodes

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/sim/coverage"
	"github.com/viewstamp/viewstamp/impl/sim/seeds"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
	"github.com/viewstamp/viewstamp/traces"
)

// NewCoverage returns the table of a swarm with all counts at zero: everything that can happen in
// a run; with the actions that are held against the model, if runs are judged.
func NewCoverage(judged bool) coverage.Table {
	var c coverage.Table
	c.Expect("fault", slices.Concat(FeatureNames(), effectNames))
	c.Expect("message", coverage.Names(wire.Commands()))
	c.Expect("answer", coverage.Names([]clienttable.AnswerKind{
		clienttable.Replied, clienttable.SessionGiven, clienttable.Over,
	}))
	var statuses []string
	for _, status := range []uint32{replica.StatusNotAccepted, replica.StatusInvalidSession} {
		statuses = append(statuses, statusName(status))
	}
	c.Expect("reply", statuses)
	c.Expect("stop", coverage.Names(vsr.StopReasons()))
	// An op stays open only if voters lost what nobody else holds; that a person must decide
	// takes more loss than the atlas allows.
	c.Expect("merge", coverage.Names(vsr.Outcomes()), vsr.OutcomeAwaitingRepair.String(),
		vsr.OutcomeBlocked.String())
	c.Expect("host", []string{
		"checkpoint", "installed", "refetched", "state_repeated", "file_released",
		"body_moved",
		// Only what rots on its way, a group that nobody uses, ops that do not commit for long.
	}, "refetched", "state_repeated", "body_moved")
	c.Expect("batch", batchNames)
	c.Expect("read", kindNames())
	if judged {
		// Upstream's second driver, and what a defect does: the code has neither.
		c.Expect("action", traces.Actions(), traces.ActionPipelineExecute,
			traces.ActionStallTruncate)
	}
	c.Expect("refusal", coverage.Names(vsr.Refusals()), unexpectedRefusals()...)
	return c
}

// kindNames are the kinds of reads at level linearizable.
func kindNames() []string {
	var names []string
	for _, kind := range []lin.Kind{lin.Read, lin.Poll, lin.GetOffset, lin.Lookup, lin.NameOf} {
		names = append(names, string(kind))
	}
	return names
}

// effectNames are what faults came to.
var effectNames = []string{
	"killed", "power_lost", "torn_write", "corrupt_dropped", "overflow", "clogged", "filtered",
	"disk_replaced",
	"partition_uniform_size", "partition_uniform", "partition_isolate", "partition_one_way",
	"partition_clients",
}

// unexpectedRefusals are those that no sound run has: contradictions, and what hosts and the
// simulated clients never let a core see.
func unexpectedRefusals() []string {
	return coverage.Names([]vsr.Refusal{
		vsr.RefuseDivergence, vsr.RefuseCluster, vsr.RefuseGroup, vsr.RefuseSender,
		vsr.RefuseCommand, vsr.RefuseQueueFull, vsr.RefuseTooLarge, vsr.RefuseOperation,
		vsr.RefuseUnderWay, vsr.RefuseTooManyReads, vsr.RefuseBrokenLog,
		vsr.RefuseViewChanged, vsr.RefuseTooLong,
	})
}

// Outcome is the run as a swarm sums it up.
func (r *Result) Outcome() seeds.Outcome {
	o := seeds.Outcome{
		Seed: r.Seed, Reproduce: r.Reproduce(), Chosen: r.Features, Undecided: r.Undecided,
		Figures: map[string]int{
			"ticks": r.Ticks, "operations": r.Operations, "committed": r.Committed,
			"requests": r.Requests, "crashes": r.Crashes, "comparisons": r.Comparisons,
			"frames": r.Frames,
		},
		Seen: coverage.Counts{
			"fault": r.Injected, "message": r.Delivered, "answer": r.Answers, "reply": r.Replies,
			"stop": r.Stops, "merge": r.Merges, "refusal": r.Refusals, "host": r.Hosts,
			"batch": r.Batches, "read": r.Reads, "action": r.Actions,
		},
	}
	if r.Failure != nil {
		o.Failure = r.Failure.String()
	}
	return o
}
