package sim

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/sim/coverage"
	"github.com/viewstamp/viewstamp/impl/sim/seeds"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// NewCoverage returns the table of a swarm with all counts at zero: everything that can happen in
// a run.
func NewCoverage() coverage.Table {
	var c coverage.Table
	c.Expect("fault", slices.Concat(faultNames(), rareNames), rareNames...)
	c.Expect("message", coverage.Names(wire.Commands()))
	c.Expect("action", actionNames())
	// Conflict says that a view has two prepares at one op: it fails the run.
	c.Expect("admission", coverage.Names(admissions()), vsr.RefuseConflict.String())
	// Links of clients do not duplicate, and their requests are small and for the log.
	// Divergence says that somebody's log lacks what another executed: it fails the run. So many
	// reads as are too many never wait at once. No disk is lost.
	c.Expect("refusal", coverage.Names(vsr.Refusals()), vsr.RefuseDivergence.String(),
		vsr.RefuseTooManyReads.String(), vsr.RefuseUnderWay.String(),
		vsr.RefuseTooLarge.String(), vsr.RefuseOperation.String(), vsr.RefuseWiped.String(),
		vsr.RefuseTooLong.String())
	c.Expect("request", []string{"batched"})
	c.Expect("read", coverage.Names([]vsr.ReadLevel{vsr.ReadLinearizable, vsr.ReadLocal}))
	c.Expect("stop", coverage.Names(stops()))
	return c
}

// Outcome is the run as a swarm sums it up.
func (r *Result) Outcome() seeds.Outcome {
	o := seeds.Outcome{
		Seed: r.Seed, Reproduce: r.Reproduce(), Chosen: r.Features, Undecided: r.Undecided,
		Figures: map[string]int{
			"ticks": r.Ticks, "operations": r.Operations, "committed": r.Committed,
			"view_changes": r.ViewChanges, "crashes": r.Crashes, "comparisons": r.Comparisons,
		},
		Seen: coverage.Counts{
			"fault": r.Injected, "message": r.Delivered, "action": r.Actions,
			"admission": r.Admissions, "refusal": r.Refusals, "stop": r.Stops,
			"read": r.Reads, "request": {"batched": r.Batched},
		},
	}
	if r.Failure != nil {
		o.Failure = r.Failure.String()
	}
	return o
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
