package retention

import (
	"errors"
	"slices"

	"github.com/viewstamp/viewstamp/model/explore"
)

// errFound ends a visit.
var errFound = errors.New("found")

// goals are situations that a search must meet: without them the invariants would hold
// for nothing. Those that the bounds do not allow are left out.
func (m *machine) goals() []explore.Goal[State] {
	if m.MaxOp < 4 || m.N < 2 {
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
	drops := func(k Kind) func(s *State) bool {
		return func(s *State) bool {
			return s.eachDropped(func(op, _ uint8, _ bool) error {
				if s.Log[op-1].Kind == k {
					return errFound
				}
				return nil
			}) != nil
		}
	}
	retains := slices.Contains(m.Kinds, Retain) && m.Age+m.Size > 0
	purges := slices.Contains(m.Kinds, Purge) && m.MaxPurge > 0
	add(retains, "Retained", drops(Retain))
	add(slices.Contains(m.Kinds, Truncate), "Truncated", drops(Truncate))
	add(purges, "Purged", drops(Purge))
	add(purges, "GoesOnAfterAPurge", func(s *State) bool {
		return s.Machine[1].Generation > 0 && s.Machine[1].Start > 0 && s.Machine[1].Count > 0
	})
	add(retains || purges, "DroppedAndStillInFiles", func(s *State) bool {
		return s.FileCount > 0 && s.Files[0].Next <= s.Machine[0].Start
	})
	add(m.Polls, "PolledFromBelowTheStart", func(s *State) bool {
		p := &s.Polled
		return p.Got != 0 && p.Got&(1<<p.From) == 0
	})
	add(m.MaxRestart > 0, "RestartedFromACheckpoint", func(s *State) bool {
		return s.Restarts > 0 && s.Checkpoint.Op > 0 && s.CommitMin[0] > s.Checkpoint.Op
	})
	add(m.MaxRestart > 0 && (retains || purges), "StartedBeyondWhatIsPending", func(s *State) bool {
		return s.Pending.Op > 0 && s.Machine[0].Start > s.Pending.Machine.Start
	})
	return goals
}
