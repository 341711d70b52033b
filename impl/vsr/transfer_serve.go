package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// What a replica does for one that transfers: it says which checkpoint it has, serves its bytes,
// and as a primary raises the head of a backup whose next op is released.

// offer tells a peer which checkpoint this replica has: instead of the prepares that it covers,
// or of an older checkpoint.
func (r *Replica) offer(to wire.ReplicaID) {
	if r.checkpoint.IsZero() {
		return
	}
	r.send(to, &wire.CheckpointChunk{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Checkpoint: r.checkpoint,
	})
}

// onRequestCheckpoint has bytes of a checkpoint read. The host may have older ones than the
// newest, which it is sending. It answers in any status: a checkpoint is the same whoever
// serves it.
func (r *Replica) onRequestCheckpoint(m *wire.RequestCheckpoint) {
	if r.checkpoint.IsZero() {
		r.refuse(RefuseUnknownOp, m)
		return
	}
	r.out.ReadChunks = append(r.out.ReadChunks, ReadChunk{
		Checkpoint: m.Checkpoint, Offset: m.Offset, To: m.Replica,
	})
}

// onChunkRead sends what was read, or an offer of what is here instead.
func (r *Replica) onChunkRead(in ChunkRead) {
	if len(in.Data) == 0 {
		r.offer(in.To)
		return
	}
	r.send(in.To, &wire.CheckpointChunk{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Checkpoint: in.Checkpoint, Snapshot: in.Snapshot,
		Total: in.Total, Offset: in.Offset, Data: in.Data,
	})
}

// askHead asks the primary for the log as it is now: the next op of this backup is released, so
// no prepare of it will come (R7).
func (r *Replica) askHead() {
	if !r.timers.ask.due() {
		return
	}
	r.timers.ask.restart(r)
	r.send(r.primaryOf(r.view), &wire.RequestStartView{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Head: max(1, r.log.head()),
	})
}

// raiseHead takes a StartView of the view that this backup is in, if it reaches further than its
// log: nothing of the log is replaced, but what lies between may become a hole. Spec
// TransferLog RaiseHead; R7.
func (r *Replica) raiseHead(m *wire.StartView, l log) {
	if len(r.appending) > 0 {
		r.refuse(RefuseInTransition, m) // the log is growing by itself
		return
	}
	r.enterViewWithLog(m.View, l, func(r *Replica) { r.adopt(EventRaiseHead, m) })
}
