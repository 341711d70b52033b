package logspace

import "github.com/viewstamp/viewstamp/model/explore"

// goals are situations that a search must meet: without them the invariants would hold
// for nothing. Those that the bounds do not allow are left out.
func (m *machine) goals() []explore.Goal[State] {
	var goals []explore.Goal[State]
	add := func(allowed bool, name string, reached func(s *State) bool) {
		if allowed {
			goals = append(goals, explore.Goal[State]{
				Name: name, Reached: func(s State) bool { return reached(&s) },
			})
		}
	}
	one := m.Groups == 1
	capacity := m.Room * m.Files
	add(one && m.MaxOp > capacity && m.Half >= capacity, "HeldAndLaterStored", func(s *State) bool {
		x := &s.Group[keeper]
		return x.Stored == x.Head && int(x.Head) > capacity
	})
	add(one && m.MaxOp > m.Half+1, "TooFarAboveTheCheckpoint", func(s *State) bool {
		return int(s.Group[keeper].Head) > int(s.Group[keeper].Base)+m.Half
	})
	add(one && m.MaxOp > m.Room, "StateAskedAgain", func(s *State) bool {
		x := &s.Group[keeper]
		return x.Owes && x.Base == x.Released
	})
	add(m.Removal > 0 && m.OtherOp > 0 && m.MaxOp > m.Removal, "GoneAndOutOfTheLog",
		func(s *State) bool {
			return s.Group[2].Gone && s.Group[2].Stored > 0 &&
				!s.Files.has(0, Record{Group: 2, Op: 1})
		})
	return goals
}
