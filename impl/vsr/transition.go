package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// transition is a change of view, or of view and log, on its way to the disk. The replica
// stays as it was until the change is durable; then it takes effect as one step (R1, R2):
//
//	draining            prepares being stored are waited for, so that the change starts from
//	                    a settled log
//	storingState        the state record with the new log is written; a view change skips this,
//	                    since it leaves the log alone
//	storingSuperblock   the superblock is written, after the state record
//	in effect           apply runs, and sends what the new view has to say
//
// A crash on the way leaves either the old state or, if the writes had landed, the new one.
type transition struct {
	phase transitionPhase
	// view is the view to be in afterwards; log view too, if hasLog.
	view   wire.View
	hasLog bool
	log    log
	apply  func(*Replica)
}

type transitionPhase uint8

const (
	phaseDraining transitionPhase = iota + 1
	phaseStoringState
	phaseStoringSuperblock
)

// enterView wants view v without a change of the log.
func (r *Replica) enterView(v wire.View, apply func(*Replica)) {
	r.transition = &transition{phase: phaseDraining, view: v, apply: apply}
}

// enterViewWithLog wants view v and log view v with this log.
func (r *Replica) enterViewWithLog(v wire.View, l log, apply func(*Replica)) {
	r.transition = &transition{
		phase: phaseDraining, view: v, hasLog: true, log: l, apply: apply,
	}
}

// advanceTransition starts the first write once nothing is in flight any more.
func (r *Replica) advanceTransition() {
	t := r.transition
	if t == nil || t.phase != phaseDraining {
		return
	}
	if len(r.appending) > 0 || len(r.filling) > 0 || r.rebase.storing() {
		return
	}
	if t.hasLog {
		t.phase, t.log = phaseStoringState, r.fitted(t.log)
		r.out.StoreState = &StateRecord{
			LogView: t.view, Base: t.log.base, Headers: t.log.headers,
			Doubtful: r.doubtfulIn(t.log),
		}
		return
	}
	r.storeSuperblock()
}

func (r *Replica) storeSuperblock() {
	t := r.transition
	t.phase = phaseStoringSuperblock
	superblock := t.superblock(r)
	r.out.StoreSuperblock = &superblock
	if r.config.Defects.Has(DefectSendFirst) && !t.hasLog {
		r.takeEffect() // R1 broken: in effect, and sent, before it is durable
	}
}

func (t *transition) superblock(r *Replica) Superblock {
	if t.hasLog {
		return Superblock{View: t.view, LogView: t.view}
	}
	return Superblock{View: t.view, LogView: r.logView}
}

// onStateStored follows the state record with the superblock.
func (r *Replica) onStateStored(logView wire.View) {
	t := r.transition
	switch {
	case r.rebase.repeating && logView == r.logView:
		r.rebase.repeating = false
		return
	case !r.rebase.to.IsZero() && logView == r.logView:
		r.onRebased()
		return
	}
	if t == nil || t.phase != phaseStoringState || t.view != logView {
		r.violated("a state record stored was asked for", "log_view=%d", logView)
	}
	r.storeSuperblock()
}

// onSuperblockStored lets the change take effect.
func (r *Replica) onSuperblockStored(stored Superblock) {
	t := r.transition
	if r.config.Defects.Has(DefectSendFirst) && stored.View <= r.view {
		return
	}
	if t == nil || t.phase != phaseStoringSuperblock || t.superblock(r) != stored {
		r.violated("a superblock stored was asked for", "superblock=%+v", stored)
	}
	r.takeEffect()
}

func (r *Replica) takeEffect() {
	r.giveUpReads() // of the view that ends
	r.dropQueue()
	t := r.transition
	r.transition = nil
	r.view = t.view
	if t.hasLog {
		r.logView = t.view
		r.adoptLog(t.log)
		r.lost = lostDisk{}
	}
	r.pipeline = nil
	r.stash = stash{}
	r.merged = nil
	r.startView = nil
	r.svcFrom = 0
	clear(r.votes)
	r.vote = nil
	r.below = nil
	if !r.config.Defects.Has(DefectFetchOutlivesView) {
		r.dropTransfer()
	}
	t.apply(r)
	r.timers.rearm(r)
}
