package sessions

import "github.com/viewstamp/viewstamp/model/explore"

// goals are situations that a search must meet: without them the invariants would hold
// for nothing. Those that the bounds do not allow are left out.
func (m *machine) goals() []explore.Goal[State] {
	if m.MaxRegister == 0 || m.MaxOp < 2 || m.MaxRequest == 0 {
		return nil
	}
	var goals []explore.Goal[State]
	add := func(allowed bool, name string, reached func(s *State) bool) {
		if allowed {
			goals = append(goals, explore.Goal[State]{
				Name: name, Reached: func(s State) bool { return reached(&s) },
			})
		}
	}
	add(true, "PositiveAnswerTaken", func(s *State) bool { return s.Confirmed[0] != 0 })
	add(m.Ring < m.MaxRequest && m.MaxOp > 2, "ReplyFellOutOfTheRing", func(s *State) bool {
		return m.anyRow(s, func(w *Row) bool { return w.Watermark > w.ReplyCount })
	})
	add(m.MaxRegister > 1, "SessionRebound", func(s *State) bool {
		return m.anyRow(s, func(w *Row) bool { return w.Session > w.Born })
	})
	add(m.MaxRegister > 1 && m.MaxOp > 2, "ReplayedAfterRebind", func(s *State) bool {
		return m.anyRow(s, func(w *Row) bool { return w.BoundWatermark > 0 })
	})
	add(m.MaxRegister > 1 && m.Shape == Numbered, "RefusedForEver", func(s *State) bool {
		return s.Refused[0] != 0
	})
	add(m.Clients > m.Capacity, "SessionEvicted", func(s *State) bool {
		return m.anyEnding(s, Evicted)
	})
	add(m.Logouts, "LoggedOut", func(s *State) bool { return m.anyEnding(s, LoggedOut) })
	add(m.Clients > m.Capacity, "ClientLearnsOver", func(s *State) bool {
		return s.Client[0].Phase == SessionOver
	})
	again := m.Shape == Numbered && m.MaxRegister > 1 && m.MaxOp > 2
	add(m.Clients > m.Capacity && again, "BornAgain",
		func(s *State) bool { // After an eviction: the outcome of what was open is unknown.
			return m.anyEnding(s, Evicted) && s.Client[0].Phase == On &&
				s.Client[0].Registration > 1 && s.Client[0].Born == s.Client[0].Session
		})
	add(m.MaxRestart > 0, "RestoredWithRows", func(s *State) bool {
		return s.Restarts > 0 && s.CommitMin[0] == s.CheckpointOp && s.CheckpointOp > 0 &&
			s.CheckpointTable.Rows != [slotsMax]Row{}
	})
	add(m.Misuse, "ForeignExecuted", func(s *State) bool {
		return m.executions(s, 1, 0) != 0
	})
	add(m.Intruders, "IdTaken", func(s *State) bool { return s.Client[0].Phase == Taken })
	add(m.Intruders, "IntruderHasARow", func(s *State) bool {
		return m.anyRow(s, func(w *Row) bool { return w.Owner == otherUser })
	})
	add(m.MaxCapacity > m.Capacity, "TableGrown", func(s *State) bool {
		return int(s.Table[0].Slots) > m.Capacity
	})
	twoSlots := m.Capacity > 1 && m.MaxOp > 2 || m.MaxCapacity > 1 && m.MaxOp > 3
	add(m.MaxCapacity > 0 && twoSlots && m.Clients > 1, "EvictedByResize", func(s *State) bool {
		for i := range int(s.LogLength) {
			if m.at(s, i+1).Kind == ResizeKind && s.Ended[i] != 0 {
				return true
			}
		}
		return false
	})
	return goals
}

// anyRow reports whether a row of some replica is one.
func (m *machine) anyRow(s *State, is func(w *Row) bool) bool {
	for r := range m.N {
		for i := range s.Table[r].Rows {
			if w := &s.Table[r].Rows[i]; w.Client != 0 && is(w) {
				return true
			}
		}
	}
	return false
}

// anyEnding reports whether some session ended for that reason.
func (m *machine) anyEnding(s *State, why Why) bool {
	for _, set := range s.Ended {
		for bit := range ClientsMax * OpMax * whyMax {
			if set&(1<<bit) != 0 && endingAt(bit).Why == why {
				return true
			}
		}
	}
	return false
}
