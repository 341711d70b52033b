package storage

import "github.com/viewstamp/viewstamp/model/explore"

// goals are situations that a search must meet: without them the invariants would hold
// for nothing. Those that the bounds do not allow are left out. That every action is
// taken, and with a torn record, is seen on the edges of the graph, not in its states.
func (c Config) goals() []explore.Goal[PartitionState] {
	if c.MaxOp == 0 || c.MaxCrash == 0 || len(c.Policies) == 0 {
		return nil
	}
	var goals []explore.Goal[PartitionState]
	when := func(possible bool, name string, reached func(s *PartitionState) bool) {
		if possible {
			goals = append(goals, explore.Goal[PartitionState]{
				Name: name, Reached: func(s PartitionState) bool { return reached(&s) },
			})
		}
	}
	elected := func(s *PartitionState, g Policy) bool {
		return c.led(s, g) && s.LogView[s.Primary[g-1]][g-1] > 0
	}
	for _, g := range c.Policies {
		ofGroup := func(s *PartitionState, set PrepareSet) bool {
			for p := uint8(1); p <= s.Operations; p++ {
				if set.has(p) && s.group(p) == g {
					return true
				}
			}
			return false
		}
		when(true, "Acknowledged:"+g.String(), func(s *PartitionState) bool {
			return ofGroup(s, c.acknowledged(s))
		})
		when(true, "KeptAfterCrash:"+g.String(), func(s *PartitionState) bool {
			return elected(s, g) && ofGroup(s, c.acknowledged(s)&s.Log[s.Primary[g-1]].all())
		})
		// What was acknowledged under Replicated goes with the power of a quorum.
		when(g == Replicated, "AcknowledgedLost", func(s *PartitionState) bool {
			return elected(s, g) && ofGroup(s, c.acknowledged(s)&^s.Log[s.Primary[g-1]].all())
		})
		when(g == Replicated && c.N > 2, "Doubt", func(s *PartitionState) bool {
			return s.Up == c.all() && s.InDoubt != 0 && s.InDoubt.size() < c.quorumMajority()
		})
	}
	when(true, "Torn", func(s *PartitionState) bool {
		for r := range c.N {
			if s.Log[r].torn() < s.Log[r].Len {
				return true
			}
		}
		return false
	})
	when(c.N > 1 && c.MaxOp > 1 && len(c.Policies) > 1, "Interleaved", func(s *PartitionState) bool {
		return c.acknowledged(s).has(1) && c.acknowledged(s).has(2) &&
			s.group(1) != s.group(2) && s.Log[1].Prepares[0] == 2
	})
	when(c.N > 2, "SurvivorsElect", func(s *PartitionState) bool {
		return s.Up != c.all() && elected(s, c.Policies[0])
	})
	return goals
}
