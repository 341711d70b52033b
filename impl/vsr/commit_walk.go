package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// StopReason says why the commit walk stopped (R5). A walk that moved nothing tells nobody
// anything; its reason does (seed 000).
type StopReason uint8

// The reasons.
const (
	StopCaughtUp          StopReason = iota + 1 // everything known to be committed is executed
	StopMissingHeader                           // committed beyond the head: repair the gap
	StopMissingBody                             // a hollow op: repair its body in place (R6)
	StopChecksumMismatch                        // the op's body is another prepare's: the same
	StopAwaitingExecution                       // the next op is executable or being executed
	StopNotNormal                               // in a view change or recovering
	StopTransferring                            // a checkpoint is being installed (R21)
)

var stopNames = [...]string{
	StopCaughtUp: "CaughtUp", StopMissingHeader: "MissingHeader",
	StopMissingBody: "MissingBody", StopChecksumMismatch: "ChecksumMismatch",
	StopAwaitingExecution: "AwaitingExecution", StopNotNormal: "NotNormal",
	StopTransferring: "Transferring",
}

// String returns the name as in traces.
func (s StopReason) String() string {
	if s >= 1 && int(s) < len(stopNames) {
		return stopNames[s]
	}
	return "invalid"
}

// walkStop says why the walk stands where it does.
func (r *Replica) walkStop() StopReason {
	op := r.commitMin + 1
	switch {
	case r.status != StatusNormal:
		return StopNotNormal
	case r.transferring() && !r.config.Defects.Has(DefectTransferRewinds):
		return StopTransferring
	case r.commitMin == r.commitMax:
		return StopCaughtUp
	case !r.log.has(op):
		return StopMissingHeader
	case r.holds(op):
		return StopAwaitingExecution
	case r.journal.hasOther(r.log.at(op).ID()):
		return StopChecksumMismatch
	}
	return StopMissingBody
}

// commitWalk is the one driver that executes ops, primary and backup alike: in op order, each
// once, up to commit max (R5). It hands the next op to the state machine, one at a time, and
// goes on when that is executed. VRR 4.1, steps 5 and 7; spec WalkExecute.
func (r *Replica) commitWalk() {
	if r.executed != nil && r.status == StatusNormal {
		r.finishExecute()
	}
	if r.executing || r.transition != nil || r.walkStop() != StopAwaitingExecution {
		return
	}
	if r.config.Defects.Has(DefectStallIsPipeline) && r.atPipelineHead() {
		return // upstream's shape: the pipeline owns it
	}
	h := r.log.at(r.commitMin + 1)
	r.executing, r.handed, r.handedAt = true, h.ID(), h.Timestamp
	r.out.Executes = append(r.out.Executes, r.handed)
}

// onExecuted takes the result of the op that is with the state machine. If a view change has
// begun meanwhile it counts once the replica is normal again: the op is committed, so that the
// log of the new view has it at the same place.
func (r *Replica) onExecuted(in Executed) {
	if !r.executing || in.ID != r.handed {
		r.violated("an op executed was asked for", "id=%v", in.ID)
	}
	r.executed = &in
	r.commitWalk()
}

// onNotExecuted takes the op back from the state machine: its body is lost, and the walk waits
// for its repair (R6).
func (r *Replica) onNotExecuted(id wire.PrepareID) {
	if !r.executing || r.executed != nil || id != r.handed {
		r.violated("an op not executed was asked for", "id=%v", id)
	}
	r.executing, r.handed = false, wire.PrepareID{}
	r.onPrepareLost(id)
}

// finishExecute moves commit min and answers the client.
func (r *Replica) finishExecute() {
	in := *r.executed
	r.executing, r.executed, r.handed = false, nil, wire.PrepareID{}
	r.commitMin, r.applied, r.appliedAt = in.ID.Op, in.ID, r.handedAt
	r.emit(Event{Action: ActionWalkExecute, Op: in.ID.Op, Checksum: in.ID.Checksum})
	if r.isPrimary() && r.log.has(r.commitMin) { // or a log with a hole was adopted meanwhile
		r.reply(r.log.at(r.commitMin), &in)
	}
}
