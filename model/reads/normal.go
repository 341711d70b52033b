package reads

// The log, as package vsr has it in full: each step is a guard and its successor.

// clientRequest is Reads!ClientRequest: the primary prepares a request.
func (m *machine) clientRequest(s *State, p int, yield func(Action, State)) {
	if !m.isPrimary(s, p) || int(s.Log[p].Len) >= m.MaxOp {
		return
	}
	t := *s
	t.Log[p] = s.Log[p].with(s.View[p])
	t.Prepares[s.View[p]] = t.Log[p]
	yield(Action{Kind: ClientRequest, Replica: uint8(p)}, t)
}

// canReceivePrepare is Reads!CanReceivePrepare.
func (m *machine) canReceivePrepare(s *State, r int) bool {
	return m.isBackup(s, r) && s.Log[r].Len < s.Prepares[s.View[r]].Len
}

// receivePrepare is Reads!ReceivePrepare: a backup stores the next op and acknowledges
// it.
func (m *machine) receivePrepare(s *State, r int, yield func(Action, State)) {
	if !m.canReceivePrepare(s, r) {
		return
	}
	t := *s
	v := s.View[r]
	t.Log[r] = s.Log[r].with(s.Prepares[v].Views[s.Log[r].Len])
	if m.prepareOKUseful(s, v) {
		t.PrepareOKs[v][r] = t.Log[r].Len
	}
	yield(Action{Kind: ReceivePrepare, Replica: uint8(r)}, t)
}

// held is Reads!Held: a replication quorum has acknowledged the op.
func (m *machine) held(s *State, p int, op uint8) bool {
	by := 0
	for r := range m.N {
		if r == p || s.PrepareOKs[s.View[p]][r] >= op {
			by++
		}
	}
	return by >= m.replication()
}

// canCommit is Reads!CanCommit.
func (m *machine) canCommit(s *State, p int) bool {
	next := s.CommitMax[p] + 1
	if !m.isPrimary(s, p) || next > s.Log[p].Len || !m.held(s, p, next) {
		return false
	}
	if !m.bugs.has(CommitOwnViewFirst) {
		return true
	}
	for op := next; op <= s.Log[p].Len; op++ {
		if s.Log[p].Views[op-1] == s.View[p] && m.held(s, p, op) {
			return true
		}
	}
	return false
}

// primaryCommit is Reads!PrimaryCommit: the next op is committed.
func (m *machine) primaryCommit(s *State, p int, yield func(Action, State)) {
	if !m.canCommit(s, p) {
		return
	}
	t := *s
	op := s.CommitMax[p] + 1
	t.CommitMax[p] = op
	t.Commits[s.View[p]] = op
	if op > s.Committed.Len {
		t.Committed = s.Committed.with(s.Log[p].Views[op-1])
	}
	yield(Action{Kind: PrimaryCommit, Replica: uint8(p)}, t)
}

// receiveCommit is Reads!ReceiveCommit: a backup hears a commit number of its view.
func (m *machine) receiveCommit(s *State, r int, yield func(Action, State)) {
	if !m.isBackup(s, r) {
		return
	}
	for k := s.CommitMax[r] + 1; k <= min(s.Commits[s.View[r]], s.Log[r].Len); k++ {
		t := *s
		t.CommitMax[r] = k
		yield(Action{Kind: ReceiveCommit, Replica: uint8(r), Number: k}, t)
	}
}

// canExecute is Reads!CanExecute.
func canExecute(s *State, r int) bool { return s.CommitMin[r] < s.CommitMax[r] }

// walkExecute is Reads!WalkExecute: r executes the next op; a primary acknowledges it.
func (m *machine) walkExecute(s *State, r int, yield func(Action, State)) {
	if !canExecute(s, r) {
		return
	}
	t := *s
	t.CommitMin[r]++
	if m.isPrimary(s, r) {
		t.Acknowledged = max(s.Acknowledged, t.CommitMin[r])
	}
	yield(Action{Kind: WalkExecute, Replica: uint8(r)}, t)
}
