package merge

import "cmp"

// voteOf is Merge!VoteOf.
func (m *machine) voteOf(s *State, r uint8) Vote {
	x := &s.Replicas[r]
	v := Vote{
		Replica: r, LogView: x.LogView, Commit: x.Commit, Trusted: x.Trusted, Log: x.Log,
	}
	if m.bug.voteForgetsHollow {
		for i, body := range v.Log.Bodies[:v.Log.Length] {
			if body == Hollow || body == Doubtful {
				v.Log.cut(uint8(i))
				break
			}
		}
	}
	return v
}

// compare orders votes.
func (v *Vote) compare(o *Vote) int {
	order := cmp.Or(
		cmp.Compare(v.Replica, o.Replica), cmp.Compare(v.LogView, o.LogView),
		cmp.Compare(v.Commit, o.Commit), cmp.Compare(v.Log.Length, o.Log.Length),
	)
	for i := range v.Log.Headers {
		order = cmp.Or(order, cmp.Compare(v.Log.Headers[i], o.Log.Headers[i]),
			cmp.Compare(v.Log.Bodies[i], o.Log.Bodies[i]))
	}
	if order == 0 && v.Trusted != o.Trusted {
		order = 1
		if o.Trusted {
			order = -1
		}
	}
	return order
}

// add inserts a vote in its place, unless it is there.
func (l *Votes) add(v Vote) {
	at := uint8(0)
	for at < l.Count && l.Votes[at].compare(&v) < 0 {
		at++
	}
	if at < l.Count && l.Votes[at] == v {
		return
	}
	copy(l.Votes[at+1:l.Count+1], l.Votes[at:l.Count])
	l.Votes[at] = v
	l.Count++
}

// forget removes the votes that nobody can act on any more: Merge!Gc.
func (m *machine) forget(s *State) {
	for v := range uint8(m.MaxView + 1) {
		x := &s.Replicas[m.primary(v)]
		if x.View > v || x.View == v && x.Status != ViewChange {
			s.Votes[v] = Votes{}
		}
	}
}

// sendDoViewChange is Merge!SendDoViewChange.
func (m *machine) sendDoViewChange(s *State, v uint8, yield yielder) {
	entered := false
	for r := range m.N {
		entered = entered || s.Replicas[r].View >= v
	}
	size := 1
	if m.together() && !entered {
		size = m.rules.Quorums.ViewChange
	}
	for _, set := range m.voting {
		if set.size() != size || !m.mayVote(s, set, v) {
			continue
		}
		next := *s
		for r := range uint8(m.N) {
			if !set.has(r) {
				continue
			}
			next.Votes[v].add(m.voteOf(s, r))
			x := &next.Replicas[r]
			x.View, x.Status = v, ViewChange
			if !m.bug.mergeKeptOverViews {
				x.Parked, x.Merged = false, Merged{}
			}
		}
		m.forget(&next)
		yield(Action{Kind: SendDoViewChange, Number: v, Set: set}, next)
	}
}

func (m *machine) mayVote(s *State, set ReplicaSet, v uint8) bool {
	for r := range uint8(m.N) {
		x := &s.Replicas[r]
		if set.has(r) && (x.View >= v || x.Status == Wiped && !m.bug.wipedVotes) {
			return false
		}
	}
	return true
}

// eachChoice visits each set of votes for view v with one vote of each voter, p's among
// them: Merge!VotesFrom. The slice is reused.
func (m *machine) eachChoice(s *State, p, v uint8, visit func(set ReplicaSet, votes []Vote)) {
	sent := &s.Votes[v]
	var buffer [votesMax]Vote
	for mask := uint32(1); mask < 1<<sent.Count; mask++ {
		chosen, set, twice := buffer[:0], ReplicaSet(0), false
		for i := range sent.Count {
			if mask>>i&1 == 0 {
				continue
			}
			vote := &sent.Votes[i]
			twice = twice || set.has(vote.Replica)
			set |= 1 << vote.Replica
			chosen = append(chosen, *vote)
		}
		if !twice && set.has(p) {
			visit(set, chosen)
		}
	}
}

// mergedBody is what is known of the body of an op of the merged log: Merge!MergedBody.
func (x *Replica) mergedBody(op uint8) Body {
	if x.Log.has(op, x.Merged.Log.Headers[op-1]) {
		return x.Log.Bodies[op-1]
	}
	return x.Merged.Log.Bodies[op-1]
}

// heldBy reports whether p holds the body of an entry by now: Merge!HeldOf.
func (x *Replica) heldBy(op, view uint8) bool {
	return x.Log.holds(op, view) ||
		x.Parked && x.Merged.Log.has(op, view) && x.mergedBody(op) == Stored
}

// merge is Merge!Merge.
func (m *machine) merge(x *Replica, set ReplicaSet, votes []Vote) Merged {
	d := m.rules.Decide(votes, x.heldBy)
	merged := Merged{Voters: set, Commit: d.Commit}
	for op := uint8(1); op <= d.Kept; op++ {
		v, body := d.Headers[op-1], Hollow
		if x.Parked && x.Merged.Log.has(op, v) && !x.Log.has(op, v) {
			body = x.Merged.Log.Bodies[op-1]
		}
		merged.Log.add(v, body)
	}
	return merged
}

// mayMerge is Merge!MayMerge, with the log that the votes decide.
func (m *machine) mayMerge(x *Replica, set ReplicaSet, votes []Vote) (Merged, bool) {
	if !m.rules.HasQuorum(votes) {
		return Merged{}, false
	}
	merged := m.merge(x, set, votes)
	redo := x.Merged.Voters&^set == 0 && merged != x.Merged && !m.bug.mergeNotRedone
	return merged, !x.Parked || redo
}

// waitsForVotes reports whether p is the new primary of a view that has not started.
func (m *machine) waitsForVotes(s *State, p uint8) bool {
	x := &s.Replicas[p]
	return x.Status == ViewChange && m.primary(x.View) == p
}

// mergeVotes is Merge!MergeVotes.
func (m *machine) mergeVotes(s *State, p uint8, yield yielder) {
	if !m.waitsForVotes(s, p) {
		return
	}
	x := &s.Replicas[p]
	m.eachChoice(s, p, x.View, func(set ReplicaSet, votes []Vote) {
		merged, ok := m.mayMerge(x, set, votes)
		if !ok {
			return
		}
		next := *s
		next.Replicas[p].Parked, next.Replicas[p].Merged = true, merged
		yield(Action{Kind: MergeVotes, Replica: p, Set: set}, next)
	})
}

// fetchesOther reports whether a look-up by op alone finds the body of another entry:
// Merge!Fetched.
func (m *machine) fetchesOther(s *State, p, op, view uint8) bool {
	for r := range m.N {
		l := &s.Replicas[r].Log
		if m.bug.presentByOp && r != int(p) && op <= l.Length &&
			l.Headers[op-1] != view && l.Bodies[op-1] == Stored {
			return true
		}
	}
	return false
}

// repairMerged is Merge!RepairMerged, for each op of the merged log.
func (m *machine) repairMerged(s *State, p uint8, yield yielder) {
	x := &s.Replicas[p]
	if x.Status != ViewChange || !x.Parked {
		return
	}
	for op := uint8(1); op <= x.Merged.Log.Length; op++ {
		v, body := x.Merged.Log.Headers[op-1], x.mergedBody(op)
		if body == Stored || body == Other {
			continue
		}
		action := Action{Kind: RepairMerged, Replica: p, Number: op}
		if m.canFetch(s, p, op, v) {
			yield(action, m.fetched(s, p, op, Stored))
		}
		if m.fetchesOther(s, p, op, v) {
			yield(action, m.fetched(s, p, op, Other))
		}
	}
}

// fetched gives p the body of an op of the merged log.
func (m *machine) fetched(s *State, p, op uint8, got Body) State {
	next := *s
	x := &next.Replicas[p]
	if x.Log.has(op, x.Merged.Log.Headers[op-1]) {
		x.Log.Bodies[op-1] = got
		return next
	}
	x.Merged.Log.Bodies[op-1] = got
	if m.OneSlot && op <= x.Log.Length && x.Log.Bodies[op-1] == Stored {
		x.Log.Bodies[op-1] = m.displaced(x)
	}
	return next
}

// displaced is what becomes of a body that gives way to a fetched one.
func (m *machine) displaced(x *Replica) Body {
	switch {
	case m.bug.displacedIsStored:
		return Stored
	case x.Trusted:
		return Hollow
	}
	return Doubtful
}

// becomePrimary is Merge!BecomePrimary: p holds every body of the merged log, still, and
// starts the view with it.
func (m *machine) becomePrimary(s *State, p uint8, yield yielder) {
	x := &s.Replicas[p]
	if !m.waitsForVotes(s, p) || !x.Parked {
		return
	}
	next := *s
	log := x.Merged.Log
	for i := range log.Length {
		body := x.mergedBody(i + 1)
		if body == Stored || body == Other || body == Below {
			if body != Below {
				next.acknowledge(p, i+1, log.Headers[i], x.View)
			}
			log.Bodies[i] = body
			continue
		}
		if !m.bug.startBeforeRepair && (body != Faulty || !m.bug.startWithRottenBody) {
			return
		}
		log.Bodies[i] = Hollow
	}
	next.Replicas[p] = Replica{
		Status: Normal, View: x.View, LogView: x.View, Log: log, Adopted: log.Length,
		Commit: max(x.Commit, x.Merged.Commit), Trusted: x.Trusted || !m.bug.adoptionKeepsDoubt,
	}
	next.StartHead[x.View] = log.Length
	next.Started |= 1 << x.View
	log.Bodies = [OpMax]Body{}
	next.ViewLog[x.View] = log
	m.forget(&next)
	yield(Action{Kind: BecomePrimary, Replica: p}, next)
}

// receiveStartView is Merge!ReceiveStartView.
func (m *machine) receiveStartView(s *State, r, v uint8, yield yielder) {
	if !s.hasStarted(v) || m.primary(v) == r || !m.mayAdopt(s, r, v) {
		return
	}
	action := Action{Kind: ReceiveStartView, Replica: r, Number: v}
	now := s.ViewLog[v].Length
	status := s.Replicas[r].Status
	adopt := func(length uint8) {
		for base := range length + 1 {
			if base == 0 || m.mayBeBase(s, v, base) {
				yield(action, m.adopt(s, r, v, base, length))
			}
		}
	}
	if s.StartHead[v] != now && status != Recovering && status != Wiped {
		adopt(s.StartHead[v])
	}
	adopt(now)
}

// mayBeBase reports whether an op of view v's log is committed by then: Merge!BasesOf.
func (m *machine) mayBeBase(s *State, v, op uint8) bool {
	found := false
	s.Committed[op-1].eachPair(func(entry, w uint8) {
		found = found || m.Bases && entry == s.ViewLog[v].Headers[op-1] && w <= v
	})
	return found
}

func (m *machine) mayAdopt(s *State, r, v uint8) bool {
	x := &s.Replicas[r]
	switch x.Status {
	case ViewChange:
		return v >= x.View
	case Normal:
		return v > x.View
	case Recovering, Wiped:
	}
	p := m.primary(v)
	if v < x.View || !m.isPrimary(s, p) || s.Replicas[p].View != v {
		return false
	}
	if x.Status == Recovering || m.bug.wipedAnyView {
		return true
	}
	within := 0
	for other := range m.N {
		if other != int(r) && s.Replicas[other].View <= v {
			within++
		}
	}
	return within > m.N-m.rules.Quorums.ViewChange
}

// adopt gives r the first ops of the log of view v, those above base.
func (m *machine) adopt(s *State, r, v, base, length uint8) State {
	next := *s
	x := &s.Replicas[r]
	log := s.ViewLog[v]
	log.cut(length)
	for op := uint8(1); op <= log.Length; op++ {
		log.Bodies[op-1] = m.adoptedBody(x, op, log.Headers[op-1], base)
		if log.Bodies[op-1] == Stored {
			next.acknowledge(r, op, log.Headers[op-1], v)
		}
	}
	next.Replicas[r] = Replica{
		Status: Normal, View: v, LogView: v, Log: log, Adopted: length,
		Commit:  max(base, min(x.Commit, length)),
		Trusted: x.Trusted || !m.bug.adoptionKeepsDoubt,
	}
	m.forget(&next)
	return next
}

// adoptedBody is what x knows of the body of an entry of a log that it adopts. What is
// known to be committed and missing is in doubt: an earlier base may have cut off that it
// was. R12, R15.
func (m *machine) adoptedBody(x *Replica, op, view, base uint8) Body {
	body := Body(0)
	if x.Log.has(op, view) && x.Log.Bodies[op-1] != Below {
		body = x.Log.Bodies[op-1]
	}
	doubt := !x.Trusted && !m.bug.adoptionClearsDoubt ||
		m.Bases && op <= x.Commit && !m.bug.doubtEndsBelowBase
	switch {
	case body == Stored:
		return Stored
	case op <= base:
		return Below
	case body != 0 && (body != Hollow || !m.Bases || !doubt):
		return body
	case doubt:
		return Doubtful
	}
	return Hollow
}
