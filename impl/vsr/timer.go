package vsr

// timer counts down ticks. A timer that repeats without progress backs off exponentially, with
// jitter, so that replicas that started together do not stay in step.
type timer struct {
	base     int // ticks
	running  bool
	left     int
	attempts int // since the last progress
}

// restart arms the timer with its base interval plus jitter of up to a half.
func (t *timer) restart(r *Replica) {
	t.attempts = 0
	t.running = true
	t.left = t.base + r.rng.below(t.base/2+1)
}

// startIfStopped arms the timer unless it runs.
func (t *timer) startIfStopped(r *Replica) {
	if !t.running {
		t.restart(r)
	}
}

// backoff arms the timer after another attempt without progress.
func (t *timer) backoff(r *Replica) {
	t.attempts++
	interval := t.base * min(1<<min(t.attempts, 4), backoffMax)
	t.left = interval + r.rng.below(interval/2+1)
}

// progress ends the backoff: what is owed now is owed anew.
func (t *timer) progress() {
	if t.attempts > 0 {
		t.attempts, t.left = 0, min(t.left, t.base)
	}
}

// soon makes the timer fire at the next tick, unless it is backing off.
func (t *timer) soon() {
	if t.attempts == 0 {
		t.left = min(t.left, 1)
	}
}

func (t *timer) stop() { t.running = false }

// due reports whether the interval since restart has passed.
func (t *timer) due() bool { return !t.running || t.left <= 0 }

// fired counts one tick and reports whether the timer has run out.
func (t *timer) fired() bool {
	if !t.running {
		return false
	}
	t.left--
	return t.left <= 0
}

// timers are a replica's: which of them run depends on its status alone, except prepare, which
// runs while the pipeline holds something, and reads, which runs during a round (R19).
type timers struct {
	prepare, commit, heartbeat, viewChange, viewChangeStatus, probe, repair, ask timer
	reads, transfer                                                              timer
}

// rearm sets all timers for the status that the replica has just entered.
func (t *timers) rearm(r *Replica) {
	p := r.config.Timers
	*t = timers{
		prepare: timer{base: p.PrepareTicks}, commit: timer{base: p.CommitTicks},
		heartbeat: timer{base: p.HeartbeatTicks}, viewChange: timer{base: p.ViewChangeTicks},
		viewChangeStatus: timer{base: p.ViewChangeStatusTicks}, probe: timer{base: p.ProbeTicks},
		repair: timer{base: p.RepairTicks}, ask: timer{base: p.ViewChangeTicks},
		transfer: timer{base: p.RepairTicks},
		reads:    timer{base: p.PrepareTicks},
	}
	switch {
	case r.isPrimary():
		t.commit.restart(r)
		if len(r.missing.faulty) > 0 {
			t.repair.restart(r)
		}
		t.commit.soon() // say at once that the view has a primary
		if len(r.pipeline) > 0 {
			t.prepare.restart(r)
			t.prepare.soon() // what was inherited is owed to the backups
		}
	case r.status == StatusNormal:
		t.heartbeat.restart(r)
		t.repair.restart(r)
	case r.status == StatusViewChange:
		t.viewChange.restart(r)
		t.viewChangeStatus.restart(r)
		t.repair.restart(r)
	case r.status == StatusRecovering:
		t.probe.restart(r)
		t.probe.soon()
	}
}

// onTick lets time pass: whichever timers run out do what their status owes. While a transition
// is under way only retransmission goes on.
func (r *Replica) onTick() {
	t := &r.timers
	t.ask.left--
	if t.prepare.fired() {
		if len(r.pipeline) == 0 {
			t.prepare.stop()
		} else {
			r.retransmit()
			t.prepare.backoff(r)
		}
	}
	if r.transition != nil {
		return
	}
	if r.config.Defects.Has(DefectStallIsPipeline) {
		r.detectStall()
	}
	if t.reads.fired() {
		r.repeatRound()
		t.reads.backoff(r)
	}
	if t.commit.fired() {
		r.sendCommit()
		t.commit.restart(r)
	}
	if t.transfer.fired() {
		r.repeatTransfer()
	}
	if t.repair.fired() {
		r.requestPrepares()
		switch {
		case r.lacksPrepares():
			t.repair.backoff(r)
		case r.isPrimary():
			t.repair.stop() // it lacks only what it has lost (R13)
		default:
			t.repair.restart(r)
		}
	}
	if r.status == StatusViewChange {
		r.advanceViewChange()
	}
	if t.viewChange.fired() {
		r.repeatViewChange()
		t.viewChange.backoff(r)
	}
	if t.probe.fired() {
		t.probe.backoff(r)
		r.probe()
	}
	if r.transition == nil && (t.heartbeat.fired() || t.viewChangeStatus.fired()) {
		r.startViewChange()
	}
}
