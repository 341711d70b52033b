package vsr

// Timer names a timer of a replica.
type Timer uint8

// The timers that only send again or look again. Those that end a view are not here: whoever
// chooses them uses [LeaveView].
const (
	// TimerNone is none: the tick only lets the replica look at what is there.
	TimerNone Timer = iota + 1
	TimerPrepare
	TimerCommit
	TimerViewChange
	TimerRepair
	TimerProbe
	TimerReads
	TimerTransfer
)

// Expire is a tick at which the named timer runs out and no other, whatever they count.
// Attempts is how often it has run out before without progress. It is for explorers, to whom
// the expiry of a timer is a choice; a host lets time pass with [Tick].
type Expire struct {
	Timer    Timer
	Attempts int
}

func (Expire) isInput() {}

// neverTicks is more ticks than any explorer lets pass.
const neverTicks = 1 << 30

func (r *Replica) onExpire(in Expire) {
	r.ForgetTime()
	if t := r.timers.named(in.Timer); t != nil && t.running {
		t.left, t.attempts = 1, in.Attempts
	}
	if in.Timer == TimerRepair {
		r.turn.asked = in.Attempts
	}
	r.onTick()
}

// ForgetTime takes out of the state what only counted ticks decide: what is left of each
// interval, backoff, jitter and whose turn it is to be asked. An explorer calls it after each
// Step, so that states which differ in nothing else are one. Afterwards the replica is always
// ready to ask for a StartView.
func (r *Replica) ForgetTime() {
	t := &r.timers
	for _, timer := range t.all() {
		timer.left, timer.attempts = neverTicks, 0
	}
	t.ask.running = false
	r.rng, r.turn = jitter{}, turn{}
}

func (t *timers) all() []*timer {
	return []*timer{
		&t.prepare, &t.commit, &t.heartbeat, &t.viewChange, &t.viewChangeStatus, &t.probe,
		&t.repair, &t.ask, &t.reads, &t.transfer,
	}
}

func (t *timers) named(name Timer) *timer {
	switch name {
	case TimerNone:
	case TimerPrepare:
		return &t.prepare
	case TimerCommit:
		return &t.commit
	case TimerViewChange:
		return &t.viewChange
	case TimerRepair:
		return &t.repair
	case TimerProbe:
		return &t.probe
	case TimerReads:
		return &t.reads
	case TimerTransfer:
		return &t.transfer
	}
	return nil
}
