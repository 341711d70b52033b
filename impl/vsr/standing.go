package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// Standing is where a replica stands, in few words: for hosts, metrics and people. Unlike
// [State] it costs nothing to ask for.
type Standing struct {
	Status        Status
	View, LogView wire.View
	// Primary is that of the view; Leads says that this replica is it, in status normal.
	Primary wire.ReplicaID
	Leads   bool
	Head    wire.Op
	// CommitMin is executed up to, CommitMax known to be committed up to.
	CommitMin, CommitMax wire.Op
	// Checkpoint is the op up to which the log is released: a durable snapshot covers it.
	Checkpoint wire.Op
	// Untrusted says that the log may lack what the replica acknowledged (R15).
	Untrusted bool
	// Doubtful counts ops of the log whose body rotted or tore, or was adopted in doubt and never
	// came: its vote does not disown them (R12, R15).
	Doubtful int
	// Wiped says that it has lost its disk and holds no current log yet (R16).
	Wiped bool
	// Stop says why the commit walk stands where it does (R5).
	Stop StopReason
}

// Doubts says whether the replica has an untrusted log or a doubtful op, as [Standing] shows them.
func (r *Replica) Doubts() bool {
	return r.untrusted || len(r.missing.doubtful)+len(r.missing.faulty) > 0
}

// View is that of [Standing].
func (r *Replica) View() wire.View { return r.view }

// Wiped is that of [Standing].
func (r *Replica) Wiped() bool { return r.lost.wiped }

// Stop is that of [Standing].
func (r *Replica) Stop() StopReason { return r.walkStop() }

// Standing returns where the replica stands.
func (r *Replica) Standing() Standing {
	return Standing{
		Status: r.status, View: r.view, LogView: r.logView,
		Primary: r.primaryOf(r.view), Leads: r.isPrimary(), Head: r.log.head(),
		CommitMin: r.commitMin, CommitMax: r.commitMax, Checkpoint: r.checkpoint.Op,
		Untrusted: r.untrusted, Doubtful: len(r.missing.doubtful) + len(r.missing.faulty),
		Wiped: r.lost.wiped, Stop: r.walkStop(),
	}
}
