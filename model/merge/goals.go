package merge

import "github.com/viewstamp/viewstamp/model/explore"

// goals are situations that a search must meet: without them the invariants would hold
// for nothing. Those that the bounds do not allow are left out.
func (m *machine) goals() []explore.Goal[State] {
	var goals []explore.Goal[State]
	if m.MaxView == 0 || m.MaxRequest == 0 || m.MaxOp == 0 || m.N < 2 {
		return nil
	}
	add := func(allowed bool, name string, reached func(s *State) bool) {
		if allowed {
			goals = append(goals, explore.Goal[State]{
				Name: name, Reached: func(s State) bool { return reached(&s) },
			})
		}
	}
	quorum := m.rules.Quorums.ViewChange
	add(true, "Committed", func(s *State) bool { return s.Committed[0] != 0 })
	add(true, "CarriedOver", func(s *State) bool { // Prepared in one view, committed in a later.
		return s.Committed[0]&pairBit(0, 1) != 0
	})
	add(true, "ParkedWithoutABody", m.anyParked(func(x *Replica) bool {
		return m.lacksBody(x)
	}))
	add(quorum < m.N, "MergedAgain", m.anyParked(func(x *Replica) bool {
		return x.Merged.Voters.size() > quorum
	}))
	add(m.N > 2, "OpDropped", m.opDropped)
	add(m.N > 2, "HollowAdopted", func(s *State) bool { return m.anyBody(s, Hollow) })
	add(m.MaxPower > 0, "UntrustedVote", func(s *State) bool { return m.anyUntrusted(s) })
	add(m.MaxPower > 0 && m.MaxLoss > 0 && m.N > 2, "DoubtfulBody", func(s *State) bool {
		return m.anyBody(s, Doubtful)
	})
	add(m.MaxPower >= m.N, "AllUntrusted", func(s *State) bool {
		return m.all(s, func(x *Replica) bool { return x.Status == Recovering && !x.Trusted })
	})
	add(m.MaxRestart >= m.N, "AllRestarted", func(s *State) bool {
		return s.Started > 1 && m.all(s, func(x *Replica) bool { return x.Status == Recovering })
	})
	add(m.MaxRot > 0, "ParkedOverRot", m.anyParked(func(x *Replica) bool {
		for op := uint8(1); op <= x.Merged.Log.Length; op++ {
			if x.mergedBody(op) == Faulty {
				return true
			}
		}
		return false
	}))
	add(m.MaxWipe > 0, "WipedRejoined", func(s *State) bool {
		return s.Count.Wipe > 0 && m.all(s, func(x *Replica) bool { return x.Status == Normal })
	})
	add(m.Bases && m.MaxWipe > 0, "BelowABase", func(s *State) bool {
		return m.anyBody(s, Below)
	})
	add(m.Bases && m.MaxWipe > 0, "ComesBackFromBelow", m.comesBackFromBelow)
	add(m.Policy == Persisted && m.MaxWipe > 0 && m.MaxRot > 0 && m.N == 3, "Blocked", m.blocked)
	return goals
}

// all reports whether each replica is one.
func (m *machine) all(s *State, is func(x *Replica) bool) bool {
	for r := range m.N {
		if !is(&s.Replicas[r]) {
			return false
		}
	}
	return true
}

// anyParked returns the goal that some parked primary is one.
func (m *machine) anyParked(is func(x *Replica) bool) func(s *State) bool {
	return func(s *State) bool {
		for p := range m.N {
			if x := &s.Replicas[p]; x.Parked && is(x) {
				return true
			}
		}
		return false
	}
}

// lacksBody reports whether a parked primary lacks a body of its merged log.
func (m *machine) lacksBody(x *Replica) bool {
	for op := uint8(1); op <= x.Merged.Log.Length; op++ {
		if x.mergedBody(op) != Stored {
			return true
		}
	}
	return false
}

// anyBody reports whether a replica in normal status has such a body.
func (m *machine) anyBody(s *State, b Body) bool {
	for r := range m.N {
		x := &s.Replicas[r]
		for _, body := range x.Log.Bodies[:x.Log.Length] {
			if x.Status == Normal && body == b {
				return true
			}
		}
	}
	return false
}

// comesBackFromBelow reports whether a replica lost its disk, and with it a body that a
// commit has counted, has a trusted log since, and has the op in its log in a later view:
// where it would nack, if it took the body for one that never came.
func (m *machine) comesBackFromBelow(s *State) bool {
	for r := range m.N {
		x := &s.Replicas[r]
		counted := s.PrepareOKs[r][0]&s.Committed[0] != 0
		if x.Status == Normal && x.Trusted && x.LogView > 0 && counted &&
			x.Log.Length > 0 && x.Log.Bodies[0] == Doubtful {
			return true
		}
	}
	return false
}

// anyUntrusted reports whether a vote of an untrusted log waits for its primary.
func (m *machine) anyUntrusted(s *State) bool {
	for v := range m.MaxView + 1 {
		for i := range s.Votes[v].Count {
			if !s.Votes[v].Votes[i].Trusted {
				return true
			}
		}
	}
	return false
}

// opDropped reports whether a view has started without an op that someone acknowledged
// before.
func (m *machine) opDropped(s *State) bool {
	for v := uint8(1); int(v) <= m.MaxView; v++ {
		for r := range m.N {
			if s.hasStarted(v) && s.ViewLog[v].Length == 0 && s.PrepareOKs[r][0]&pairBit(0, 0) != 0 {
				return true
			}
		}
	}
	return false
}

// blocked reports whether all votes were sent to a primary whom they leave blocked.
func (m *machine) blocked(s *State) bool {
	found := false
	for p := range uint8(m.N) {
		x := &s.Replicas[p]
		if !m.waitsForVotes(s, p) {
			continue
		}
		m.eachChoice(s, p, x.View, func(_ ReplicaSet, votes []Vote) {
			found = found || m.rules.Decide(votes, x.heldBy).Outcome == Blocked
		})
	}
	return found
}
