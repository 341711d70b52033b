package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// Output holds the effects of one Step. None depends on another of the same Output: the host
// may carry them out in any order and at any time, with one exception that its write-ahead log
// gives by itself: StorePrepares and StoreState are appended in the order of the Steps that
// asked for them. Completions may be reported in any order.
//
// The slices are valid until the next Step.
type Output struct {
	// Messages go to other replicas.
	Messages []Envelope
	// Replies go to clients.
	Replies []*wire.Reply
	// StorePrepares are to be appended to the WAL; report each with [PrepareStored].
	StorePrepares []StorePrepare
	// StoreState is a state record to append to the WAL (R2); report it with [StateStored].
	StoreState *StateRecord
	// StoreSuperblock is to replace the superblock; report it with [SuperblockStored].
	StoreSuperblock *Superblock
	// Reads are prepares to read from the journal; answer each with [PreparesRead].
	Reads []Read
	// Executes are committed prepares for the state machine, in op order; report each with
	// [Executed] or [NotExecuted].
	Executes []wire.PrepareID
	// ReadChunks are parts of checkpoints to read; answer each with [ChunkRead].
	ReadChunks []ReadChunk
	// StoreChunk is a part of a checkpoint to keep; report it with [ChunkStored].
	StoreChunk *StoreChunk
	// InstallCheckpoint is a checkpoint to install, of which every part is kept; report it with
	// [CheckpointInstalled] or [CheckpointRefused].
	InstallCheckpoint *InstallCheckpoint
	// Release, if not zero, is the op up to which the log need not be kept any more: the WAL may
	// let go what the checkpoint there covers (R17).
	Release wire.Op
	// ReadsReady are reads that can be answered now, ReadsRefused those that cannot be answered
	// here (R19). Each [ReadRequest] is in one of them, once, unless the replica restarts.
	ReadsReady   []ReadReady
	ReadsRefused []ReadRefused
	// Events tell what happened, if Config.RecordEvents is set.
	Events []Event
}

func (o *Output) reset() {
	o.Messages = o.Messages[:0]
	o.Replies = o.Replies[:0]
	o.StorePrepares = o.StorePrepares[:0]
	o.StoreState = nil
	o.StoreSuperblock = nil
	o.Reads = o.Reads[:0]
	o.Executes = o.Executes[:0]
	o.ReadChunks = o.ReadChunks[:0]
	o.StoreChunk = nil
	o.InstallCheckpoint = nil
	o.Release = 0
	o.ReadsReady = o.ReadsReady[:0]
	o.ReadsRefused = o.ReadsRefused[:0]
	o.Events = o.Events[:0]
}

// Envelope is a message and the replica that it goes to.
type Envelope struct {
	To      wire.ReplicaID
	Message wire.Message
}

// StorePrepare asks the host to store a prepare.
type StorePrepare struct {
	// LogView is the log view in force: recovery takes the record only under it (R2).
	LogView wire.View
	// Fill says that the record is the body of an op whose place in the log another record
	// gives: an adopted hollow op, or an op of a merged log. Otherwise the record itself puts
	// the op at the head.
	Fill    bool
	Prepare *wire.Prepare
}

// StateRecord puts a log view and its log into the WAL (R2).
type StateRecord struct {
	LogView wire.View
	// Base is the identity of the op below Headers, zero if they begin at op 1: the
	// checkpoint, or, above a hole (R11), an op that the replica has not executed yet. The WAL
	// gives it back in Recovered.LogBase.
	Base    wire.PrepareID
	Headers []wire.PrepareHeader
	// Untrusted says that the record does not end the doubt about the log (R15): it only moves
	// the base. A record that adopts a log ends it.
	Untrusted bool
	// Doubtful are the ops of Headers that the replica may have acknowledged and lost (R15).
	// They are in doubt until their body is stored, also after a restart: the WAL gives them
	// back in Recovered.Doubtful.
	Doubtful []wire.PrepareID
}

// Superblock is a replica's durable view and log view.
type Superblock struct{ View, LogView wire.View }

// Read asks for stored prepares, to be sent to replica To.
type Read struct {
	IDs []wire.PrepareID
	To  wire.ReplicaID
}

// Status is what a replica is doing. VRR section 4.
type Status uint8

// The statuses.
const (
	StatusNormal Status = iota + 1
	StatusViewChange
	StatusRecovering
)

// String returns the name as in traces.
func (s Status) String() string {
	switch s {
	case StatusNormal:
		return "normal"
	case StatusViewChange:
		return "view_change"
	case StatusRecovering:
		return "recovering"
	}
	return "invalid"
}

// Statuses of a Reply to a request that did not enter the log, under the names that hosts know.
const (
	ReplyNotPrimary = wire.ReplyNotPrimary
	ReplyQueueFull  = wire.ReplyQueueFull
)
