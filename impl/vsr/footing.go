package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// Footing is what a replica stands on: its log by identities, what it holds of it, and a state
// transfer. It is for explorers that compare a core with Transfer.tla; [State] is what a trace
// shows.
type Footing struct {
	// Applied is what has been executed last, Handed what is with the state machine, zero if
	// nothing is.
	Applied, Handed wire.PrepareID
	// Checkpoint is what the replica has released the log up to.
	Checkpoint wire.PrepareID
	// Log is the identities of its log from the base to the head; that of a new primary is the
	// one of its view, once it is durable. Zero at op 0.
	Log []wire.PrepareID
	// Stored are the prepares whose bodies are stored above the checkpoint, by op.
	Stored []wire.PrepareID
	// Fetches is the checkpoint that is being fetched, Installs one that is being installed;
	// zero if none is.
	Fetches, Installs wire.PrepareID
	// Voters are the replicas whose votes a new primary has merged, Votes all that it holds of
	// its view.
	Voters []int
	Votes  []*wire.DoViewChange
}

// Footing returns what the replica stands on now.
func (r *Replica) Footing() Footing {
	f := Footing{
		Applied: r.applied, Handed: r.handed, Checkpoint: r.checkpoint, Votes: r.votes,
	}
	l := r.log
	if r.merged != nil {
		f.Voters = r.merged.voters
		if r.logView == r.view {
			l = r.merged.log
		}
	}
	for op := l.base.Op; op <= l.head(); op++ {
		f.Log = append(f.Log, l.identity(op))
	}
	for i, checksums := range r.journal.stored {
		for _, c := range checksums {
			id := wire.PrepareID{Op: r.journal.base + wire.Op(i) + 1, Checksum: c}
			f.Stored = append(f.Stored, id)
		}
	}
	switch {
	case r.installing():
		f.Installs = r.transfer.target
	case r.transferring():
		f.Fetches = r.transfer.target
	}
	return f
}
