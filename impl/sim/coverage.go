package sim

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// CoverageRow says how often one thing happened in all runs of a swarm.
type CoverageRow struct {
	// Group is fault, message, action, admission, refusal, request, read or stop.
	Group string
	Name  string
	Count int
	// Expected says that a swarm of some hundred seeds should see it.
	Expected bool
}

// Coverage is a table of everything that can happen in a run, in a fixed order.
type Coverage []CoverageRow

// newCoverage returns the table with all counts at zero.
func newCoverage() Coverage {
	var c Coverage
	add := func(group string, names []string, unexpected ...string) {
		for _, name := range names {
			c = append(c, CoverageRow{
				Group: group, Name: name, Expected: !slices.Contains(unexpected, name),
			})
		}
	}
	add("fault", faultNames())
	add("message", namesOf(wire.Commands()))
	add("action", actionNames())
	// Conflict says that a view has two prepares at one op: it fails the run.
	add("admission", namesOf(admissions()), vsr.RefuseConflict.String())
	// Links of clients do not duplicate, and their requests are small and for the log.
	// Divergence says that somebody's log lacks what another executed: it fails the run. So many
	// reads as are too many never wait at once. No disk is lost.
	add("refusal", namesOf(vsr.Refusals()), vsr.RefuseDivergence.String(),
		vsr.RefuseTooManyReads.String(), vsr.RefuseUnderWay.String(),
		vsr.RefuseTooLarge.String(), vsr.RefuseOperation.String(), vsr.RefuseWiped.String(),
		vsr.RefuseTooLong.String())
	add("request", []string{"batched"})
	add("read", namesOf([]vsr.ReadLevel{vsr.ReadLinearizable, vsr.ReadLocal}))
	add("stop", namesOf(stops()))
	return c
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
		"fault": r.Injected, "message": r.Delivered, "action": r.Actions,
		"admission": r.Admissions, "refusal": r.Refusals, "stop": r.Stops,
		"read": r.Reads, "request": {"batched": r.Batched},
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

func faultNames() []string {
	var names []string
	for i := range features {
		names = append(names, features[i].name)
	}
	return append(names, "partition_isolate", "partition_primary", "partition_split",
		"partition_one_way", "partition_clients", "write_landed", "write_lost",
		"rot_chunk")
}

func actionNames() []string {
	actions := []vsr.Action{
		vsr.ActionClientRequest, vsr.ActionReceivePrepare, vsr.ActionPrimaryCommit,
		vsr.ActionReceiveCommit, vsr.ActionWalkExecute, vsr.ActionRepairPrepare,
		vsr.ActionStartViewChange, vsr.ActionReceiveStartViewChange,
		vsr.ActionSendDoViewChange, vsr.ActionMergeVotes, vsr.ActionBecomePrimary,
		vsr.ActionReceiveStartView, vsr.ActionRestart, vsr.ActionAnswerProbe, vsr.ActionRecover,
		vsr.EventTakeCheckpoint, vsr.EventStartTransfer, vsr.EventResumeTransfer,
		vsr.EventAbandonTransfer, vsr.EventInstall, vsr.EventRaiseHead, vsr.EventRepairHeader,
	}
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = string(a)
	}
	return names
}

func admissions() []vsr.Admission {
	return []vsr.Admission{
		vsr.AdmitNext, vsr.AdmitFill, vsr.RefuseGap, vsr.RefuseDuplicate, vsr.RefuseStoring,
		vsr.RefuseConflict, vsr.RefuseOldView, vsr.RefuseNewerView, vsr.RefuseNotNormal,
		vsr.RefuseIsPrimary, vsr.RefuseTransferring, vsr.RefuseReleased,
	}
}

func stops() []vsr.StopReason {
	return []vsr.StopReason{
		vsr.StopCaughtUp, vsr.StopMissingHeader, vsr.StopMissingBody, vsr.StopChecksumMismatch,
		vsr.StopAwaitingExecution, vsr.StopNotNormal, vsr.StopTransferring,
	}
}
