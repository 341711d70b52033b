package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// sendCommit is the primary's heartbeat: its commit number to every backup. VRR 4.1, step 6.
func (r *Replica) sendCommit() {
	r.broadcast(&wire.Commit{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Commit: r.commitMax,
	})
}

// sendCommitPoint tells the primary what is committed: an op that this replica has released it
// can no longer acknowledge (R11). Spec TransferLog ReceiveCommit.
func (r *Replica) sendCommitPoint() {
	r.send(r.primaryOf(r.view), &wire.Commit{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Commit: r.commitMax,
	})
}

// adoptCommit takes over what a backup of this primary's view knows as committed. Spec
// TransferLog ReceiveCommit.
func (r *Replica) adoptCommit(m *wire.Commit) {
	if m.Commit <= r.commitMax || m.Commit > r.log.head() {
		r.refuse(RefuseStatus, m)
		return
	}
	r.commitMax = m.Commit
	r.pipeline = slices.DeleteFunc(r.pipeline, func(entry inFlight) bool {
		return entry.id.Op <= m.Commit
	})
	r.timers.prepare.progress()
	r.emit(Event{Action: ActionReceiveCommit, Commit: m.Commit, View: m.View})
	r.commitPipeline()
	r.commitWalk()
}

// repeatViewChange sends again what a view change waits for, and asks the new primary whether
// the view has started.
func (r *Replica) repeatViewChange() {
	r.broadcastStartViewChange()
	primary := r.primaryOf(r.view)
	if primary == r.config.Replica {
		return
	}
	if r.vote != nil {
		r.send(primary, r.vote)
	}
	r.askStartView(primary)
}
