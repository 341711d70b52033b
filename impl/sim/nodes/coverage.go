package nodes

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Row says how often one thing happened in all runs of a swarm.
type Row struct {
	// Group is fault, message, answer, reply, stop, merge, host, batch or refusal.
	Group, Name string
	Count       int
	// Expected says that a swarm of some hundred seeds should see it.
	Expected bool
}

// Coverage is a table of everything that can happen in a run, in a fixed order.
type Coverage []Row

// newCoverage returns the table with all counts at zero.
func newCoverage() Coverage {
	var c Coverage
	add := func(group string, names []string, unexpected ...string) {
		for _, name := range names {
			c = append(c, Row{
				Group: group, Name: name, Expected: !slices.Contains(unexpected, name),
			})
		}
	}
	add("fault", slices.Concat(FeatureNames(), effectNames))
	add("message", namesOf(wire.Commands()))
	add("answer", namesOf([]clienttable.AnswerKind{
		clienttable.Replied, clienttable.SessionGiven, clienttable.Over,
	}))
	var statuses []string
	for _, status := range []uint32{replica.StatusNotAccepted, replica.StatusInvalidSession} {
		statuses = append(statuses, statusName(status))
	}
	add("reply", statuses)
	add("stop", namesOf(vsr.StopReasons()))
	// An op stays open only if voters lost what nobody else holds; that a person must decide
	// takes more loss than the atlas allows.
	add("merge", namesOf(vsr.Outcomes()), vsr.OutcomeAwaitingRepair.String(),
		vsr.OutcomeBlocked.String())
	add("host", []string{
		"checkpoint", "installed", "refetched", "state_repeated", "file_released",
	}, "refetched", "state_repeated") // only what rots on its way, and a group that nobody uses
	add("batch", batchNames)
	add("refusal", namesOf(vsr.Refusals()), unexpectedRefusals()...)
	return c
}

// effectNames are what faults came to.
var effectNames = []string{
	"killed", "power_lost", "torn_write", "corrupt_dropped", "overflow", "clogged", "filtered",
	"partition_uniform_size", "partition_uniform", "partition_isolate", "partition_one_way",
	"partition_clients",
}

// unexpectedRefusals are those that no sound run has: contradictions, and what hosts and the
// simulated clients never let a core see.
func unexpectedRefusals() []string {
	return namesOf([]vsr.Refusal{
		vsr.RefuseDivergence, vsr.RefuseCluster, vsr.RefuseGroup, vsr.RefuseSender,
		vsr.RefuseCommand, vsr.RefuseQueueFull, vsr.RefuseTooLarge, vsr.RefuseOperation,
		vsr.RefuseUnderWay, vsr.RefuseTooManyReads, vsr.RefuseBrokenLog,
		vsr.RefuseViewChanged, vsr.RefuseTooLong,
	})
}

// Missing names what was expected and never happened, as "group/name".
func (c Coverage) Missing() []string {
	var missing []string
	for _, row := range c {
		if row.Expected && row.Count == 0 {
			missing = append(missing, row.Group+"/"+row.Name)
		}
	}
	return missing
}

// add counts what happened in one run.
func (c Coverage) add(r *Result) {
	groups := map[string]map[string]int{
		"fault": r.Injected, "message": r.Delivered, "answer": r.Answers, "reply": r.Replies,
		"stop": r.Stops, "merge": r.Merges, "refusal": r.Refusals, "host": r.Hosts, "batch": r.Batches,
	}
	for i := range c {
		c[i].Count += groups[c[i].Group][c[i].Name]
	}
}

func namesOf[T fmt.Stringer](values []T) []string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = v.String()
	}
	return names
}
