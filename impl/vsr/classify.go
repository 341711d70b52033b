package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// Admission is what an incoming prepare is to a replica (R8): a duplicate and a hole look
// alike to a comparison of op numbers, and only one of them may be dropped (seed 001).
type Admission uint8

// The classes.
const (
	AdmitNext          Admission = iota + 1 // extends the log: store it, then acknowledge
	AdmitFill                               // the body of a hollow op of the log: the same
	RefuseGap                               // beyond the next op: repair asks for what is between
	RefuseDuplicate                         // stored already: acknowledge again
	RefuseStoring                           // being stored: the acknowledgement will follow
	RefuseConflict                          // another prepare stands at this op: never acknowledge
	RefuseOldView                           // prepared in an older view, and not in the log
	RefuseNewerView                         // the view has moved on: ask for its log
	RefuseNotNormal                         // in a view change or recovering
	RefuseIsPrimary                         // a primary prepares itself
	RefuseTransferring                      // a checkpoint is being installed: repair follows
	RefuseReleased                          // committed, and covered by the log's base
)

var admissionNames = [...]string{
	AdmitNext: "next", AdmitFill: "fill", RefuseGap: "gap", RefuseDuplicate: "duplicate",
	RefuseStoring: "storing", RefuseConflict: "conflict", RefuseOldView: "old_view",
	RefuseNewerView: "newer_view", RefuseNotNormal: "not_normal",
	RefuseIsPrimary: "is_primary", RefuseTransferring: "transferring",
	RefuseReleased: "released",
}

// String returns the name as in traces and scenarios.
func (a Admission) String() string {
	if a >= 1 && int(a) < len(admissionNames) {
		return admissionNames[a]
	}
	return "invalid"
}

// arrival is all that the classification of a prepare depends on.
type arrival struct {
	status        Status
	primary       bool
	installing    bool      // a checkpoint
	view          wire.View // of the replica
	preparedIn    wire.View // of the prepare
	base          wire.Op   // of the log
	head          wire.Op   // of the log
	appending     wire.Op   // of the last prepare being stored at the head, or head
	op            wire.Op   // of the prepare
	sameIdentity  bool      // the log (or what is being stored) has this very prepare at op
	stored        bool      // its body is stored
	storing       bool      // its body is being stored
	parentMatches bool      // its parent is the head (or the last being stored)
}

// classify is R8's table, first match wins. Status and view come first, then where the op
// lies, then whether it is this very prepare, then whether its body is here.
func classify(a arrival) Admission {
	switch {
	case a.preparedIn > a.view:
		return RefuseNewerView
	case a.status != StatusNormal:
		return RefuseNotNormal
	case a.primary:
		return RefuseIsPrimary
	case a.installing:
		return RefuseTransferring
	case a.op <= a.base:
		return RefuseReleased
	case a.op <= a.appending && !a.sameIdentity && a.preparedIn < a.view:
		return RefuseOldView // superseded by a view change
	case a.op <= a.appending && !a.sameIdentity:
		return RefuseConflict
	case a.storing:
		return RefuseStoring
	case a.op <= a.head && a.stored:
		return RefuseDuplicate
	case a.op <= a.head:
		return AdmitFill
	case a.preparedIn < a.view:
		return RefuseOldView // above the log of this view: nobody adopted it
	case a.op > a.appending+1:
		return RefuseGap
	case !a.parentMatches:
		return RefuseConflict
	}
	return AdmitNext
}

// classify collects what the table asks about a prepare.
func (r *Replica) classify(h *wire.PrepareHeader) Admission {
	id := h.ID()
	nextOp, parent := r.next()
	a := arrival{
		status: r.status, primary: r.isPrimary(), installing: r.installing(),
		view: r.view, preparedIn: h.View,
		base: r.log.base.Op, head: r.log.head(), appending: nextOp - 1, op: h.Op,
		sameIdentity: r.log.contains(id), stored: r.journal.has(id),
		parentMatches: h.Parent == parent,
	}
	for i := range r.appending {
		if r.appending[i].prepare.Header.ID() == id {
			a.sameIdentity, a.storing = true, true
		}
	}
	for _, f := range r.filling {
		if f == id {
			a.storing = true
		}
	}
	return classify(a)
}
