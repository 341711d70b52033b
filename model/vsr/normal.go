package vsr

// Normal operation: module Normal of the spec; VRR section 4.1; R1, R3, R8.

// Yield receives one successor: the action and the state after it.
type Yield func(Action, State)

// ClientRequest is ClientRequest(p): primary p gives a client's request the next op,
// stores the prepare and sends it. VRR 4.1, steps 1 to 3.
func ClientRequest(c *Config, s *State, p int, yield Yield) {
	if !clientRequestGuard(c, s, p).ok() {
		return
	}
	v := s.view[p]
	e := Entry{Op: s.headers[p].Head() + 1, View: v, Request: s.requests + 1}
	t := *s
	t.headers[p] = s.headers[p].with(e)
	t.bodies[p] = s.bodies[p].with(e)
	t.pipeline[p] = s.pipeline[p].with(e)
	m := t.editMessages(v)
	m.prepares = m.prepares.with(e)
	t.requests++
	yield(Action{Kind: ActionClientRequest, Replica: p}, t)
}

func clientRequestGuard(c *Config, s *State, p int) refusal {
	if because := s.wantPrimary(p); !because.ok() {
		return because
	}
	if int(s.requests) >= c.MaxRequest {
		return refuse("there were %d requests", "fewer than MaxRequest", uint32(s.requests))
	}
	return enabled
}

// ReceivePrepare is ReceivePrepare(r): backup r takes the next op of its view, stores
// it and acknowledges it. One successor per prepare of that op, of which a mutant can
// have sent several. VRR 4.1, step 4; R8, class "next".
func ReceivePrepare(c *Config, s *State, r int, yield Yield) {
	if !receivePrepareGuard(c, s, r).ok() {
		return
	}
	v := s.view[r]
	for _, e := range s.messages(v).prepares.at(s.headers[r].Head() + 1) {
		t := *s
		t.headers[r] = s.headers[r].with(e)
		if !s.stored(c, r, e) {
			t.bodies[r] = s.bodies[r].with(e)
		}
		t.sendPrepareOK(r, v, e)
		yield(Action{Kind: ActionReceivePrepare, Replica: r}, t)
	}
}

func receivePrepareGuard(c *Config, s *State, r int) refusal {
	if because := s.wantBackup(r); !because.ok() {
		return because
	}
	v, next := s.view[r], s.headers[r].Head()+1
	if len(s.messages(v).prepares.at(next)) == 0 {
		return refuse("no prepare of op %d was sent in view %d",
			"one of the op above the head of r%d", uint32(next), uint32(v), uint32(r))
	}
	if c.LazyLogView && !c.bug(AckOverHole) && s.hasHole(c, r) {
		return refuse("r%d lacks the body of op %d", "a log without holes (LazyLogView)",
			uint32(r), uint32(s.contiguous(c, r)+1))
	}
	return enabled
}

// PrimaryCommit is PrimaryCommit(p): a replication quorum holds the op above
// commit_max, so it is committed and the client may be told. In upstream's shape the
// primary also executes it here if it heads the pipeline. VRR 4.1, step 5; R3, R5.
func PrimaryCommit(c *Config, s *State, p int, yield Yield) {
	if !primaryCommitGuard(c, s, p).ok() {
		return
	}
	op := s.commitMax[p] + 1
	heads := len(s.pipeline[p]) > 0 && s.pipeline[p][0].Op == op
	executes := !c.walk() && s.commitMin[p] == s.commitMax[p] && heads
	t := *s
	t.commitMax[p] = op
	if executes {
		t.commitMin[p] = op
	}
	if executes || c.walk() && heads {
		t.pipeline[p] = s.pipeline[p][1:]
	}
	if op > s.acknowledged.Head() {
		t.acknowledged = s.acknowledged.with(s.headers[p][op-1])
	}
	if !c.bug(CommitNumberNotSent) {
		t.editMessages(s.view[p]).commit = op
	}
	yield(Action{Kind: ActionPrimaryCommit, Replica: p}, t)
}

func primaryCommitGuard(c *Config, s *State, p int) refusal {
	if because := s.wantPrimary(p); !because.ok() {
		return because
	}
	e, found := s.headers[p].At(s.commitMax[p] + 1)
	if !found {
		return refuse("commit_max of r%d is %d", "an op of its log above it",
			uint32(p), uint32(s.commitMax[p]))
	}
	if by := preparedBy(s, p, e).Len(); by < c.Quorums().Replication {
		return refuse("op %d was prepared by %d replicas", "a replication quorum",
			uint32(e.Op), uint32(by))
	}
	return enabled
}

// preparedBy is who holds entry e as far as primary p of e's present view knows.
func preparedBy(s *State, p int, e Entry) ReplicaSet {
	by := ReplicaSet(1) << p
	for r, entries := range s.messages(s.view[p]).prepareOKs {
		if entries.Has(e) {
			by |= 1 << r
		}
	}
	return by
}

// ReceiveCommit is ReceiveCommit(r, k): backup r hears commit number k of its view,
// the newest or an older one that was delayed. VRR 4.1, steps 6 and 7.
func ReceiveCommit(c *Config, s *State, r int, k Op, yield Yield) {
	if !receiveCommitGuard(c, s, r, k).ok() {
		return
	}
	t := *s
	t.commitMax[r] = k
	yield(Action{Kind: ActionReceiveCommit, Replica: r, Arg: int(k)}, t)
}

func receiveCommitGuard(_ *Config, s *State, r int, k Op) refusal {
	if because := s.wantBackup(r); !because.ok() {
		return because
	}
	if k <= s.commitMax[r] {
		return refuse("commit_max of r%d is %d", "one below the commit number",
			uint32(r), uint32(s.commitMax[r]))
	}
	if sent := s.messages(s.view[r]).commit; k > sent {
		return refuse("the highest commit number sent in view %d is %d", "one not below %d",
			uint32(s.view[r]), uint32(sent), uint32(k))
	}
	return enabled
}
