package merge

// clientRequest is Merge!ClientRequest.
func (m *machine) clientRequest(s *State, p uint8, yield yielder) {
	x := &s.Replicas[p]
	if !m.isPrimary(s, p) || int(s.Count.Request) >= m.MaxRequest || int(x.Log.Length) >= m.MaxOp {
		return
	}
	next, v := *s, x.View
	next.Count.Request++
	next.Replicas[p].Log.add(v, Stored)
	next.ViewLog[v].add(v, 0)
	next.acknowledge(p, x.Log.Length+1, v, v)
	yield(Action{Kind: ClientRequest, Replica: p}, next)
}

// receivePrepare is Merge!ReceivePrepare: not above an op whose body has yet to come.
func (m *machine) receivePrepare(s *State, r uint8, yield yielder) {
	x := &s.Replicas[r]
	if !m.isBackup(s, r) || !s.ViewLog[x.View].has(x.Log.Length+1, x.View) {
		return
	}
	for _, body := range x.Log.Bodies[:x.Log.Length] {
		if body == Hollow || body == Doubtful {
			return
		}
	}
	next := *s
	next.Replicas[r].Log.add(x.View, Stored)
	next.acknowledge(r, x.Log.Length+1, x.View, x.View)
	yield(Action{Kind: ReceivePrepare, Replica: r}, next)
}

// primaryCommit is Merge!PrimaryCommit.
func (m *machine) primaryCommit(s *State, p uint8, yield yielder) {
	x := &s.Replicas[p]
	if !m.isPrimary(s, p) || x.Commit >= x.Log.Length {
		return
	}
	op := x.Commit + 1
	v := x.Log.Headers[op-1]
	count := 0
	for r := range uint8(m.N) {
		if m.counts(s, r, op, v, x.View) {
			count++
		}
	}
	if count < m.rules.Quorums.Replication {
		return
	}
	next := *s
	next.Replicas[p].Commit = op
	next.Committed[op-1] |= pairBit(v, x.View)
	yield(Action{Kind: PrimaryCommit, Replica: p}, next)
}

// counts reports whether a commit in view w of an entry counts r's acknowledgement:
// Merge!Counted.
func (m *machine) counts(s *State, r, op, v, w uint8) bool {
	if m.bug.prepareOKOfAnyView {
		return s.PrepareOKs[r][op-1]&rowBits(v) != 0
	}
	return s.PrepareOKs[r][op-1]&pairBit(v, w) != 0
}

// receiveCommit is Merge!ReceiveCommit.
func (m *machine) receiveCommit(s *State, r uint8, yield yielder) {
	if !m.isBackup(s, r) {
		return
	}
	x := &s.Replicas[r]
	p := m.primary(x.View)
	known := min(s.Replicas[p].Commit, x.Log.Length)
	if !m.isPrimary(s, p) || s.Replicas[p].View != x.View || x.Commit >= known {
		return
	}
	next := *s
	next.Replicas[r].Commit = known
	yield(Action{Kind: ReceiveCommit, Replica: r}, next)
}

// repairPrepare is Merge!RepairPrepare: the lowest body that r lacks comes.
func (m *machine) repairPrepare(s *State, r, op uint8, yield yielder) {
	x := &s.Replicas[r]
	if x.Status != Normal || x.Log.Bodies[op-1] == Stored ||
		m.bug.doubtfulNotRepaired && x.Log.Bodies[op-1] == Doubtful {
		return
	}
	for _, body := range x.Log.Bodies[:op-1] {
		if body != Stored {
			return
		}
	}
	v := x.Log.Headers[op-1]
	if !m.canFetch(s, r, op, v) {
		return
	}
	next := *s
	next.Replicas[r].Log.Bodies[op-1] = Stored
	next.acknowledge(r, op, v, x.View)
	yield(Action{Kind: RepairPrepare, Replica: r, Number: op}, next)
}
