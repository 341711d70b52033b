package reads

// leased is Reads!Leased, what the mutant lease_by_clock believes.
func (m *machine) leased(s *State, r int) bool {
	return m.bugs.has(LeaseByClock) && s.View[r] == 0 && s.Clock[r] == 0
}

// sendDoViewChange is Reads!SendDoViewChange: r leaves its view and votes.
func (m *machine) sendDoViewChange(s *State, r int, yield func(Action, State)) {
	if m.leased(s, r) {
		return
	}
	for v := s.View[r] + 1; int(v) <= m.MaxView; v++ {
		t := *s
		t.View[r] = v
		t.Status[r] = ViewChange
		t.giveUpReads(r)
		t.Votes[v][r] = Vote{
			Sent: true, LogView: s.LogView[r], Commit: s.CommitMax[r], Log: s.Log[r],
		}
		m.gc(&t)
		yield(Action{Kind: SendDoViewChange, Replica: uint8(r), Number: v}, t)
	}
}

// becomePrimary is Reads!BecomePrimary: a quorum of votes, one of them p's own, gives the
// log with which its view starts.
func (m *machine) becomePrimary(s *State, p int, yield func(Action, State)) {
	v := s.View[p]
	if s.Status[p] != ViewChange || m.primary(v) != p {
		return
	}
	var voters uint8
	for r := range m.N {
		if s.Votes[v][r].Sent {
			voters |= 1 << r
		}
	}
	for set := uint8(1); set < 1<<m.N; set++ {
		if set&^voters != 0 || set&(1<<p) == 0 || count(set) != m.viewChange() {
			continue
		}
		merged, known := m.merge(s, v, set)
		t := *s
		t.Status[p] = Normal
		t.LogView[p] = v
		t.Log[p] = merged
		t.CommitMax[p] = known
		t.Started |= 1 << v
		t.Prepares[v] = merged
		t.Inherited[v] = merged.Len
		t.Commits[v] = known
		m.gc(&t)
		yield(Action{Kind: BecomePrimary, Replica: uint8(p)}, t)
	}
}

// merge returns the longest log of the highest log view among the votes of a set of
// replicas, Reads!Canonical, and their highest commit number.
func (m *machine) merge(s *State, v, set uint8) (Log, uint8) {
	var best Vote
	var known uint8
	for r := range m.N {
		if set&(1<<r) == 0 {
			continue
		}
		x := s.Votes[v][r]
		known = max(known, x.Commit)
		if !best.Sent || x.LogView > best.LogView ||
			x.LogView == best.LogView && x.Log.Len > best.Log.Len {
			best = x
		}
	}
	return best.Log, known
}

// receiveStartView is Reads!ReceiveStartView: r adopts the log of a view that has
// started, and acknowledges it.
func (m *machine) receiveStartView(s *State, r int, yield func(Action, State)) {
	for v := s.View[r]; int(v) <= m.MaxView; v++ {
		if s.Started&(1<<v) == 0 || m.primary(v) == r ||
			v == s.View[r] && s.Status[r] != ViewChange {
			continue
		}
		t := *s
		t.View[r] = v
		t.Status[r] = Normal
		t.LogView[r] = v
		t.Log[r] = s.Prepares[v].prefix(s.Inherited[v])
		t.giveUpReads(r)
		t.PrepareOKs[v][r] = s.Inherited[v]
		m.gc(&t)
		yield(Action{Kind: ReceiveStartView, Replica: uint8(r), Number: v}, t)
	}
}
