package traces

import "slices"

// The statuses of a replica (ReplicaState.Status).
const (
	StatusNormal     = "normal"
	StatusViewChange = "view_change"
	StatusRecovering = "recovering"
)

// Why the commit walk stopped (ReplicaState.Stop; R5). The field may be empty.
const (
	StopCaughtUp          = "CaughtUp"
	StopMissingHeader     = "MissingHeader"
	StopMissingBody       = "MissingBody"
	StopChecksumMismatch  = "ChecksumMismatch"
	StopAwaitingExecution = "AwaitingExecution"
	StopNotNormal         = "NotNormal"
	StopTransferring      = "Transferring"
)

// Event is one step of one replica and the replica's state after it.
type Event struct {
	// Step is the event's number in its trace: 1 for the first, then one more each.
	Step int `json:"step"`
	// Group is the ID of the replica's group.
	Group string `json:"group"`
	// Replica is the 0-based index of the replica that took the step.
	Replica int `json:"replica"`
	// Action is one of [Actions]; a stuttering event may have any other name.
	Action string `json:"action"`
	// Args are the action's parameters and what explains the event.
	Args Args `json:"args"`
	// Stutter marks an event that is finer than the spec's actions: it must not
	// change the state below, as far as the spec can see it.
	Stutter bool `json:"stutter"`
	// After is the state of the replica once the step is done.
	After ReplicaState `json:"after"`
	// Open names the fields that this event does not say beside those of Header.Open:
	// "view" is one of after, "args.op" one of args. Their values mean nothing.
	Open []string `json:"open,omitempty"`
	// Origin is the place in a foreign log that an imported event was made from, or nil.
	Origin *Origin `json:"origin,omitempty"`
	// At is when the step was taken, in nanoseconds since 1970 by the recorder's clock; 0 if it
	// does not say. [Merge] orders the events of several recorders by it.
	At int64 `json:"at,omitempty"`
}

// Origin is a place in one of the files of Header.Files.
type Origin struct {
	File int `json:"file,omitempty"` // 0-based index in Header.Files.
	Line int `json:"line"`           // 1-based.
}

// Says reports whether the event says a field: "view" for one of after, "args.op" for one
// of args. What Header.Open names is not asked.
func (e Event) Says(field string) bool {
	return !slices.Contains(e.Open, field)
}

// Line is the 1-based line of the event in a file: the header is line 1.
func (e Event) Line() int {
	return e.Step + 1
}

// Args are the optional parameters of an event. Zero values are not written, so
// an absent number reads as 0.
type Args struct {
	// Op is the op that the event is about.
	Op uint64 `json:"op,omitempty"`
	// Checksum is the identity of that op's prepare.
	Checksum string `json:"checksum,omitempty"`
	// View is the view that the message or decision speaks for.
	View uint32 `json:"view,omitempty"`
	// Commit is the commit point that a message carries.
	Commit uint64 `json:"commit,omitempty"`
	// To is the index of the replica that a message goes to, nil when absent.
	To *int `json:"to,omitempty"`
	// Quorum holds the indexes of the replicas that a decision rests on.
	Quorum []int `json:"quorum,omitempty"`
	// Request is the client's request number.
	Request uint64 `json:"request,omitempty"`
	// From is the index of the replica that a message came from, nil when absent.
	From *int `json:"from,omitempty"`
	// Incarnation is the boot that a probe or its answer names (R4).
	Incarnation string `json:"incarnation,omitempty"`
	// Class is the admission class of a prepare (R8).
	Class string `json:"class,omitempty"`
	// Reason says why something was refused or stopped.
	Reason string `json:"reason,omitempty"`

	// The rest is what imported events carry.

	// Parent is the identity of the prepare before Op.
	Parent string `json:"parent,omitempty"`
	// Client is the client that asked for Op, Operation what it asked for.
	Client    string `json:"client,omitempty"`
	Operation string `json:"operation,omitempty"`
	// Message is the kind of message that is sent.
	Message string `json:"message,omitempty"`
	// Role is "primary" or "backup", as the recorder says it.
	Role string `json:"role,omitempty"`
	// OldView is the view before a view change.
	OldView uint32 `json:"old_view,omitempty"`
	// Acknowledged is how many replicas have acknowledged Op, Needed how many commit it, and
	// Reached whether this acknowledgement was the one that did.
	Acknowledged int  `json:"acknowledged,omitempty"`
	Needed       int  `json:"needed,omitempty"`
	Reached      bool `json:"reached,omitempty"`
	// Depth is the number of ops in the primary's pipeline.
	Depth uint64 `json:"depth,omitempty"`
}

// ReplicaState is the projection of a replica that the spec, the model and the
// core agree on. Checksums and incarnations are opaque texts: only equality counts.
type ReplicaState struct {
	// Status is [StatusNormal], [StatusViewChange] or [StatusRecovering].
	Status string `json:"status"`
	// View is the current view, LogView the last one that changed the log.
	View    uint32 `json:"view"`
	LogView uint32 `json:"log_view"`
	// ViewDurable and LogViewDurable are what a restart would find (R1).
	ViewDurable    uint32 `json:"view_durable"`
	LogViewDurable uint32 `json:"log_view_durable"`
	// OpHead is the highest op of the log, 0 when the log is empty.
	OpHead uint64 `json:"op_head"`
	// HeadChecksum is the identity of the prepare at OpHead.
	HeadChecksum string `json:"head_checksum"`
	// Contiguous is the highest op such that it and all below have a stored body.
	Contiguous uint64 `json:"contiguous"`
	// Hollow lists, ascending, the ops at or below OpHead whose body is missing.
	Hollow []uint64 `json:"hollow"`
	// InDoubt says that the log may lack ops that this replica acknowledged (R15).
	InDoubt bool `json:"in_doubt"`
	// CommitMin is the last op executed here, CommitMax the highest known committed.
	CommitMin uint64 `json:"commit_min"`
	CommitMax uint64 `json:"commit_max"`
	// Pipeline is [first, last] op of a primary's pipeline, both included; empty
	// when the pipeline is.
	Pipeline []uint64 `json:"pipeline"`
	// Incarnation identifies the boot (R4).
	Incarnation string `json:"incarnation"`
	// Stop is the reason why the commit walk last stopped, or empty (R5).
	Stop string `json:"stop"`
}

// FieldsOfState is the number of fields of [ReplicaState].
const FieldsOfState = 15

// Equal reports whether all fields are equal; nil and empty lists are the same.
func (s ReplicaState) Equal(other ReplicaState) bool {
	return s.Status == other.Status &&
		s.View == other.View && s.LogView == other.LogView &&
		s.ViewDurable == other.ViewDurable && s.LogViewDurable == other.LogViewDurable &&
		s.OpHead == other.OpHead && s.HeadChecksum == other.HeadChecksum &&
		s.Contiguous == other.Contiguous && slices.Equal(s.Hollow, other.Hollow) &&
		s.InDoubt == other.InDoubt &&
		s.CommitMin == other.CommitMin && s.CommitMax == other.CommitMax &&
		slices.Equal(s.Pipeline, other.Pipeline) &&
		s.Incarnation == other.Incarnation && s.Stop == other.Stop
}

// Trace is a whole trace in memory.
type Trace struct {
	Header Header
	Events []Event
	// Path is the file that the trace was read from, empty when made in memory.
	Path string
}
