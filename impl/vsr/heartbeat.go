package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// sendCommit is the primary's heartbeat: its commit number to every backup. VRR 4.1, step 6.
func (r *Replica) sendCommit() {
	r.broadcast(&wire.Commit{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Commit: r.commitMax,
	})
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
