package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// State transfer (R21): a replica needs an op that its peers have released, so it fetches a
// checkpoint instead. It begins after adoption, when a peer offers a checkpoint that is in the
// chain of the adopted log and known as committed. The walk stops meanwhile.
//
//	fetching      chunks are asked for, one at a time, and stored by the host. Another sender
//	              goes on behind the chunks that are here; a view change drops the fetch.
//	installing    the host verifies the whole, makes the snapshot and its pairing durable and
//	              puts the state machine there. Nothing stops it any more.
//	rebasing      a state record over the new base, with the release (checkpoint.go)
//
// With the record memory follows: commit min, and the log above the checkpoint. A crash on the
// way boots the old log, with the newer snapshot or without. An install never changes the log
// view and removes nothing above its target.
//
// Prepares are stored and acknowledged while chunks come, so that who serves the checkpoint is
// not outrun. From the install on they are refused; what is owed then is sent at its end.
type transfer struct {
	stage  transferStage // zero: none; what was fetched may still be of use
	target wire.PrepareID
	sender wire.ReplicaID
	// snapshot and total are the checksum and the size of the whole, once a chunk has told.
	snapshot wire.Checksum
	total    uint64
	stored   uint64 // bytes from the first
	storing  bool   // more are on their way to the disk
	// timestamp is that of the target, once it is installed.
	timestamp uint64
}

// Transfers counts state transfers since the boot.
type Transfers struct {
	// Started transfers end as Finished or Abandoned. Resumed counts how often one went on from
	// another sender, or behind what an abandoned one had fetched.
	Started, Finished, Abandoned, Resumed uint64
}

// Transfers returns the counts so far.
func (r *Replica) Transfers() Transfers { return r.transfers }

type transferStage uint8

const (
	stageFetching transferStage = iota + 1
	stageInstalling
	stageRebasing
)

// ChunkBytes is how many bytes of a checkpoint a host should put into one chunk.
const ChunkBytes = 1 << 20

// ReadChunk asks for bytes of a checkpoint, at most [ChunkBytes] from Offset on, to be sent to
// replica To.
type ReadChunk struct {
	// Checkpoint is the identity of the last op that it covers; zero stands for the newest.
	Checkpoint wire.PrepareID
	Offset     uint64
	To         wire.ReplicaID
}

// StoreChunk asks the host to keep bytes of a checkpoint that is being fetched. At offset 0
// what was kept before is of no use any more.
type StoreChunk struct {
	Checkpoint wire.PrepareID
	Snapshot   wire.Checksum // of the whole
	Total      uint64        // bytes of the whole
	Offset     uint64
	Data       []byte
}

// InstallCheckpoint asks the host to verify what it keeps of a checkpoint, to make the snapshot
// durable and then its pairing in the superblock, and to put the state machine there. Nothing
// is executed meanwhile.
type InstallCheckpoint struct {
	Checkpoint wire.PrepareID
	Snapshot   wire.Checksum
	Total      uint64
}

// ChunkRead answers one of Output.ReadChunks.
type ChunkRead struct {
	ReadChunk
	Snapshot wire.Checksum
	Total    uint64
	// Data is empty if the host does not have the checkpoint, or not any more.
	Data []byte
}

// ChunkStored reports that the first Offset bytes of a checkpoint are kept.
type ChunkStored struct {
	Checkpoint wire.PrepareID
	Offset     uint64
}

// CheckpointInstalled reports that the checkpoint of Output.InstallCheckpoint is durable with
// its pairing, and that the state machine is there.
type CheckpointInstalled struct {
	ID wire.PrepareID
	// Timestamp is that of the last op which the checkpoint covers, in the log's time.
	Timestamp uint64
}

// CheckpointRefused reports that what was fetched is not the checkpoint of
// Output.InstallCheckpoint. Nothing has changed.
type CheckpointRefused struct{ ID wire.PrepareID }

func (ChunkRead) isInput()           {}
func (ChunkStored) isInput()         {}
func (CheckpointInstalled) isInput() {}
func (CheckpointRefused) isInput()   {}

// transferring reports whether a state transfer is under way.
func (r *Replica) transferring() bool { return r.transfer.stage != 0 }

// installing reports whether the transfer has come so far that nothing stops it.
func (r *Replica) installing() bool { return r.transfer.stage > stageFetching }

// acceptable reports whether a checkpoint may be installed here: it is in the chain of the
// adopted log, which only tells what the log view has decided, and known as committed, which a
// sender's word is not. Spec TransferInstall Acceptable.
func (r *Replica) acceptable(checkpoint wire.PrepareID) bool {
	l, known := r.repaired(), r.commitMax
	if r.merged != nil {
		known = max(known, r.merged.commit)
	}
	if r.config.Defects.Has(DefectLoose) {
		return l != nil && checkpoint.Op > r.commitMin
	}
	return l != nil && checkpoint.Op > r.commitMin && checkpoint.Op <= known &&
		l.reaches(checkpoint)
}

// needs reports whether an op up to a checkpoint is missing here.
func (r *Replica) needs(checkpoint wire.Op) bool {
	if r.hasHole() {
		return true
	}
	from, lacks := r.firstMissing()
	return lacks && from > r.commitMin && from <= checkpoint
}

// onCheckpointChunk takes an offer, or the next bytes of what is being fetched. Spec
// TransferInstall FetchChunk.
func (r *Replica) onCheckpointChunk(m *wire.CheckpointChunk) {
	t := &r.transfer
	switch {
	case m.IsOffer():
		r.onOffer(m)
		return
	case t.stage != stageFetching || m.Checkpoint != t.target:
		r.refuse(RefuseUnsolicited, m)
		return
	case t.storing || m.Offset != t.stored && t.snapshot == m.Snapshot:
		r.refuse(RefuseRepeated, m)
		return
	case t.stored > 0 && (m.Snapshot != t.snapshot || m.Total != t.total):
		t.snapshot, t.total, t.stored = m.Snapshot, m.Total, 0 // not the bytes that are here
		r.requestChunk()
		return
	case m.Offset != t.stored:
		r.refuse(RefuseRepeated, m)
		return
	}
	t.sender, t.snapshot, t.total, t.storing = m.Replica, m.Snapshot, m.Total, true
	r.out.StoreChunk = &StoreChunk{
		Checkpoint: t.target, Snapshot: t.snapshot, Total: t.total, Offset: t.stored,
		Data: m.Data,
	}
	r.timers.transfer.restart(r)
}

// onChunkStored asks for the next chunk. One of a transfer that was dropped meanwhile counts if
// that checkpoint is wanted again.
func (r *Replica) onChunkStored(in ChunkStored) {
	t := &r.transfer
	if in.Checkpoint != t.target || !t.storing {
		return
	}
	t.storing, t.stored = false, in.Offset
	if t.stage == stageFetching && t.stored < t.total {
		r.requestChunk()
	}
}

// onOffer learns what a peer has instead of what this replica asked for.
func (r *Replica) onOffer(m *wire.CheckpointChunk) {
	offered, t := m.Checkpoint, &r.transfer
	if r.log.reaches(offered) {
		// What was executed here and lost its body is in the peer's checkpoint: there is nobody
		// to repair it from, and nothing to repair it for.
		r.missing.release(min(offered.Op, r.commitMin))
	}
	switch {
	case r.installing():
		r.refuse(RefuseUnsolicited, m)
	case t.stage == stageFetching && (offered == t.target || m.Replica != t.sender):
		r.refuse(RefuseRepeated, m)
	case t.stage == stageFetching && !(offered.Op > t.target.Op && r.acceptable(offered)):
		r.takeAnotherSender()
	case r.acceptable(offered) && r.needs(offered.Op):
		r.startTransfer(offered, m.Replica)
	case r.isBackup() && offered.Op > r.log.head():
		r.askHead()
	default:
		r.refuse(RefuseUnsolicited, m)
	}
}

// startTransfer begins to fetch a checkpoint, or goes on with what is here of it. A new primary
// first makes its merged log durable: an install moves the base of the log that the log view
// speaks for. Spec TransferInstall StartTransfer.
func (r *Replica) startTransfer(target wire.PrepareID, from wire.ReplicaID) {
	if r.merged != nil && r.logView != r.view {
		r.adoptMerged()
		return
	}
	action := EventStartTransfer
	r.transfers.Started++
	if r.transfer.target != target {
		r.transfer = transfer{target: target}
	} else if r.transfer.stored > 0 {
		action = EventResumeTransfer
		r.transfers.Resumed++
	}
	r.transfer.stage, r.transfer.sender = stageFetching, from
	r.emit(Event{Action: action, Op: target.Op, Checksum: target.Checksum, View: r.view})
	if r.transfer.total == 0 || r.transfer.stored < r.transfer.total {
		r.requestChunk()
	}
}

// adoptMerged makes the log that a new primary is parked with durable, in a view that it has
// not started: it needs what all others have released. Spec TransferLog MergeVotes.
func (r *Replica) adoptMerged() {
	if len(r.merged.open) > 0 {
		return // an op is undecided
	}
	m, vote := r.merged, r.vote
	r.enterViewWithLog(r.view, m.log, func(r *Replica) {
		adopted := *m // a clone may be on the same way
		adopted.log = r.log.clone()
		r.merged, r.vote = &adopted, vote
		r.commitMax = max(r.commitMax, m.commit)
	})
}

func (r *Replica) requestChunk() {
	r.timers.transfer.startIfStopped(r)
	if r.transfer.storing {
		return // the next is asked for when it is stored
	}
	r.send(r.transfer.sender, &wire.RequestCheckpoint{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Checkpoint: r.transfer.target, Offset: r.transfer.stored,
	})
}

// repeatTransfer asks for a chunk that has not come: once more, then another sender.
func (r *Replica) repeatTransfer() {
	t := &r.timers.transfer
	switch {
	case r.transfer.stage != stageFetching:
		t.stop()
	case !r.needs(r.transfer.target.Op):
		r.abandonTransfer() // repair was faster
	case r.transfer.storing:
		t.restart(r)
	case t.attempts%2 == 0:
		t.backoff(r)
		r.requestChunk()
	default:
		r.takeAnotherSender()
	}
}

// takeAnotherSender goes on with the next peer, which may have the same checkpoint; when all
// have been asked the transfer is abandoned, and the next offer begins another one. Spec
// TransferInstall ResumeTransfer, AbandonTransfer.
func (r *Replica) takeAnotherSender() {
	t, n := &r.timers.transfer, r.config.ReplicaCount
	t.backoff(r)
	if t.attempts > 2*n {
		r.abandonTransfer()
		return
	}
	next := (int(r.transfer.sender) + 1) % n
	if next == int(r.config.Replica) {
		next = (next + 1) % n
	}
	r.transfer.sender = wire.ReplicaID(next)
	r.transfers.Resumed++
	r.emit(Event{
		Action: EventResumeTransfer, Op: r.transfer.target.Op,
		Checksum: r.transfer.target.Checksum, View: r.view,
	})
	r.requestChunk()
}

// abandonTransfer ends a fetch of a replica that stays where it is: the walk goes on.
func (r *Replica) abandonTransfer() {
	r.dropTransfer()
	r.commitWalk()
}

// dropTransfer ends a fetch: its view has ended, its senders are gone, or it is not needed any
// more. What was fetched is kept for the case that the same checkpoint is wanted again.
func (r *Replica) dropTransfer() {
	if r.transfer.stage != stageFetching {
		return
	}
	r.transfer.stage = 0
	r.transfers.Abandoned++
	r.timers.transfer.stop()
	r.emit(Event{
		Action: EventAbandonTransfer, Op: r.transfer.target.Op,
		Checksum: r.transfer.target.Checksum, View: r.view,
	})
}

// advanceTransfer begins the install once everything is here and the state machine is at rest.
func (r *Replica) advanceTransfer() {
	t := &r.transfer
	if t.stage != stageFetching || t.total == 0 || t.stored < t.total || t.storing {
		return
	}
	if r.transition != nil || r.executing && r.executed == nil {
		return
	}
	if !r.acceptable(t.target) { // executed meanwhile
		r.abandonTransfer()
		return
	}
	t.stage = stageInstalling
	r.timers.transfer.stop()
	r.out.InstallCheckpoint = &InstallCheckpoint{
		Checkpoint: t.target, Snapshot: t.snapshot, Total: t.total,
	}
}

// onCheckpointInstalled follows the pairing with the state record over the new base.
// Spec TransferInstall Install.
func (r *Replica) onCheckpointInstalled(in CheckpointInstalled) {
	if r.transfer.stage != stageInstalling || r.transfer.target != in.ID {
		r.violated("a checkpoint installed was asked for", "checkpoint=%v", in.ID)
	}
	r.transfer.stage = stageRebasing
	r.rebase.next, r.transfer.timestamp = in.ID, in.Timestamp
}

// onCheckpointRefused gives the transfer up, with all that was fetched.
func (r *Replica) onCheckpointRefused(id wire.PrepareID) {
	if r.transfer.stage != stageInstalling || r.transfer.target != id {
		r.violated("a checkpoint refused was asked for", "checkpoint=%v", id)
	}
	r.transfer.stage = stageFetching
	r.dropTransfer()
	r.transfer = transfer{}
	r.sendOwed()
	r.commitWalk()
}

// finishTransfer is the last step of an install: memory follows the disk. What the state
// machine was doing below the checkpoint is done.
func (r *Replica) finishTransfer(id wire.PrepareID) {
	r.appliedAt = r.transfer.timestamp
	r.transfer = transfer{}
	r.transfers.Finished++
	r.executing, r.executed, r.handed = false, nil, wire.PrepareID{}
	r.commitMin, r.commitMax, r.applied = id.Op, max(r.commitMax, id.Op), id
	if r.merged != nil {
		r.merged.log = r.merged.log.from(id)
	}
	r.emit(Event{Action: EventInstall, Op: id.Op, Checksum: id.Checksum, View: r.view})
	r.sendOwed()
	r.timers.repair.soon()
}

// sendOwed sends the acknowledgements that were withheld: nobody else does, if the primary has
// them from nobody (R10).
func (r *Replica) sendOwed() {
	if !r.isBackup() {
		return
	}
	r.sendCommitPoint()
	for op := max(r.commitMax, r.log.base.Op) + 1; op <= r.log.head(); op++ {
		r.sendPrepareOK(r.log.at(op).ID())
	}
}
