package traces

import "slices"

// The actions of the protocol, named as in the spec and the model. VRR sections
// and rule numbers are at the actions of spec/.
const (
	// Normal operation.
	ActionClientRequest  = "ClientRequest"
	ActionReceivePrepare = "ReceivePrepare"
	ActionPrimaryCommit  = "PrimaryCommit"
	ActionReceiveCommit  = "ReceiveCommit"

	// The commit walk. PipelineExecute is upstream's second driver only, and
	// StallTruncate is taken by mutants only.
	ActionWalkExecute     = "WalkExecute"
	ActionPipelineExecute = "PipelineExecute"
	ActionStallTruncate   = "StallTruncate"

	// Repair.
	ActionRepairPrepare = "RepairPrepare"

	// View change.
	ActionStartViewChange        = "StartViewChange"
	ActionReceiveStartViewChange = "ReceiveStartViewChange"
	ActionSendDoViewChange       = "SendDoViewChange"
	ActionMergeVotes             = "MergeVotes"
	ActionBecomePrimary          = "BecomePrimary"
	ActionReceiveStartView       = "ReceiveStartView"

	// Recovery.
	ActionRestart     = "Restart"
	ActionAnswerProbe = "AnswerProbe"
	ActionRecover     = "Recover"
)

// Events of checkpoints and of their transfer, by the names of spec/Transfer.tla. VSR.tla has no
// checkpoints, so in a trace they are stutters. TakeCheckpoint, StartTransfer, ResumeTransfer,
// AbandonTransfer and Install name the checkpoint in op and checksum. Of these Install changes
// the state, and RaiseHead and RepairHeader change what is known of the log.
const (
	EventTakeCheckpoint  = "TakeCheckpoint"
	EventStartTransfer   = "StartTransfer"
	EventResumeTransfer  = "ResumeTransfer"
	EventAbandonTransfer = "AbandonTransfer"
	EventInstall         = "Install"
	EventRaiseHead       = "RaiseHead"
	EventRepairHeader    = "RepairHeader"
)

// Actions lists all actions of the schema: normal operation, commit walk, repair,
// view change, recovery. The caller owns the slice.
func Actions() []string {
	return []string{
		ActionClientRequest, ActionReceivePrepare, ActionPrimaryCommit, ActionReceiveCommit,
		ActionWalkExecute, ActionPipelineExecute, ActionStallTruncate,
		ActionRepairPrepare,
		ActionStartViewChange, ActionReceiveStartViewChange, ActionSendDoViewChange,
		ActionMergeVotes, ActionBecomePrimary, ActionReceiveStartView,
		ActionRestart, ActionAnswerProbe, ActionRecover,
	}
}

// actions is the schema for look-ups; never written.
var actions = Actions()

// ValidAction reports whether name is one of [Actions]. Case counts.
func ValidAction(name string) bool {
	return slices.Contains(actions, name)
}
