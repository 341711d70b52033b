package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// lostDisk is what a replica knows that has lost its disk, and with it all that it ever
// promised (R16). It takes no part in any quorum until it holds the log of a view beyond which
// it cannot have voted: a vote leaves only after a view change quorum has left the old view, so
// that it is enough that fewer of the others than such a vote needed have gone beyond. Views
// never fall, so that each of them may say so at its own time.
//
//	wiped     probes; neither joins a view change nor begins one, however long nobody answers
//	offered   the primary of a view has answered the probe with its log; the others are asked
//	          whether that is their view
//	adopting  enough of them say so: from here on it is a recovering replica like any other,
//	          whose log is in doubt (R15)
//
// What it assumes of the network: no StartViewChange of its earlier life arrives at another
// replica after that one has confirmed a view to the new life.
//
// Spec Merge Wipe, ReceiveStartView; mutants wiped_votes, wiped_any_view, wiped_is_trusted.
type lostDisk struct {
	wiped bool
	// offered is the newest answer to a probe of this boot, nil if there is none.
	offered *wire.StartView
	// confirmed are the replicas that have said in this boot that they are in its view.
	confirmed replicaSet
}

// considerView takes the answer of a view's primary, which is in that view itself, and reports
// whether the view may be adopted. An answer of an older view than the one offered is no news.
func (r *Replica) considerView(m *wire.StartView) bool {
	lost := &r.lost
	switch {
	case lost.offered != nil && m.View < lost.offered.View:
		r.refuse(RefuseStale, m)
		return false
	case lost.offered == nil || m.View > lost.offered.View:
		lost.confirmed = 0
	}
	lost.offered = m
	lost.confirmed.add(uint8(m.Replica))
	if r.viewIsSafe() {
		return true
	}
	r.askWhoIsInView()
	return false
}

// viewIsSafe reports whether so many of the others are in the view offered that the rest, with
// this replica, are too few for a vote of a later view. Spec Merge ReceiveStartView.
func (r *Replica) viewIsSafe() bool {
	enough := r.config.ReplicaCount - r.quorums.ViewChange + 1
	return r.lost.confirmed.count() >= enough || r.config.Defects.Has(DefectWipedAnyView)
}

// askWhoIsInView asks those who have not said that they are in the view offered.
func (r *Replica) askWhoIsInView() {
	lost := &r.lost
	if !lost.wiped || lost.offered == nil {
		return
	}
	m := &wire.ConfirmView{
		Cluster: r.config.Cluster, Group: r.config.Group, View: lost.offered.View,
		Replica: r.config.Replica, Incarnation: r.config.Incarnation, Round: 1,
	}
	for to := range r.config.ReplicaCount {
		if id := wire.ReplicaID(to); id != r.config.Replica && !lost.confirmed.has(uint8(to)) {
			r.send(id, m)
		}
	}
}

// onViewOfOther counts a replica that is in the view offered, and adopts that view's log if it
// was the last one needed.
func (r *Replica) onViewOfOther(m *wire.ConfirmViewOK) {
	offered := r.lost.offered
	if offered == nil || m.View != offered.View || m.Incarnation != r.config.Incarnation {
		r.refuse(RefuseOtherRound, m)
		return
	}
	r.lost.confirmed.add(uint8(m.Replica))
	if r.viewIsSafe() {
		r.onStartView(offered)
	}
}

// appendKey writes what decides what the replica does with the next answer.
func (l *lostDisk) appendKey(k *keyWriter) {
	k.flag(l.wiped)
	k.number(uint64(l.confirmed))
	if k.flag(l.offered != nil); l.offered != nil {
		k.bytes(wire.Encode(l.offered))
	}
}
