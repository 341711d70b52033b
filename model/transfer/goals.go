package transfer

import "github.com/viewstamp/viewstamp/model/explore"

// goals are situations that a search must meet: without them the invariants would hold
// for nothing. Those that the bounds do not allow are left out.
func (m *machine) goals() []explore.Goal[State] {
	var goals []explore.Goal[State]
	add := func(allowed bool, name string, reached func(s *State, r int) bool) {
		if !allowed {
			return
		}
		goals = append(goals, explore.Goal[State]{
			Name: name, Reached: func(s State) bool {
				for r := range m.N {
					if reached(&s, r) {
						return true
					}
				}
				return false
			},
		})
	}
	views, transfers := m.MaxView > 0, m.MaxRequest > 0 && m.MaxCheckpoint > 1
	add(m.MaxRequest > 0, "CaughtUp", func(s *State, r int) bool {
		return s.Replicas[r].Executed != 0 && m.followed(s, r) && m.caughtUp(s, r)
	})
	add(views && m.MaxRequest > 1, "Hole", func(s *State, r int) bool {
		x := &s.Replicas[r]
		op := m.commitMin(x) + 1
		return op <= int(x.Headers.Length) && x.Headers.at(op) == 0
	})
	add(views && m.MaxRequest > 0, "ElectLacksBody", func(s *State, r int) bool {
		return m.isMerged(s, r) && !m.whole(&s.Replicas[r])
	})
	add(transfers, "LastStepOfInstall", func(s *State, r int) bool {
		return s.Replicas[r].Transfer.Stage == stageLast
	})
	add(transfers && views, "ElectTransfers", func(s *State, r int) bool {
		return m.isMerged(s, r) && s.Replicas[r].Transfer.Stage != stageNone
	})
	add(transfers && views, "InstallOutlivesView", func(s *State, r int) bool {
		x := &s.Replicas[r]
		return x.installing() && x.Status == ViewChange && !m.isMerged(s, r)
	})
	gone := m.MaxCrash > 0 || m.MaxRequest > 1 && !m.Retain
	add(transfers && gone && m.Chunks > 1, "SenderGoneBetweenChunks", func(s *State, r int) bool {
		x := &s.Replicas[r]
		return x.Transfer.ChunkCount > 0 && !m.serving(s, x)
	})
	add(transfers && m.MaxCrash > 0, "SnapshotNewerThanLog", func(s *State, r int) bool {
		x := &s.Replicas[r]
		return x.Status == Recovering && x.Base < m.length[x.Snapshot]
	})
	return goals
}
