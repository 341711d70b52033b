package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// turn says which peer repair asks next (R9). It is counted by questions, not by the timer's
// backoff: a prepare that comes from the primary ends the backoff, and is no answer to a question
// for another op. Whoever lacks one body while the log grows would ask the same peer for ever.
type turn struct {
	view  wire.View
	op    wire.Op // the op that the last question was about first, 0 if there was none
	asked int     // how many questions of the view began with it
}

// begin notes what the next question is about first. What was asked for before has come if that
// is another op, and in another view another primary is asked first: then the turn begins anew.
func (t *turn) begin(view wire.View, op wire.Op) {
	if t.op != 0 && (t.op != op || t.view != view) {
		t.asked = 0
	}
	t.view, t.op = view, op
}

// repairPeer returns the other replicas in turn, another one at each attempt (R9). A backup's
// first is its primary, which holds every body of its log (R13).
func (r *Replica) repairPeer() wire.ReplicaID {
	n, self := r.config.ReplicaCount, int(r.config.Replica)
	first := 1 // how far from this replica
	if primary := int(r.primaryOf(r.view)); primary != self {
		first = (primary - self + n) % n
	}
	distance := (first-1+r.turn.asked)%(n-1) + 1
	return wire.ReplicaID((self + distance) % n)
}
