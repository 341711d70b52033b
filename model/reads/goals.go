package reads

import "github.com/viewstamp/viewstamp/model/explore"

// goals are situations that a search must meet: without them the invariants would hold
// for nothing. Those that the bounds do not allow are left out.
func (m *machine) goals() []explore.Goal[State] {
	if m.N < 3 || m.MaxOp == 0 || m.MaxView == 0 || m.MaxRead == 0 {
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
	add(true, "AnsweredWithWhatItOwes", func(s *State) bool {
		return s.any(func(x *Read) bool { return x.Label == Linearizable && x.Floor > 0 })
	})
	add(true, "WaitsForWhatItInherited", func(s *State) bool {
		return s.any(func(x *Read) bool {
			return x.Label == Waiting && x.Index > s.CommitMax[x.At]
		})
	})
	add(true, "DeposedPrimaryHoldsARead", func(s *State) bool {
		return s.any(func(x *Read) bool { // It owes an op that it has never heard of.
			return x.Label == Waiting && x.Floor > s.Log[x.At].Len
		})
	})
	add(true, "GivenUp", func(s *State) bool {
		return s.any(func(x *Read) bool { return x.Label == GivenUp })
	})
	add(true, "ConfirmedByAVoter", func(s *State) bool {
		return s.any(func(x *Read) bool {
			for r := range m.N { // It has left the view since.
				if x.Confirmed&(1<<r) != 0 && s.View[r] > x.View {
					return true
				}
			}
			return false
		})
	})
	add(m.MaxRead > 1, "ReadAfterReadInANewView", func(s *State) bool {
		return s.any(func(x *Read) bool {
			return x.Label == Waiting && x.View > 0 && x.Seen > 0
		})
	})
	add(m.Asking, "BackupWaitsForTheIndex", func(s *State) bool {
		return s.any(func(x *Read) bool {
			return x.Label == Indexed && x.Index > s.CommitMin[x.At]
		})
	})
	add(m.Asking, "IndexOutlivesItsView", func(s *State) bool {
		return s.any(func(x *Read) bool {
			return x.Label == Indexed && s.View[x.At] > x.View
		})
	})
	add(m.Local, "OldLocalRead", func(s *State) bool {
		return s.any(func(x *Read) bool {
			return x.Label == Serializable && x.Shown.Len < s.Acknowledged
		})
	})
	return goals
}

// any reports whether some read is one.
func (s *State) any(is func(x *Read) bool) bool {
	for i := range int(s.ReadCount) {
		if is(&s.Reads[i]) {
			return true
		}
	}
	return false
}
