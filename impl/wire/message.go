package wire

// Message is one frame, decoded. The concrete types are pointers, one for each [Command]:
// [*Request], [*Prepare], [*PrepareOK], [*Reply], [*Commit], [*StartViewChange],
// [*DoViewChange], [*StartView], [*RequestStartView], [*RequestPrepares], [*RepairPrepare],
// [*ConfirmView], [*ConfirmViewOK].
//
// A message is immutable once it is sent or received: several receivers may share it.
//
//sumtype:decl
type Message interface {
	// Command says which type this is.
	Command() Command
	// From is the replica that the header names: the sender, but for [*Prepare] the primary
	// that prepared the op. A request has none and answers [NoReplica].
	From() ReplicaID
	// ClusterID is the cluster that the message is meant for; zero in requests of upstream's
	// clients.
	ClusterID() ClusterID
	// GroupID is the group that the message is meant for.
	GroupID() GroupID
	// InView is the view that the header names, for [*Prepare] that of the op. It is 0 for a
	// request, which knows no view.
	InView() View

	sealed()
}

// Request asks the cluster to run an operation. Frames of upstream's clients are unsealed
// (both checksums zero); those that [Encode] makes are sealed.
type Request struct {
	Cluster ClusterID
	Group   GroupID
	Client  ClientID      // never zero
	Session SessionNumber // zero in a Register
	Number  RequestNumber // zero only in Register and NonReplicated
	// RequestChecksum tells a repeated request from a different one with its number; zero
	// makes no such claim.
	RequestChecksum Checksum
	Timestamp       uint64 // the client's, informative
	Operation       Operation
	UserID          uint32
	Code            uint32 // what a NonReplicated request asks; else zero
	Body            []byte
}

// Reply tells a client the outcome of its request.
type Reply struct {
	Cluster ClusterID
	Group   GroupID
	View    View
	Replica ReplicaID
	Client  ClientID
	// Op is where the request was prepared; zero if it never was.
	Op        Op
	Commit    Op
	Timestamp uint64 // the prepare's
	Number    RequestNumber
	Operation Operation
	// Status is zero if the request was executed, whatever the state machine answered. Else
	// it says why the request did not enter the log; then Op is zero and Body empty.
	Status          uint32
	RequestChecksum Checksum
	Body            []byte
}

// PrepareOK promises that the prepare (Op, PrepareChecksum) is stored under View as the
// group's durability demands (R3).
type PrepareOK struct {
	Cluster         ClusterID
	Group           GroupID
	View            View
	Replica         ReplicaID
	Op              Op
	PrepareChecksum Checksum
	Parent          Checksum
	// Commit is the sender's commit max; the primary adopts it (R11).
	Commit Op
}

// Commit is the primary's heartbeat: everything up to Commit is committed.
type Commit struct {
	Cluster ClusterID
	Group   GroupID
	View    View
	Replica ReplicaID
	Commit  Op
}

// StartViewChange says that the sender wants View, since it does not hear from the primary of
// an older one. VRR 4.2, step 1.
type StartViewChange struct {
	Cluster ClusterID
	Group   GroupID
	View    View
	Replica ReplicaID
}

// DoViewChange is a vote for View and the sender's log. VRR 4.2, step 2; merge in R12.
type DoViewChange struct {
	Cluster ClusterID
	Group   GroupID
	View    View
	Replica ReplicaID
	// LogView is the view in which the sender last adopted its log; at most View.
	LogView View
	// Commit is at least Base.Op, and at most the head, the op of the last header.
	Commit Op
	// Base is the identity of the op below Headers, which is committed as all below it; zero
	// if they begin at op 1.
	Base PrepareID
	// Headers are those of the log's suffix above Base: consecutive ops, ascending. If there
	// are none the head is Base.Op.
	Headers []PrepareHeader
	// Present[i]: the sender holds the body of Headers[i]. Nack[i]: no commit can have counted
	// its acknowledgement of Headers[i]. Faulty[i]: it held the body and has lost it. At most
	// one of them is set; none is where the op is in doubt (R12). All are as long as Headers.
	Present, Nack, Faulty Bits
	// Untrusted says that the log may lack ops that the sender acknowledged (R15): what it
	// does not hold proves nothing, and it makes up no quorum.
	Untrusted bool
}

// StartView carries the log of View. Broadcast, Incarnation is zero; as the answer to a
// [RequestStartView] it repeats the asker's. VRR 4.2, step 4; R11.
type StartView struct {
	Cluster ClusterID
	Group   GroupID
	View    View
	Replica ReplicaID
	// Commit is at least Base.Op, and at most the head, the op of the last header.
	Commit      Op
	Incarnation Incarnation
	// Base is the identity of the op below Headers, which is committed as all below it; zero
	// if they begin at op 1.
	Base PrepareID
	// Headers are those of the log's suffix above Base: consecutive ops, ascending. If there
	// are none the head is Base.Op.
	Headers []PrepareHeader
}

// RequestStartView asks the primary for the log of the current view. It promises nothing, so
// it needs no durable view (R1).
type RequestStartView struct {
	Cluster     ClusterID
	Group       GroupID
	View        View
	Replica     ReplicaID
	Incarnation Incarnation
	// Head is the sender's if it is in the view already and only lacks what lies above: then
	// it wants the log as it is now (R7). Else zero.
	Head Op
}

// RequestPrepares asks a peer for the prepares of the ops FromOp to ToOp, both included.
type RequestPrepares struct {
	Cluster ClusterID
	Group   GroupID
	View    View
	Replica ReplicaID
	// 1 <= FromOp <= ToOp.
	FromOp, ToOp Op
	// Wanted[i] is the checksum of the prepare wanted at FromOp+i, or [AnyPrepare], or
	// [NoPrepare]. There is one for each op of the range.
	Wanted []Checksum
}

// AnyPrepare in RequestPrepares.Wanted takes whatever the peer's log holds at the op.
var AnyPrepare = Checksum{}

// NoPrepare in RequestPrepares.Wanted passes over the op: its body is held. No prepare has
// this checksum.
var NoPrepare = Checksum{Lo: ^uint64(0), Hi: ^uint64(0)}

// RepairPrepare answers [RequestPrepares] with one stored prepare, to the byte: its own view,
// primary and checksum stay as they are.
type RepairPrepare struct {
	Cluster ClusterID
	Group   GroupID
	View    View
	Replica ReplicaID
	// Prepare has the same Cluster and Group.
	Prepare Prepare
}

// RequestCheckpoint asks a peer for the bytes of a checkpoint from Offset on (R21).
type RequestCheckpoint struct {
	Cluster ClusterID
	Group   GroupID
	View    View
	Replica ReplicaID
	// Checkpoint is the identity of the last op that the checkpoint covers; at least op 1.
	Checkpoint PrepareID
	Offset     uint64
}

// CheckpointChunk answers [RequestCheckpoint] with bytes of the checkpoint. As an offer, it
// says which checkpoint the sender has instead of what was asked for, be it a checkpoint that
// it has replaced or prepares that it has released.
type CheckpointChunk struct {
	Cluster ClusterID
	Group   GroupID
	View    View
	Replica ReplicaID
	// Checkpoint is the identity of the last op that the checkpoint covers; at least op 1.
	Checkpoint PrepareID
	// Snapshot is the checksum of the whole, Total its size in bytes; both zero in an offer.
	Snapshot Checksum
	Total    uint64
	// Data are the bytes from Offset on, within Total; not empty, but in an offer.
	Offset uint64
	Data   []byte
}

// IsOffer reports whether the message only says which checkpoint its sender has.
func (m *CheckpointChunk) IsOffer() bool { return m.Total == 0 }
