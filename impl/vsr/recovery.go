package vsr

import (
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// recover takes over what storage holds (R1, R2, R3). Commit numbers are found out again.
// Spec Restart.
func (r *Replica) recover(stored Recovered) error {
	l, err := stored.log()
	if err != nil {
		return err
	}
	r.view = max(stored.View, stored.LogView) // the WAL counts where it is ahead
	r.logView = stored.LogView
	r.log = l.clone()
	r.checkpoint, r.applied, r.journal.base = stored.Base, stored.Base, stored.Base.Op
	r.appliedAt = stored.Timestamp
	r.commitMin, r.commitMax = stored.Base.Op, l.base.Op // what lies below a base is committed
	for _, id := range stored.Stored {
		r.journal.add(id)
	}
	if r.config.Defects.Has(DefectVolatileView) {
		r.view, r.logView = 0, 0 // seed 004: inferred from the last prepare
		if h := r.log.head(); r.log.has(h) {
			r.view, r.logView = r.log.at(h).View, r.log.at(h).View
		}
	}
	if stored.Formatted {
		return nil
	}
	if r.config.ReplicaCount == 1 && stored.Wiped {
		return errors.New("no durable identity, and a solo replica has no peer to get its log " +
			"from: restore its data from a backup, or format it as a new cluster")
	}
	r.bootDoubt(stored)
	if r.config.ReplicaCount == 1 && len(r.missing.faulty) > 0 {
		return fmt.Errorf("body of op %d: unreadable, and a solo replica has no peer to repair "+
			"it from: restore its data from a backup", r.missing.faulty[0].Op)
	}
	if stored.Wiped && !r.config.Defects.Has(DefectWipedVotes) {
		r.lost.wiped, r.untrusted = true, true
	}
	r.status = StatusRecovering
	r.emit(Event{Action: ActionRestart, View: r.view, Incarnation: r.config.Incarnation})
	return nil
}

// log is the log that storage holds, over the newest snapshot. A crash between a snapshot and
// the state record above it leaves a log that begins below: it is cut there (R17).
func (s *Recovered) log() (log, error) {
	l := log{base: s.LogBase, headers: s.Headers}
	if l.base.IsZero() {
		l.base = s.Base
		if n := len(s.Headers); n > 0 && s.Headers[0].Op >= 1 && s.Headers[0].Op <= s.Base.Op {
			l.base = wire.PrepareID{Op: s.Headers[0].Op - 1, Checksum: s.Headers[0].Parent}
		}
	}
	below := l.base
	for i := range s.Headers {
		h := &s.Headers[i]
		if h.Op != below.Op+1 {
			return l, fmt.Errorf("header %d: expected op %d, got %d", i, below.Op+1, h.Op)
		}
		if h.Parent != below.Checksum {
			return l, fmt.Errorf("header of op %d: expected parent %v, got %v", h.Op,
				below.Checksum, h.Parent)
		}
		below = h.ID()
	}
	switch {
	case l.base.Op == 0 && !l.base.Checksum.IsZero():
		return l, fmt.Errorf("header of op 1: expected no parent, got %v", l.base.Checksum)
	case l.base.Op == s.Base.Op && l.base != s.Base:
		return l, fmt.Errorf("base of the log %v: expected the checkpoint %v", l.base, s.Base)
	}
	return l.from(s.Base), nil
}

// BootEvents returns the events of [New], which has no Output.
func (r *Replica) BootEvents() []Event { return r.out.Events }

// probe asks every replica for the log of its view (R4, R11). After Timers.ProbeAttempts probes
// without an answer the replica starts a view change with its own durable log: a cluster that
// lost power as a whole has nobody to ask, and neither has a replica that is alone. One that has
// lost its disk has no log to do so with, and goes on asking (R16).
func (r *Replica) probe() {
	exhausted := r.timers.probe.attempts > r.config.Timers.ProbeAttempts || r.config.ReplicaCount == 1
	if exhausted && !r.lost.wiped {
		r.startViewChange()
		return
	}
	r.broadcast(&wire.RequestStartView{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Incarnation: r.config.Incarnation,
	})
	r.askWhoIsInView()
}

// askStartView asks a replica that is in a newer view for its StartView. It promises nothing.
func (r *Replica) askStartView(of wire.ReplicaID) {
	if r.status == StatusRecovering || !r.timers.ask.due() {
		return
	}
	r.timers.ask.restart(r)
	r.send(of, &wire.RequestStartView{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica,
	})
}

// onRequestStartView answers with the log of this primary's view. A recovering replica gets
// the log as it is now, with its incarnation: it may have acknowledged ops of this very view
// before it crashed. Others have not been in the view, so the StartView that began it will do.
// Spec AnswerProbe; R4, R11.
func (r *Replica) onRequestStartView(m *wire.RequestStartView) {
	switch {
	case !r.isPrimary():
		r.refuse(RefuseNotPrimary, m)
	case m.View > r.view:
		r.refuse(RefuseNewer, m)
	case !m.Incarnation.IsZero():
		to, answer := m.From(), r.newStartView(r.commitMax)
		answer.Incarnation = m.Incarnation
		r.send(to, answer)
		r.emit(Event{
			Action: ActionAnswerProbe, To: to, HasTo: true, View: r.view,
			Op: r.log.head(), Commit: r.commitMax, Incarnation: m.Incarnation,
		})
	case m.Head > 0 && m.View == r.view:
		r.send(m.From(), r.newStartView(r.commitMax)) // it is in the view and lacks what is above
	case r.startView != nil:
		r.send(m.From(), r.startView)
	default:
		r.refuse(RefuseStatus, m) // view 0 began without a StartView
	}
}
