package storage

import "github.com/viewstamp/viewstamp/model/explore"

// goals are situations that a search must meet: without them the invariants would
// hold for nothing. Those that the bounds do not allow are left out. That every action
// is taken is seen on the edges of the graph, not in its states.
func (j *journal) goals() []explore.Goal[JournalState] {
	var goals []explore.Goal[JournalState]
	when := func(possible bool, name string, reached func(s *JournalState) bool) {
		if possible {
			goals = append(goals, explore.Goal[JournalState]{
				Name: name, Reached: func(s JournalState) bool { return reached(&s) },
			})
		}
	}
	booted := func(s *JournalState) bool { return s.Crashes > 0 && s.Status == JournalRunning }
	promised := func(s *JournalState) bool {
		return s.PrepareOKs != [JournalViewMax + 1]JournalEntries{}
	}
	writes, crashes := j.MaxBatch > 0 && j.MaxAhead > 0, j.MaxCrash > 0
	ops, views := j.MaxOp > 0 && writes && crashes, j.MaxView > 0 && writes && crashes

	when(ops, "Acknowledged", promised)
	when(views, "VotedLogView", func(s *JournalState) bool { return s.SentLogView > 0 })
	when(ops, "KeptAcrossCrash", func(s *JournalState) bool {
		return booted(s) && promised(s) && (!s.InDoubt || j.Policy == Replicated)
	})
	when(views, "WALAheadOfSuperblock", func(s *JournalState) bool {
		return booted(s) && s.LogView > s.Superblock.LogView
	})
	when(crashes && writes && !j.Twin && (j.MaxOp > 0 || j.MaxView > 0), "CutInDoubt",
		func(s *JournalState) bool { return booted(s) && s.InDoubt && s.Rots == 0 })
	when(views && j.MaxRot > 0 && !j.Twin, "LogLost", func(s *JournalState) bool { return s.LogLost })
	when(crashes && j.MaxDamage > 0 && (views || j.Checkpoints && ops), "Damaged",
		func(s *JournalState) bool { return s.Damages > 0 && s.Status != JournalDown })
	when(crashes && j.MaxDamage > 0 && !j.Mirror && views, "Refused",
		func(s *JournalState) bool { return s.Status == JournalRefused })
	when(ops && j.Checkpoints, "Checkpointed", func(s *JournalState) bool {
		return s.Superblock.Checkpoint > 0
	})
	when(ops && j.Checkpoints && j.MaxBatch > 1, "ReleasedAcrossCrash", func(s *JournalState) bool {
		return booted(s) && s.Released > 0
	})
	when(crashes && j.Twin && ops, "IndexOnly", func(s *JournalState) bool {
		for _, batch := range s.WALCache {
			if batch.Unreadable && !batch.Illegible {
				return true
			}
		}
		return false
	})
	return goals
}
