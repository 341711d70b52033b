package consumergroups

import "github.com/viewstamp/viewstamp/model/explore"

// goals are situations that a search must meet: without them the invariants would hold
// for nothing. Those that the bounds do not allow are left out.
func (m *machine) goals() []explore.Goal[State] {
	if m.MaxOp < 4 || m.N < 2 || m.Clients < 2 {
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
	endedBy := func(k Kind) func(s *State) bool {
		return func(s *State) bool {
			for op := range s.LogLength {
				if s.Log[op].Kind == k && s.Ended>>(4*op)&0xe != 0 {
					return true
				}
			}
			return false
		}
	}
	add(m.Capacity > 1, "TwoMembers", func(s *State) bool { return s.Group[1].Count == 2 })
	add(m.Capacity < m.Clients, "EvictedMember", endedBy(RegisterKind))
	add(m.Logouts, "LoggedOutMember", endedBy(LogoutKind))
	add(true, "Left", endedBy(LeaveKind))
	add(m.MaxPartitions > 0, "DealtAnewForPartitions", func(s *State) bool {
		return s.Group[1].Generation > 0 && int(s.Group[1].Partitions) != m.Partitions
	})
	add(m.MaxRestart > 0, "RestartedWithMembers", func(s *State) bool {
		return s.Restarts > 0 && s.Group[0].Count > 0 && s.Checkpoint.Group.Count > 0
	})
	return goals
}
