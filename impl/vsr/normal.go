package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// appending is a prepare that is being stored at the head of the log.
type appending struct {
	prepare *wire.Prepare
	stored  bool
	// requests are those of a batch, nil if the header names the request.
	requests []*wire.Request
}

// inFlight is a prepare in the primary's pipeline: stored here, not committed.
type inFlight struct {
	id wire.PrepareID
	// prepare is nil if the op was inherited from an earlier view: then the journal has it.
	prepare *wire.Prepare
	oks     replicaSet // replicas that promised it, this one included
	// requests are those of a batch that this primary prepared.
	requests []*wire.Request
}

// next returns the op and the parent that the next prepare of the log must have, counting
// those that are being stored.
func (r *Replica) next() (wire.Op, wire.Checksum) {
	if n := len(r.appending); n > 0 {
		last := &r.appending[n-1].prepare.Header
		return last.Op + 1, last.Checksum
	}
	return r.log.head() + 1, r.log.headChecksum()
}

func (r *Replica) appendPrepare(p *wire.Prepare) {
	r.appending = append(r.appending, appending{prepare: p})
	r.out.StorePrepares = append(r.out.StorePrepares,
		StorePrepare{LogView: r.logView, Prepare: p})
}

// onPrepare takes a prepare from the primary, which is a sign of its life if it is new.
// VRR 4.1, step 4; spec ReceivePrepare (which happens when it is stored).
func (r *Replica) onPrepare(m *wire.Prepare) {
	if m.Header.View == r.view && r.isBackup() {
		r.heardFromPrimary()
	}
	r.admit(m)
}

// admit classifies a prepare, whoever sent it, before anything else (R8).
func (r *Replica) admit(m *wire.Prepare) {
	class := r.classify(&m.Header)
	if class == AdmitFill && m.Header.Op > r.repairHead() {
		class = RefuseGap // seed 001: one comparison for hole and gap (DefectNarrowRepair)
	}
	r.emit(Event{
		Action: EventAdmit, Stutter: true, Op: m.Header.Op, Checksum: m.Header.Checksum,
		View: m.Header.View, Class: class,
	})
	if strays(&m.Header) {
		r.refuse(RefuseTooLong, m)
		return
	}
	switch class {
	case AdmitNext:
		r.appendPrepare(m)
		r.admitStashed()
	case AdmitFill:
		r.fill(m)
	case RefuseDuplicate:
		r.sendPrepareOK(m.Header.ID())
	case RefuseGap:
		r.timers.repair.soon()
		if next, _ := r.next(); !r.stash.keep(m, next) {
			r.refuse(RefusePrepare, m)
		}
	case RefuseReleased:
		r.sendCommitPoint()
		r.refuse(RefusePrepare, m)
	case RefuseNewerView:
		r.askStartView(m.From())
		r.refuse(RefuseNewer, m)
	case RefuseStoring, RefuseConflict, RefuseOldView, RefuseNotNormal, RefuseIsPrimary,
		RefuseTransferring:
		r.refuse(RefusePrepare, m)
	}
}

// onPrepareStored takes note of a stored body. A prepare at the head enters the log, in op
// order; a fill completes an op whose header stands.
func (r *Replica) onPrepareStored(id wire.PrepareID) {
	for i := range r.filling {
		if r.filling[i] == id {
			r.filling = append(r.filling[:i:i], r.filling[i+1:]...)
			r.onFilled(id)
			return
		}
	}
	for i := range r.appending {
		if r.appending[i].prepare.Header.ID() == id {
			r.appending[i].stored = true
		}
	}
	for len(r.appending) > 0 && r.appending[0].stored {
		p, requests := r.appending[0].prepare, r.appending[0].requests
		r.appending = slices.Delete(r.appending, 0, 1) // in place: the array is used again
		r.journal.add(p.Header.ID())
		r.missing.found(p.Header.ID())
		r.log.headers = append(r.log.headers, p.Header)
		if p.Header.Op <= r.asked {
			r.timers.repair.progress() // a new prepare is no answer: its op was not asked for
		}
		r.windowDone(p.Header.Op)
		if r.isPrimary() {
			r.onOwnPrepareStored(p, requests)
		} else {
			r.sendPrepareOK(p.Header.ID())
			r.emit(Event{
				Action: ActionReceivePrepare, Op: p.Header.Op, Checksum: p.Header.Checksum,
				View: p.Header.View,
			})
		}
		r.commitWalk()
	}
}

// onOwnPrepareStored puts the primary's own prepare into the pipeline and sends it.
func (r *Replica) onOwnPrepareStored(p *wire.Prepare, requests []*wire.Request) {
	entry := inFlight{id: p.Header.ID(), prepare: p, requests: requests}
	entry.oks.add(uint8(r.config.Replica))
	r.pipeline = append(r.pipeline, entry)
	r.timers.prepare.startIfStopped(r)
	r.emit(Event{
		Action: ActionClientRequest, Op: p.Header.Op, Checksum: p.Header.Checksum,
		View: p.Header.View, Request: p.Header.Request,
	})
	r.broadcast(p)
	r.commitPipeline() // a replica that is alone has its quorum
}

// sendPrepareOK promises the primary of the view that the prepare is stored and in the log
// (R3). The caller has seen both.
func (r *Replica) sendPrepareOK(id wire.PrepareID) {
	if r.installing() {
		return // owed, and sent at its end (R21)
	}
	if !r.isBackup() || !r.log.contains(id) || !r.journal.has(id) {
		return
	}
	r.send(r.primaryOf(r.view), &wire.PrepareOK{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Op: id.Op, PrepareChecksum: id.Checksum,
		Parent: r.log.at(id.Op).Parent, Commit: r.commitMax,
	})
}

// onPrepareOK counts a promise and commits what a replication quorum holds, in op order.
// VRR 4.1, step 5; spec PrimaryCommit.
func (r *Replica) onPrepareOK(m *wire.PrepareOK) {
	if m.View != r.view || !r.isPrimary() {
		r.refuse(RefuseNotPrimary, m)
		return
	}
	entry := r.pipelineEntry(wire.PrepareID{Op: m.Op, Checksum: m.PrepareChecksum})
	if entry == nil {
		r.refuse(RefuseUnknownOp, m) // committed already, most likely
		return
	}
	entry.oks.add(uint8(m.Replica))
	r.commitPipeline()
	r.commitWalk()
}

// commitPipeline commits what a replication quorum has promised, in op order.
// Spec PrimaryCommit.
func (r *Replica) commitPipeline() {
	for len(r.pipeline) > 0 && r.pipeline[0].oks.count() >= r.quorums.Replication {
		if r.config.Defects.Has(DefectStallIsPipeline) && !r.commitPipelineHead() {
			break
		}
		id := r.pipeline[0].id
		r.commitMax = max(r.commitMax, id.Op)
		r.pipeline = slices.Delete(r.pipeline, 0, 1)
		r.timers.prepare.progress()
		r.emit(Event{
			Action: ActionPrimaryCommit, Op: id.Op, Checksum: id.Checksum, View: r.view,
		})
	}
}

func (r *Replica) pipelineEntry(id wire.PrepareID) *inFlight {
	if len(r.pipeline) == 0 || id.Op < r.pipeline[0].id.Op {
		return nil
	}
	i := id.Op - r.pipeline[0].id.Op
	if i >= wire.Op(len(r.pipeline)) || r.pipeline[i].id != id {
		return nil
	}
	return &r.pipeline[i]
}

// onCommit is the primary's heartbeat with its commit number.
// VRR 4.1, steps 6 and 7; spec ReceiveCommit.
func (r *Replica) onCommit(m *wire.Commit) {
	switch {
	case m.View > r.view:
		r.askStartView(m.From())
		r.refuse(RefuseNewer, m)
		return
	case m.View < r.view:
		r.refuse(RefuseStale, m)
		return
	case r.status == StatusViewChange && m.From() == r.primaryOf(r.view):
		r.askStartView(m.From()) // the view has started without us
		r.refuse(RefuseStatus, m)
		return
	case r.isPrimary():
		r.adoptCommit(m)
		return
	case !r.isBackup() || m.From() != r.primaryOf(r.view):
		r.refuse(RefuseStatus, m)
		return
	}
	r.heardFromPrimary()
	if m.Commit > r.commitMax {
		r.commitMax = m.Commit
		r.emit(Event{Action: ActionReceiveCommit, Commit: m.Commit, View: m.View})
		r.commitWalk()
		if r.lacksPrepares() {
			r.timers.repair.soon()
		}
	}
}

// heardFromPrimary puts the election off.
func (r *Replica) heardFromPrimary() { r.timers.heartbeat.restart(r) }
