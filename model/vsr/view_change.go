package vsr

// View change: module ViewChange of the spec; VRR section 4.2; R1, R2, R7, R12, R13.

// enterView is the spec's EnterView: r enters the change to view v, and says so unless it
// is silent. The pipeline dies with the view; the log stays.
func enterView(s *State, r int, v View, silent bool) State {
	t := *s
	t.view[r] = v
	t.status[r] = StatusViewChange
	t.pipeline[r] = nil
	t.merged[r] = nil
	t.answers[r] = nil
	if !silent {
		m := t.editMessages(v)
		m.startViewChanges |= 1 << r
	}
	t.collectGarbage()
	return t
}

// StartViewChange is StartViewChange(r): r has waited long enough for its primary, for
// the end of a view change or for an answer to its probe. VRR 4.2, step 1.
func StartViewChange(c *Config, s *State, r int, yield Yield) {
	if startViewChangeGuard(c, s, r).ok() {
		yield(Action{Kind: ActionStartViewChange, Replica: r}, enterView(s, r, s.view[r]+1, false))
	}
}

func startViewChangeGuard(c *Config, s *State, r int) refusal {
	if int(s.view[r]) >= c.MaxView {
		return refuse("r%d is in view %d", "a view below MaxView", uint32(r), uint32(s.view[r]))
	}
	return enabled
}

// ReceiveStartViewChange is ReceiveStartViewChange(r, v): r hears of a view change
// above its view and joins. VRR 4.2, step 1.
func ReceiveStartViewChange(c *Config, s *State, r int, v View, yield Yield) {
	if receiveStartViewChangeGuard(c, s, r, v).ok() {
		yield(Action{Kind: ActionReceiveStartViewChange, Replica: r, Arg: int(v)},
			enterView(s, r, v, c.bug(JoinIsSilent)))
	}
}

func receiveStartViewChangeGuard(_ *Config, s *State, r int, v View) refusal {
	if v <= s.view[r] {
		return refuse("r%d is in view %d", "a view below the one that is announced",
			uint32(r), uint32(s.view[r]))
	}
	if s.messages(v).startViewChanges == 0 {
		return refuse("no StartViewChange for view %d was sent", "one", uint32(v))
	}
	return enabled
}

// SendDoViewChange is SendDoViewChange(r): a quorum wants to leave the old view, so r
// hands its log to the new primary, with the log view that it speaks for and which
// bodies it holds. VRR 4.2, step 2; R12.
func SendDoViewChange(c *Config, s *State, r int, yield Yield) {
	if !sendDoViewChangeGuard(c, s, r).ok() {
		return
	}
	log := s.headers[r]
	vote := &Vote{Replica: r, LogView: s.logView[r], Commit: s.commitMin[r], Log: log}
	if c.bug(DVCDropsHollow) {
		vote.Log = log.upTo(s.contiguous(c, r))
	}
	for _, e := range log {
		if s.stored(c, r, e) {
			vote.Present = append(vote.Present, e) // A log ascends, so the set does.
		}
	}
	t := *s
	t.editMessages(s.view[r]).votes[r] = vote
	yield(Action{Kind: ActionSendDoViewChange, Replica: r}, t)
}

func sendDoViewChangeGuard(c *Config, s *State, r int) refusal {
	if because := voteWantedGuard(c, s, r); !because.ok() {
		return because
	}
	v := s.view[r]
	if !s.voteUseful(v) {
		p := s.primaryOf(v)
		return refuse("r%d, the primary of view %d, is in view %d and no longer collects votes",
			"one that does", uint32(p), uint32(v), uint32(s.view[p]))
	}
	if s.messages(v).votes[r] != nil {
		return refuse("r%d has voted for view %d", "no vote yet", uint32(r), uint32(v))
	}
	return enabled
}

// voteWantedGuard is what makes r vote, whether or not anybody counts the vote.
func voteWantedGuard(c *Config, s *State, r int) refusal {
	if because := s.wantStatus(r, StatusViewChange, "status view_change"); !because.ok() {
		return because
	}
	if sent := s.messages(s.view[r]).startViewChanges.Len(); sent < c.Quorums().ViewChange {
		return refuse("%d replicas sent StartViewChange for view %d", "a view change quorum",
			uint32(sent), uint32(s.view[r]))
	}
	return enabled
}

// votesOf returns the votes for view v of the replicas of a quorum, as many as there
// are.
func votesOf(s *State, v View, quorum ReplicaSet) []*Vote {
	votes := make([]*Vote, 0, s.n)
	for r, vote := range s.messages(v).votes {
		if vote != nil && quorum.Has(r) {
			votes = append(votes, vote)
		}
	}
	return votes
}

// MergeVotes is MergeVotes(p, S): the new primary has the votes of quorum S, its own
// among them, and decides the log of its view. It parks with it. Under MergeAgain a parked
// primary may decide anew by all the votes that it has by then. VRR 4.2, step 3; R12.
func MergeVotes(c *Config, s *State, p int, quorum ReplicaSet, yield Yield) {
	if !mergeVotesGuard(c, s, p, quorum).ok() {
		return
	}
	t := *s
	t.merged[p], _ = decide(c, votesOf(s, s.view[p], quorum), s.heldForMerge(p))
	yield(Action{Kind: ActionMergeVotes, Replica: p, Arg: int(quorum)}, t)
}

func mergeVotesGuard(c *Config, s *State, p int, quorum ReplicaSet) refusal {
	if because := mergeGuard(c, s, p); !because.ok() {
		return because
	}
	again := s.merged[p] != nil
	if size := quorum.Len(); quorum >= 1<<c.N || !again && size != c.Quorums().ViewChange {
		return refuse("the set has %d members", "a view change quorum", uint32(size))
	}
	if !quorum.Has(p) {
		return refuse("the quorum is without r%d", "one with the new primary itself", uint32(p))
	}
	v := s.view[p]
	for _, r := range quorum.Members() {
		if s.messages(v).votes[r] == nil {
			return refuse("r%d has not voted for view %d", "the votes of the whole quorum",
				uint32(r), uint32(v))
		}
	}
	if again {
		return mergeAgainGuard(c, s, p, quorum)
	}
	return enabled
}

// mergeAgainGuard is what a merge by a parked primary asks beside: all votes that there
// are, more than a quorum, and that they decide something else.
func mergeAgainGuard(c *Config, s *State, p int, voters ReplicaSet) refusal {
	v := s.view[p]
	if all := s.votersOf(v); voters != all || all.Len() <= c.Quorums().ViewChange {
		return refuse("%d replicas have voted for view %d",
			"the votes of all of them, more than a quorum", uint32(all.Len()), uint32(v))
	}
	decided, _ := decide(c, votesOf(s, v, voters), s.heldForMerge(p))
	if decided.Commit == s.merged[p].Commit && decided.Log.Equal(s.merged[p].Log) {
		return refuse("r%d has merged the votes for view %d", "votes that decide something else",
			uint32(p), uint32(v))
	}
	return enabled
}

// votersOf is who has voted for view v.
func (s *State) votersOf(v View) ReplicaSet {
	var voters ReplicaSet
	for r, vote := range s.messages(v).votes {
		if vote != nil {
			voters |= 1 << r
		}
	}
	return voters
}

// heldForMerge are the bodies that count as proved in a merge of p, whatever its vote
// said: none in the first, what it holds by now in a later one.
func (s *State) heldForMerge(p int) EntrySet {
	if s.merged[p] == nil {
		return nil
	}
	return s.bodies[p]
}

// firstMergeGuard is the part of a first MergeVotes that does not depend on the quorum.
func firstMergeGuard(c *Config, s *State, p int) refusal {
	if s.merged[p] != nil {
		return refuse("r%d has merged the votes for view %d", "no merged log yet",
			uint32(p), uint32(s.view[p]))
	}
	return mergeGuard(c, s, p)
}

// mergeGuard is the part of MergeVotes that does not depend on the quorum.
func mergeGuard(c *Config, s *State, p int) refusal {
	if because := s.wantStatus(p, StatusViewChange, "status view_change"); !because.ok() {
		return because
	}
	if s.primaryOf(s.view[p]) != p {
		return refuse("r%d is a backup of view %d", "its new primary",
			uint32(p), uint32(s.view[p]))
	}
	if s.merged[p] != nil && !c.MergeAgain {
		return refuse("r%d has merged the votes for view %d", "no merged log yet",
			uint32(p), uint32(s.view[p]))
	}
	return enabled
}

// BecomePrimary is BecomePrimary(p): the new primary holds every body of the merged
// log: it adopts the log, rebuilds its pipeline and starts the view. VRR 4.2, step 4;
// R13. Upstream's shape rebuilds the pipeline from the merged commit, which may be
// below what the new primary itself knows to be committed.
func BecomePrimary(c *Config, s *State, p int, yield Yield) {
	if !becomePrimaryGuard(c, s, p).ok() {
		return
	}
	v, log := s.view[p], s.merged[p].Log
	known := max(s.commitMax[p], s.merged[p].Commit)
	base := s.merged[p].Commit
	if c.walk() {
		base = known
	}
	t := *s
	t.status[p] = StatusNormal
	t.merged[p] = nil
	t.logView[p] = v
	if c.LazyLogView {
		t.logViewDurable[p] = v
	}
	t.headers[p] = log
	t.pipeline[p] = log.above(base)
	t.commitMax[p] = known
	m := t.editMessages(v)
	m.startViews = withMember(m.startViews, StartView{Log: log, Commit: base},
		StartView.compare)
	m.commit = known
	t.collectGarbage()
	yield(Action{Kind: ActionBecomePrimary, Replica: p}, t)
}

func becomePrimaryGuard(c *Config, s *State, p int) refusal {
	if s.merged[p] == nil {
		return refuse("r%d has no merged log", "the votes of a quorum merged", uint32(p))
	}
	if c.bug(StartHollow) {
		return enabled
	}
	for _, e := range s.merged[p].Log {
		if !s.stored(c, p, e) {
			return refuse("r%d lacks the body of op %d of its merged log", "every body (R13)",
				uint32(p), uint32(e.Op))
		}
	}
	return enabled
}

// adopt is the spec's Adopt: r adopts a primary's log of view v, from a StartView or
// an answer to its probe, and acknowledges what of it is uncommitted and stored.
// VRR 4.2, step 5; R2, R11. Under LazyLogView its journal is written anew from the
// first hole on.
func adopt(c *Config, s *State, r int, v View, log Log, commit Op) State {
	t := *s
	t.view[r] = v
	t.logView[r] = v
	if c.LazyLogView && log.in(s.bodies[r]) {
		t.logViewDurable[r] = v
	}
	t.status[r] = StatusNormal
	t.headers[r] = log
	t.commitMax[r] = max(s.commitMax[r], commit)
	t.pipeline[r] = nil
	t.merged[r] = nil
	t.answers[r] = nil
	counts := log // What of the log a PrepareOK can speak for.
	if c.LazyLogView {
		prefix := s.storedPrefix(c, r, log)
		counts = log.upTo(prefix)
		t.bodies[r] = s.bodies[r].upTo(prefix)
	}
	if t.prepareOKUseful(v) {
		vouched := s.messages(v).prepareOKs[r]
		before := len(vouched)
		for _, e := range counts.above(commit) {
			if s.stored(c, r, e) && !c.bug(PrepareOKOnce) {
				vouched = vouched.with(e)
			}
		}
		if len(vouched) != before {
			t.editMessages(v).prepareOKs[r] = vouched
		}
	}
	t.collectGarbage()
	return t
}

// ReceiveStartView is ReceiveStartView(r, v): r learns that view v has started. One
// successor per StartView of v, of which a mutant can have sent several. A recovering
// replica takes none that it did not ask for. VRR 4.2, step 5; R4, R7.
func ReceiveStartView(c *Config, s *State, r int, v View, yield Yield) {
	if !receiveStartViewGuard(c, s, r, v).ok() {
		return
	}
	for _, m := range s.messages(v).startViews {
		yield(Action{Kind: ActionReceiveStartView, Replica: r, Arg: int(v)},
			adopt(c, s, r, v, m.Log, m.Commit))
	}
}

func receiveStartViewGuard(c *Config, s *State, r int, v View) refusal {
	if len(s.messages(v).startViews) == 0 {
		return refuse("no StartView of view %d was sent", "one", uint32(v))
	}
	if s.primaryOf(v) == r {
		return refuse("r%d is the primary of view %d", "a backup of it", uint32(r), uint32(v))
	}
	switch s.status[r] {
	case StatusViewChange:
		if v < s.view[r] {
			return refuse("r%d changes to view %d", "one that is not above view %d",
				uint32(r), uint32(s.view[r]), uint32(v))
		}
	case StatusNormal:
		if v < s.view[r] || v == s.view[r] && !c.bug(SameViewSV) {
			return refuse("r%d is normal in view %d", "a view below the StartView's (R7)",
				uint32(r), uint32(s.view[r]))
		}
	case StatusRecovering:
		if !c.bug(NoNonce) || v < s.view[r] {
			return refuse("r%d is in status recovering in view %d",
				"another: it takes only answers to its own probe (R4)",
				uint32(r), uint32(s.view[r]))
		}
	}
	return enabled
}
