package verify

import (
	"context"
	"slices"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// checkpointChange makes an event of a checkpoint claim what cannot be (R17, R21).
type checkpointChange struct {
	what, action string
	change       func(e *traces.Event)
}

// checkpointChanges are those that are wrong wherever their event is.
var checkpointChanges = []checkpointChange{
	{"a checkpoint of an op that is not executed", traces.EventTakeCheckpoint, notExecuted},
	{"a checkpoint of another prepare", traces.EventTakeCheckpoint, anotherChecksum},
	{"a checkpoint of an op above the log", traces.EventTakeCheckpoint, aboveTheLog},
	{"a checkpoint that executes", traces.EventTakeCheckpoint, executesOneMore},
	{"a fetch of another prepare's checkpoint", traces.EventStartTransfer, anotherChecksum},
	{"a fetch of an op above the log", traces.EventStartTransfer, aboveTheLog},
	{"an installed checkpoint of another prepare", traces.EventInstall, anotherChecksum},
	{"an installed checkpoint that executes beyond", traces.EventInstall, executesOneMore},
	{"headers that nobody prepared", traces.EventRaiseHead, headOfNobody},
}

func notExecuted(e *traces.Event)     { e.Args.Op, e.Args.Checksum = e.After.CommitMin+1, "" }
func aboveTheLog(e *traces.Event)     { e.Args.Op, e.Args.Checksum = e.After.OpHead+1, "" }
func executesOneMore(e *traces.Event) { e.After.CommitMin++ }
func headOfNobody(e *traces.Event) {
	e.Args.Op, e.After.OpHead = e.Args.Op+1e6, e.After.OpHead+1e6
}

// checkpointOptions are those of a run in which replicas take, hand over and install checkpoints.
func checkpointOptions(seed uint64) sim.Options {
	return sim.Options{
		Seed: seed, Ticks: recordTicks, Replicas: vsrReplicas, Faults: sim.FaultsSwarm,
	}
}

// checkpointSeeds bounds the runs that are recorded until each change was made: an installed
// checkpoint is rare.
const checkpointSeeds = 400

// controlCheckpoints makes each of the changes in recorded runs with checkpoints, each times.
// The model must reject each at its line.
func controlCheckpoints(changes []checkpointChange, each int) Job {
	job := controlJob("checkpoint", EngineConform)
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		made := make([]int, len(changes))
		var err error
		short := func(n int) bool { return n < each }
		for seed := uint64(1); seed <= checkpointSeeds && c.Status == "" && err == nil &&
			slices.ContainsFunc(made, short); seed++ {
			t, _, recordErr := Record(checkpointOptions(seed))
			if recordErr != nil {
				c.fail("record a run of seed %d: %v", seed, recordErr)
				break
			}
			spoilCheckpoints(&c, t, changes, made, each)
			err = ctx.Err()
		}
		for i, n := range made {
			if c.Status == "" && err == nil && n < each {
				c.failVacuous(changes[i].action + " in a recorded run to make wrong")
			}
		}
		if c.Status == "" {
			c.Status = Passed
		}
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

// spoilCheckpoints makes the changes that one trace has an event for, once each.
func spoilCheckpoints(
	c *Check, t *traces.Trace, changes []checkpointChange, made []int, each int,
) {
	if report, err := conform.Trace(t); err != nil || !report.Passed() {
		return // That is for the check of recorded traces to say.
	}
	used := false
	for i, change := range changes {
		at := slices.IndexFunc(t.Events, func(e traces.Event) bool {
			return e.Stutter && e.Action == change.action
		})
		if at < 0 || made[i] == each {
			continue
		}
		made[i]++
		used = true
		m := changeEvent(t, at, change)
		if reason := rejected(m); reason != "" {
			c.fail("recorded run of seed %d, line %d, %s: %s", t.Header.Seed, m.first, m.what, reason)
			c.Detail = c.Reason + "\n"
			return
		}
		c.Figures[FigureRejected]++
	}
	if used {
		c.Figures[FigureTraces]++
	}
}

// changeEvent is the trace with one event changed, to be rejected at its line.
func changeEvent(t *traces.Trace, at int, change checkpointChange) mutation {
	changed := *t
	changed.Events = slices.Clone(t.Events)
	e := &changed.Events[at]
	change.change(e)
	return mutation{&changed, e.Line(), e.Line(), change.what}
}
