package vsr

import "github.com/viewstamp/viewstamp/impl/wire"

// ReadLevel is what a read promises (R19).
type ReadLevel uint8

// The levels.
const (
	// ReadLinearizable shows all that was acknowledged when the read arrived. Only a primary
	// serves it, after a round.
	ReadLinearizable ReadLevel = iota + 1
	// ReadLocal is serializable: any replica answers at once from what it has executed, which
	// may be old.
	ReadLocal
)

// String returns the name as in traces and metrics.
func (l ReadLevel) String() string {
	switch l {
	case ReadLinearizable:
		return "linearizable"
	case ReadLocal:
		return "local"
	}
	return "invalid"
}

// ReadReady says that a read can be answered now: the state machine has executed the log up to
// Op, and perhaps more of it. An answer must name the op that the machine has come to.
type ReadReady struct {
	ID    uint64 // of the [ReadRequest]
	Level ReadLevel
	Op    wire.Op
}

// ReadRefused says that a read is not answered here, and why. The client may ask again,
// anywhere: a read changes nothing.
type ReadRefused struct {
	ID     uint64
	Reason Refusal
}

// reads are the linearizable reads that wait at a primary. A read goes through three lists:
//
//	next       arrived while a round was under way: that one was asked too early for it
//	asked      arrived before the round that is under way began
//	confirmed  a replication quorum has confirmed the view since: waits for commit min
//
// so that all reads that arrive during a round share the next one.
type reads struct {
	// round numbers the rounds of this boot. It never goes back, so that an answer to an
	// earlier round counts for no later read.
	round uint64
	// oks are the replicas that have confirmed the round, this one included; empty if none is
	// under way.
	oks                    replicaSet
	next, asked, confirmed []waitingRead
}

// waitingRead is one read. Index is what must be executed before it is answered.
type waitingRead struct {
	id    uint64
	index wire.Op
}

func (s *reads) waiting() int { return len(s.next) + len(s.asked) + len(s.confirmed) }

// onReadRequest takes a read. A local one is answered with what is executed here, whatever the
// status. Spec ReceiveRead, ReadLocally; R19.
func (r *Replica) onReadRequest(in ReadRequest) {
	switch {
	case in.Level == ReadLocal:
		r.answerRead(ReadReady{ID: in.ID, Level: ReadLocal, Op: r.commitMin})
	case in.Level != ReadLinearizable:
		r.violated("a read has a level", "level=%d", in.Level)
	case !r.isPrimary():
		r.refuseRead(in.ID, RefuseNotPrimary)
	case r.transition != nil:
		r.refuseRead(in.ID, RefuseInTransition)
	case r.reads.waiting() >= r.config.Limits.Reads:
		r.refuseRead(in.ID, RefuseTooManyReads)
	default:
		r.reads.next = append(r.reads.next, waitingRead{id: in.ID, index: r.readIndex()})
		if r.reads.oks == 0 {
			r.beginRound()
		}
	}
}

// readIndex is what a read that arrives now must see: what is committed here, and what the view
// began with. An op that was acknowledged in an older view is among the inherited, though this
// primary may not know yet that it is committed. Spec Index.
func (r *Replica) readIndex() wire.Op {
	index := r.commitMax
	for i := range r.pipeline {
		if r.pipeline[i].prepare == nil { // inherited
			index = r.pipeline[i].id.Op
		}
	}
	return index
}

// beginRound asks the other replicas whether this is still their view, for the reads that have
// arrived so far. The primary itself is in it.
func (r *Replica) beginRound() {
	s := &r.reads
	s.round++
	s.oks = 0
	s.oks.add(uint8(r.config.Replica))
	s.asked, s.next = s.next, s.asked[:0]
	r.timers.reads.restart(r)
	r.broadcast(r.confirmView())
	r.finishRound() // a replica that is alone has its quorum
}

func (r *Replica) confirmView() *wire.ConfirmView {
	return &wire.ConfirmView{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, Incarnation: r.config.Incarnation, Round: r.reads.round,
	}
}

// repeatRound asks whom the round still waits for. An answer to either question was given after
// the round began.
func (r *Replica) repeatRound() {
	m := r.confirmView()
	for to := range r.config.ReplicaCount {
		if !r.reads.oks.has(uint8(to)) {
			r.send(wire.ReplicaID(to), m)
		}
	}
}

// onConfirmView says whether this replica is in the view that a primary asks about, or a replica
// that has lost its disk and was offered that view's log (R16). The replica asked need not
// have adopted the view's log, only not have left for a higher view: who has left is durable, so
// that no restart makes it confirm again (R1). A recovering replica does not know yet.
// Spec ConfirmView.
func (r *Replica) onConfirmView(m *wire.ConfirmView) {
	switch {
	case m.View > r.view:
		if primary := r.primaryOf(m.View); primary != r.config.Replica {
			r.askStartView(primary)
		}
		r.refuse(RefuseNewer, m)
	case m.View < r.view:
		r.refuse(RefuseStale, m)
	case r.status == StatusRecovering:
		r.refuse(RefuseStatus, m)
	default:
		r.send(m.From(), &wire.ConfirmViewOK{
			Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
			Replica: r.config.Replica, Incarnation: m.Incarnation, Round: m.Round,
		})
	}
}

// onConfirmViewOK counts a replica that has confirmed the view to the round under way.
func (r *Replica) onConfirmViewOK(m *wire.ConfirmViewOK) {
	switch {
	case r.lost.wiped:
		r.onViewOfOther(m)
	case m.View != r.view || !r.isPrimary():
		r.refuse(RefuseNotPrimary, m)
	case m.Incarnation != r.config.Incarnation || m.Round != r.reads.round || r.reads.oks == 0:
		r.refuse(RefuseOtherRound, m)
	default:
		r.reads.oks.add(uint8(m.Replica))
		r.finishRound()
	}
}

// finishRound ends the round once a replication quorum has confirmed the view, and begins the
// next if reads have arrived meanwhile. Spec Confirmed.
func (r *Replica) finishRound() {
	s := &r.reads
	if s.oks.count() < r.quorums.Replication {
		return
	}
	s.confirmed = append(s.confirmed, s.asked...)
	s.asked, s.oks = s.asked[:0], 0
	r.timers.reads.stop()
	if len(s.next) > 0 {
		r.beginRound()
	}
}

// answerReads answers the reads that are confirmed and whose index is executed; it looks after
// each step, like repair. Indexes do not fall from one read to the next. Spec AnswerRead.
func (r *Replica) answerReads() {
	s := &r.reads
	done := 0
	for done < len(s.confirmed) && s.confirmed[done].index <= r.commitMin {
		r.answerRead(ReadReady{
			ID: s.confirmed[done].id, Level: ReadLinearizable, Op: r.commitMin,
		})
		done++
	}
	if done > 0 {
		s.confirmed = append(s.confirmed[:0], s.confirmed[done:]...)
	}
}

func (r *Replica) answerRead(ready ReadReady) {
	r.out.ReadsReady = append(r.out.ReadsReady, ready)
	r.emit(Event{Action: EventRead, Stutter: true, Op: ready.Op, View: r.view})
}

// giveUpReads refuses all reads that wait: the view is over, and what this replica knew to be
// committed may be behind.
func (r *Replica) giveUpReads() {
	s := &r.reads
	for _, list := range [...]*[]waitingRead{&s.confirmed, &s.asked, &s.next} {
		for _, read := range *list {
			r.refuseRead(read.id, RefuseViewChanged)
		}
		*list = (*list)[:0]
	}
	s.oks = 0
}

func (r *Replica) refuseRead(id uint64, reason Refusal) {
	r.out.ReadsRefused = append(r.out.ReadsRefused, ReadRefused{ID: id, Reason: reason})
	r.refuseOwn(reason)
}

// clone returns a copy that shares no memory.
func (s *reads) clone() reads {
	c := *s
	c.next = append([]waitingRead(nil), s.next...)
	c.asked = append([]waitingRead(nil), s.asked...)
	c.confirmed = append([]waitingRead(nil), s.confirmed...)
	return c
}

func (s *reads) appendKey(k *keyWriter) {
	k.number(s.round, uint64(s.oks))
	for _, list := range [...][]waitingRead{s.next, s.asked, s.confirmed} {
		k.number(uint64(len(list)))
		for _, read := range list {
			k.number(read.id, uint64(read.index))
		}
	}
}
