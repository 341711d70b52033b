package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// merged is the log that a new primary starts its view with, once it holds every body (R13).
type merged struct {
	log     log
	commit  wire.Op
	open    []wire.Op // no vote has their bodies, too few nack (merge.go)
	blocked bool      // and no vote is missing
	voters  []int
}

// startViewChange moves to the next view: the primary is silent, the view change takes too
// long, nobody answers the probe, or the host says so. VRR 4.2, step 1; spec StartViewChange.
func (r *Replica) startViewChange() {
	if r.transition != nil {
		return // on the way to some view already
	}
	if r.lost.wiped {
		r.refuseOwn(RefuseWiped)
		return
	}
	v := r.view + 1
	r.enterView(v, func(r *Replica) {
		r.enteredViewChange(ActionStartViewChange, v, wire.NoReplica)
	})
}

// onStartViewChange joins a view change, or counts who else is in it.
// VRR 4.2, step 1; spec ReceiveStartViewChange.
func (r *Replica) onStartViewChange(m *wire.StartViewChange) {
	r.joinViewChange(m, func(r *Replica) { r.svcFrom.add(uint8(m.From())) })
}

// advanceViewChange takes the next step of a view change whose condition holds: vote, merge,
// start. It runs each tick and looks at what is there, like repair: no message has to come at
// the right moment.
func (r *Replica) advanceViewChange() {
	switch {
	case r.vote == nil:
		r.sendDoViewChange()
	case r.primaryOf(r.view) != r.config.Replica:
	case r.merged == nil:
		r.mergeVotes()
	default:
		r.mergeVotes()
		r.startMergedView()
	}
}

// joinViewChange enters the view of m, if it is newer, and then runs join; if the replica is in
// that view's change already it runs join at once.
func (r *Replica) joinViewChange(m wire.Message, join func(*Replica)) {
	v := m.InView()
	switch {
	case r.lost.wiped:
		r.refuse(RefuseWiped, m)
	case v > r.view:
		r.enterView(v, func(r *Replica) {
			r.enteredViewChange(ActionReceiveStartViewChange, v, m.From())
			join(r)
		})
	case v < r.view:
		r.refuse(RefuseStale, m)
	case r.status == StatusViewChange:
		join(r)
	case r.isPrimary() && r.startView != nil:
		r.send(m.From(), r.startView) // it has missed the start of the view
	default:
		r.refuse(RefuseStatus, m)
	}
}

func (r *Replica) enteredViewChange(action Action, v wire.View, from wire.ReplicaID) {
	r.status = StatusViewChange
	r.svcFrom.add(uint8(r.config.Replica))
	r.emit(Event{Action: action, View: v, From: from, HasFrom: from != wire.NoReplica})
	r.broadcastStartViewChange()
}

func (r *Replica) broadcastStartViewChange() {
	r.broadcast(&wire.StartViewChange{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica,
	})
}

// sendDoViewChange hands the log to the new primary once a quorum wants to leave the old view.
// VRR 4.2, step 2; R12; spec SendDoViewChange.
func (r *Replica) sendDoViewChange() {
	if r.svcFrom.count() < r.quorums.ViewChange {
		return
	}
	r.vote = r.newVote()
	r.emit(Event{Action: ActionSendDoViewChange, View: r.view, Op: r.log.head()})
	if primary := r.primaryOf(r.view); primary != r.config.Replica {
		r.send(primary, r.vote)
		return
	}
	r.votes[r.config.Replica] = r.vote
}

// newVote is this replica's DoViewChange. There is one a view: it is repeated as it is.
func (r *Replica) newVote() *wire.DoViewChange {
	l := r.suffix(r.log, r.commitMin)
	n := len(l.headers)
	vote := &wire.DoViewChange{
		Cluster: r.config.Cluster, Group: r.config.Group, View: r.view,
		Replica: r.config.Replica, LogView: r.logView, Commit: max(r.commitMin, l.base.Op),
		Base: l.base, Headers: slices.Clone(l.headers), Present: wire.NewBits(n),
		Nack: wire.NewBits(n), Faulty: wire.NewBits(n), Untrusted: r.untrusted,
	}
	for i := range vote.Headers {
		id := vote.Headers[i].ID()
		switch {
		case r.journal.has(id):
			vote.Present[i] = true
		case r.missing.isFaulty(id):
			vote.Faulty[i] = true
		case r.missing.isDoubtful(id): // neither
		default:
			vote.Nack[i] = !r.untrusted // hollow: its body never came, none was promised (R12)
		}
	}
	return vote
}

// onDoViewChange collects the votes at the new primary. VRR 4.2, step 3.
func (r *Replica) onDoViewChange(m *wire.DoViewChange) {
	if r.primaryOf(m.View) != r.config.Replica {
		r.refuse(RefuseNotPrimary, m)
		return
	}
	if !logOfVote(m).sound() {
		r.refuse(RefuseBrokenLog, m)
		return
	}
	r.joinViewChange(m, func(r *Replica) {
		if r.votes[m.Replica] != nil {
			r.refuse(RefuseRepeated, m)
			return
		}
		r.votes[m.Replica] = m
		r.svcFrom.add(uint8(m.Replica)) // it has entered the view, says its vote
	})
}

// mergeVotes decides the log of the view from a quorum of votes, its own among them, and parks
// with it until it holds every body. While an op is open it is done again with each further
// vote. VRR 4.2, step 3; R12; spec MergeVotes.
func (r *Replica) mergeVotes() {
	held := r.heldVotes()
	if r.merged != nil && (len(r.merged.open) == 0 || len(held) == len(r.merged.voters)) {
		return
	}
	// The first quorum decides, if it decides everything: no vote is waited for (R13).
	if r.merged == nil && len(held) > r.quorums.ViewChange {
		if first := held[:r.quorums.ViewChange]; r.park(first, r.decide(first), true) {
			return
		}
	}
	r.park(held, r.decide(held), false)
}

// heldVotes are the votes of this view so far, the own one first.
func (r *Replica) heldVotes() []*wire.DoViewChange {
	held := []*wire.DoViewChange{r.vote}
	for _, vote := range r.votes {
		if vote != nil && vote != r.vote {
			held = append(held, vote)
		}
	}
	return held
}

// heldForMerge reports whether this new primary holds a body that its vote may not have shown:
// one of its own log, or one fetched for the log that it is parked with. A body that an earlier
// view change left behind in the journal is none: its vote nacks that op. Merge!HeldOf.
func (r *Replica) heldForMerge(id wire.PrepareID) bool {
	ofLog := r.log.contains(id) || r.merged != nil && r.merged.log.contains(id)
	return ofLog && r.journal.has(id)
}

func (r *Replica) decide(votes []*wire.DoViewChange) Merge {
	return Votes{
		Votes: votes, Quorums: r.quorums, Replicas: r.config.ReplicaCount,
		Policy: r.config.Policy, Held: r.heldForMerge,
		longest: r.config.Defects.Has(DefectLongestLog),
	}.Decide()
}

// park takes over what votes decided and has the bodies repaired that are missing. It reports
// whether it did: a decision that awaits a quorum, or, if all must be decided, one that leaves
// an op open, is none.
func (r *Replica) park(votes []*wire.DoViewChange, m Merge, allDecided bool) bool {
	r.outcomes[m.Outcome]++
	if m.Outcome == OutcomeAwaitingQuorum || allDecided && m.Outcome != OutcomeReady {
		return false
	}
	l := r.completed(log{base: m.Base, headers: m.Headers}, votes)
	reason := r.refusesLog(l)
	if l.head() < max(r.commitMax, m.Commit) {
		reason = RefuseDivergence // what is known to be committed is in each later view's log
	}
	if reason != 0 && r.config.Defects == 0 {
		r.refuseVotes(reason)
		return false
	}
	voters := replicaSet(0)
	for _, vote := range votes {
		voters.add(uint8(vote.Replica))
	}
	r.merged = &merged{
		log: l.clone(), commit: m.Commit, open: m.Open,
		blocked: m.Outcome == OutcomeBlocked, voters: voters.members(),
	}
	r.emit(Event{
		Action: ActionMergeVotes, Quorum: r.merged.voters, Op: r.merged.log.head(),
		Commit: m.Commit, View: r.view,
	})
	r.requestPrepares()
	r.timers.repair.restart(r)
	return true
}

// completed returns a merged log with what this replica and the voters have below it. Spec
// TransferLog MergeVotes.
func (r *Replica) completed(l log, votes []*wire.DoViewChange) log {
	l = r.fitted(l)
	for range votes { // what one of them adds another may go on from
		for _, vote := range votes {
			l = r.fitted(l.over(logOfVote(vote)))
		}
	}
	return l
}

// refuseVotes forgets votes that decide a log which cannot be: others may come.
func (r *Replica) refuseVotes(reason Refusal) {
	for i, vote := range r.votes {
		if vote != nil && vote != r.vote {
			r.refuse(reason, vote)
			r.votes[i] = nil
		}
	}
}

// Blocked returns the ops of which all replicas have voted and nobody has the body, ascending:
// this view starts only if a person finds one (R12). It is nil unless the merge is blocked.
func (r *Replica) Blocked() []wire.Op {
	if r.merged == nil || !r.merged.blocked {
		return nil
	}
	return slices.Clone(r.merged.open)
}

// startMergedView starts the view once every body of the merged log is stored (R13).
// VRR 4.2, step 4; spec BecomePrimary.
func (r *Replica) startMergedView() {
	if r.lacksPrepares() && !r.config.Defects.Has(DefectStartHollow) || r.installing() {
		return
	}
	r.dropTransfer() // repair was faster
	m := r.merged
	r.enterViewWithLog(r.view, m.log, func(r *Replica) { r.becomePrimary(m) })
}

func (r *Replica) becomePrimary(m *merged) {
	r.status = StatusNormal
	r.commitMax = max(r.commitMax, m.commit)
	r.commitMax = max(r.commitMax, r.suffix(r.log, r.commitMax).base.Op)
	base := r.commitMax
	if r.config.Defects.Has(DefectStallIsPipeline) {
		base = m.commit // upstream's shape: below what this replica may know (seed 000)
	}
	for op := base + 1; op <= r.log.head(); op++ {
		entry := inFlight{id: r.log.at(op).ID()}
		entry.oks.add(uint8(r.config.Replica))
		r.pipeline = append(r.pipeline, entry)
	}
	r.startView = r.newStartView(base)
	r.emit(Event{
		Action: ActionBecomePrimary, View: r.view, Quorum: m.voters, Op: r.log.head(),
		Commit: base,
	})
	r.broadcast(r.startView)
	r.commitPipeline()
	r.commitWalk()
}

// onStartView adopts the log of a view that has started: of a newer one, or of the one whose
// change this replica is in; a recovering replica takes only the answer to its own probe (R4).
// VRR 4.2, step 5; R7, R11; spec ReceiveStartView, Recover.
func (r *Replica) onStartView(m *wire.StartView) {
	if m.From() != r.primaryOf(m.View) {
		r.refuse(RefuseSender, m)
		return
	}
	action := ActionReceiveStartView
	switch r.status {
	case StatusRecovering:
		action = ActionRecover
		switch {
		case r.config.Defects.Has(DefectNoNonce) && m.Incarnation.IsZero():
			action = ActionReceiveStartView
		case m.Incarnation != r.config.Incarnation:
			r.refuse(RefuseUnsolicited, m)
			return
		}
		if m.View < r.view {
			r.refuse(RefuseStale, m)
			return
		}
		if r.lost.wiped && !r.considerView(m) {
			return
		}
	case StatusViewChange, StatusNormal:
		if !m.Incarnation.IsZero() {
			r.refuse(RefuseUnsolicited, m) // an answer that came after another way back
			return
		}
		if m.View < r.view || m.View == r.view && r.isPrimary() {
			r.refuse(RefuseStale, m)
			return
		}
	}
	follows := r.status == StatusNormal && m.View == r.view
	if follows && logOfView(m).head() <= r.log.head() {
		r.refuse(RefuseStale, m) // it is the view's log of an earlier moment (R7)
		return
	}
	l := r.fitted(logOfView(m))
	if reason := r.refusesLog(l); reason != 0 && r.config.Defects == 0 {
		r.refuse(reason, m)
		return
	}
	if follows {
		r.raiseHead(m, l)
		return
	}
	r.enterViewWithLog(m.View, l, func(r *Replica) { r.adopt(action, m) })
}

// adopt follows the primary of m: what is uncommitted and stored is acknowledged, what is not
// stored is repaired.
func (r *Replica) adopt(action Action, m *wire.StartView) {
	r.status = StatusNormal
	r.commitMax = max(r.commitMax, m.Commit)
	r.emit(Event{
		Action: action, View: m.View, Op: r.log.head(), Commit: m.Commit,
		From: m.From(), HasFrom: true, Incarnation: m.Incarnation,
	})
	if m.Commit < r.log.base.Op {
		r.sendCommitPoint()
	}
	for op := max(m.Commit, r.log.base.Op) + 1; op <= r.log.head(); op++ {
		r.sendPrepareOK(r.log.at(op).ID())
	}
	r.requestPrepares()
	r.commitWalk()
}
