package vsr

// Conformance follows recordings of replicas that take checkpoints and hand them to each other
// (R17, R21). This spec has none: to it a released op is a stored and executed one, so that a
// checkpoint changes nothing. What follows is what such a replica does that is no step of the
// spec, each with what makes it safe; Transfer.tla has the steps and shows that they are. This
// is no part of the spec.

// WithVotesFrom returns the state in which the votes of some replicas for view v speak of ops up
// to one as committed, which their senders had not executed: a vote begins above a commit point,
// and a restart forgets what was executed. It is at most the head of [State.Acknowledged].
func (s *State) WithVotesFrom(v View, voters ReplicaSet, op Op) State {
	t := *s
	m := t.editMessages(v)
	for r, vote := range m.votes {
		e, ok := s.acknowledged.At(op)
		if vote != nil && voters.Has(r) && ok && vote.Commit < op && vote.Log.has(e) {
			raised := *vote
			raised.Commit = op
			m.votes[r] = &raised
		}
	}
	return t
}

// WithKnown returns the state in which replica r knows ops up to one as committed, which is at
// most the head of [State.Acknowledged].
func (s *State) WithKnown(r int, op Op) State {
	t := *s
	t.commitMax[r] = max(s.commitMax[r], op)
	return t
}

// Acts reports whether replica r is the primary of its view, in normal status.
func (s *State) Acts(r int) bool { return s.isPrimary(r) }

// WithBase returns the state in which replica r, which has just restarted, goes on from its
// checkpoint: what lies up to its executed op is in it, and committed up to known. Both are at
// most what it had executed before.
func (s *State) WithBase(r int, executed, known Op) State {
	t := *s
	t.commitMin[r], t.commitMax[r] = executed, known
	return t
}

// WithInstalled returns the state in which replica r has put the checkpoint at an op in the
// place of what it had up to there: an op of its log, and a committed one.
func (s *State) WithInstalled(r int, op Op) State {
	log := s.headers[r]
	if m := s.merged[r]; m != nil {
		log = m.Log
	}
	t := s.WithBodies(r, log.upTo(op))
	t.commitMin[r], t.commitMax[r] = op, max(s.commitMax[r], op)
	return t
}

// WithoutBodies returns the state in which replica r has only the headers of these entries: it
// crashed when a record of its log's state was durable and they were not.
func (s *State) WithoutBodies(r int, entries Log) State {
	t := *s
	t.bodies[r] = s.bodies[r].without(entries)
	return t
}

// WithCommit returns the state in which primary p has heard from a backup that ops up to k of
// its log are committed: who has released an op cannot acknowledge it any more.
func (s *State) WithCommit(p int, k Op) State {
	t := *s
	t.commitMax[p] = k
	for len(t.pipeline[p]) > 0 && t.pipeline[p][0].Op <= k {
		t.pipeline[p] = t.pipeline[p][1:]
	}
	for op := s.acknowledged.Head() + 1; op <= k; op++ {
		t.acknowledged = t.acknowledged.with(s.headers[p][op-1])
	}
	t.editMessages(s.view[p]).commit = k
	return t
}

// WithHead returns the state in which backup r knows the headers of its view's log up to an op,
// from the primary's StartView, and which commit number that had; or false if the primary has
// prepared no such ops in that view.
func (s *State) WithHead(r int, head, commit Op) (State, bool) {
	v := s.view[r]
	if commit > s.messages(v).commit {
		return State{}, false
	}
	t := *s
	for op := s.headers[r].Head() + 1; op <= head; op++ {
		e, ok := s.inView(v, op)
		if !ok {
			return State{}, false
		}
		t.headers[r] = t.headers[r].with(e)
	}
	t.commitMax[r] = max(s.commitMax[r], commit)
	return t, true
}

// inView is what the primary of view v has at an op, as far as it can be told.
func (s *State) inView(v View, op Op) (Entry, bool) {
	if p := s.primaryOf(v); s.logView[p] == v {
		return s.headers[p].At(op)
	}
	if sent := s.messages(v).prepares.at(op); len(sent) == 1 {
		return sent[0], true
	}
	for _, start := range s.messages(v).startViews {
		if e, ok := start.Log.At(op); ok {
			return e, true
		}
	}
	return Entry{}, false
}

// WithMergedDurable returns the state in which new primary p has made its merged log durable
// under its view, which it has not started: it fetches a checkpoint first.
func (s *State) WithMergedDurable(p int) State {
	t := *s
	m := s.merged[p]
	t.headers[p], t.logView[p] = m.Log, s.view[p]
	t.commitMax[p] = max(s.commitMax[p], m.Commit)
	return t
}
