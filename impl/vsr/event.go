package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// Action names an event: an action of spec/VSR.tla, or a finer event that changes nothing in
// [State] (Event.Stutter).
type Action string

// The actions of the specification that a core takes.
const (
	ActionClientRequest          Action = "ClientRequest"
	ActionReceivePrepare         Action = "ReceivePrepare"
	ActionPrimaryCommit          Action = "PrimaryCommit"
	ActionReceiveCommit          Action = "ReceiveCommit"
	ActionWalkExecute            Action = "WalkExecute"
	ActionStallTruncate          Action = "StallTruncate" // defects only
	ActionRepairPrepare          Action = "RepairPrepare"
	ActionStartViewChange        Action = "StartViewChange"
	ActionReceiveStartViewChange Action = "ReceiveStartViewChange"
	ActionSendDoViewChange       Action = "SendDoViewChange"
	ActionMergeVotes             Action = "MergeVotes"
	ActionBecomePrimary          Action = "BecomePrimary"
	ActionReceiveStartView       Action = "ReceiveStartView"
	ActionRestart                Action = "Restart"
	ActionAnswerProbe            Action = "AnswerProbe"
	ActionRecover                Action = "Recover"
)

// Events of checkpoints and their transfer, by the names of spec/Transfer.tla. VSR.tla has no
// checkpoints: the header of a trace with one of these says so.
const (
	EventTakeCheckpoint  Action = "TakeCheckpoint"
	EventStartTransfer   Action = "StartTransfer"
	EventResumeTransfer  Action = "ResumeTransfer"
	EventAbandonTransfer Action = "AbandonTransfer"
	EventInstall         Action = "Install"
	EventRaiseHead       Action = "RaiseHead"
	EventRepairHeader    Action = "RepairHeader"
)

// Finer events.
const (
	EventAdmit  Action = "Admit"  // a prepare was classified (R8): Class says how
	EventRead   Action = "Read"   // a read can be answered: Op is executed (R19)
	EventRefuse Action = "Refuse" // an input was refused: Reason says why
)

// Event is one thing that a replica did. Fields that do not apply are zero.
type Event struct {
	Action      Action
	Stutter     bool
	Op          wire.Op
	Checksum    wire.Checksum
	View        wire.View // of the message or transition
	Commit      wire.Op
	Request     wire.RequestNumber
	From, To    wire.ReplicaID
	HasFrom     bool
	HasTo       bool
	Quorum      []int
	Incarnation wire.Incarnation
	Class       Admission
	Reason      Refusal
	After       State
}

// emit records an event with the state after it.
func (r *Replica) emit(e Event) {
	if !r.config.RecordEvents {
		return
	}
	e.After = r.State()
	r.out.Events = append(r.out.Events, e)
}

// State is what a trace shows of a replica: a projection, the same as the model's.
type State struct {
	Status                      Status
	View, LogView               wire.View
	ViewDurable, LogViewDurable wire.View
	OpHead                      wire.Op
	HeadChecksum                wire.Checksum // zero if the log is empty
	Contiguous                  wire.Op       // all bodies up to here are stored
	Hollow                      []wire.Op     // committed or in the log, without a body; ascending
	CommitMin, CommitMax        wire.Op
	PipelineFirst, PipelineLast wire.Op // both zero if there is none
	Incarnation                 wire.Incarnation
	Stop                        StopReason
}

// State returns the projection of the replica as it is now.
func (r *Replica) State() State {
	s := State{
		Status: r.status, View: r.view, LogView: r.logView,
		ViewDurable: r.view, LogViewDurable: r.logView, // transition.go: durable by construction
		OpHead: r.log.head(), HeadChecksum: r.log.headChecksum(), Contiguous: r.log.head(),
		CommitMin: r.commitMin, CommitMax: r.commitMax,
		Incarnation: r.config.Incarnation, Stop: r.walkStop(),
	}
	for op := r.commitMin + 1; op <= r.log.head(); op++ { // what was executed is stored
		if !r.log.has(op) || !r.holds(op) {
			s.Hollow = append(s.Hollow, op)
		}
	}
	if len(s.Hollow) > 0 {
		s.Contiguous = s.Hollow[0] - 1
	}
	if n := len(r.pipeline); n > 0 {
		s.PipelineFirst, s.PipelineLast = r.pipeline[0].id.Op, r.pipeline[n-1].id.Op
	}
	return s
}
