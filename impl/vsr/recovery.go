package vsr

import (
	"errors"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// recover takes over what storage holds (R1, R2, R3). Commit numbers are found out again.
// Spec Restart.
func (r *Replica) recover(stored Recovered) error {
	for i := range stored.Headers {
		h := &stored.Headers[i]
		if h.Op != wire.Op(i+1) {
			return fmt.Errorf("header %d: expected op %d, got %d", i, i+1, h.Op)
		}
		if i > 0 && h.Parent != stored.Headers[i-1].Checksum {
			return fmt.Errorf("header of op %d: expected parent %v, got %v", h.Op,
				stored.Headers[i-1].Checksum, h.Parent)
		}
	}
	r.view = max(stored.View, stored.LogView) // the WAL counts where it is ahead
	r.logView = stored.LogView
	r.log = slices.Clone(stored.Headers)
	for _, id := range stored.Stored {
		r.journal.add(id)
	}
	if r.config.Defects.Has(DefectVolatileView) {
		r.view, r.logView = 0, 0 // seed 004: inferred from the last prepare
		if n := len(r.log); n > 0 {
			r.view, r.logView = r.log[n-1].View, r.log[n-1].View
		}
	}
	if stored.Formatted {
		return nil
	}
	if r.config.ReplicaCount == 1 && len(stored.Faulty) > 0 {
		return fmt.Errorf("body of op %d: unreadable, and a solo replica has no peer to repair "+
			"it from: restore its data from a backup", stored.Faulty[0].Op)
	}
	if r.config.ReplicaCount == 1 && stored.Wiped {
		return errors.New("no durable identity, and a solo replica has no peer to get its log " +
			"from: restore its data from a backup, or format it as a new cluster")
	}
	r.bootDoubt(stored)
	if stored.Wiped && !r.config.Defects.Has(DefectWipedVotes) {
		r.lost.wiped, r.untrusted = true, true
	}
	r.status = StatusRecovering
	r.emit(Event{Action: ActionRestart, View: r.view, Incarnation: r.config.Incarnation})
	return nil
}

// BootEvents returns the events of [New], which has no Output.
func (r *Replica) BootEvents() []Event { return r.out.Events }

// probe asks every replica for the log of its view (R4, R11). After [ProbeAttemptsMax] probes
// without an answer the replica starts a view change with its own durable log: a cluster that
// lost power as a whole has nobody to ask, and neither has a replica that is alone. One that has
// lost its disk has no log to do so with, and goes on asking (R16).
func (r *Replica) probe() {
	exhausted := r.timers.probe.attempts > ProbeAttemptsMax || r.config.ReplicaCount == 1
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
		to := m.From()
		r.send(to, &wire.StartView{
			Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
			Replica: r.config.Replica, Commit: r.commitMax, Incarnation: m.Incarnation,
			Headers: slices.Clone(r.log),
		})
		r.emit(Event{
			Action: ActionAnswerProbe, To: to, HasTo: true, View: r.view,
			Op: r.log.head(), Commit: r.commitMax, Incarnation: m.Incarnation,
		})
	case r.startView != nil:
		r.send(m.From(), r.startView)
	default:
		r.refuse(RefuseStatus, m) // view 0 began without a StartView
	}
}
