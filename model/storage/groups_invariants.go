package storage

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of JournalGroups.tla, in the order of its cfgs.
func (j *journalGroups) invariants() []explore.Property[GroupsState] {
	// ofEach checks a group of a running node.
	ofEach := func(
		name string, check func(s *GroupsState, g int) error,
	) explore.Property[GroupsState] {
		return explore.Property[GroupsState]{Name: name, Check: func(s GroupsState) error {
			for g := 0; g < j.Groups && s.Running; g++ {
				if err := check(&s, g); err != nil {
					return fmt.Errorf("group %d: %w", g+1, err)
				}
			}
			return nil
		}}
	}
	return []explore.Property[GroupsState]{
		ofEach("ViewKept", j.viewKept),
		ofEach("AckedSurvives", j.ackedSurvives),
		ofEach("NackSafe", j.nackSafe),
		ofEach("CrashAlone", j.crashAlone),
		{Name: "NoStall", Check: func(s GroupsState) error { return j.noStall(&s) }},
	}
}

// viewKept is JournalGroups!ViewKept (R1): no group forgets a vote because another had
// something to say.
func (j *journalGroups) viewKept(s *GroupsState, g int) error {
	if known := max(s.LogView[g], s.Superblock[g].LogView); known < s.SentLogView[g] {
		return fmt.Errorf("log_view=%d, it voted for %d", known, s.SentLogView[g])
	}
	return nil
}

// ackedSurvives is JournalGroups!AckedSurvives (R3, R17): what a group acknowledged is
// there; where rot took it, that is known.
func (j *journalGroups) ackedSurvives(s *GroupsState, g int) error {
	for op := s.Snapshot[g] + 1; int(op) <= j.MaxOp; op++ {
		switch {
		case s.lost(g), s.PrepareOKs[g]&(1<<op) == 0:
		case op <= s.Head[g] && j.hasBody(s, g, op, s.Base, s.Written):
		case s.Rots > 0 && (op <= s.Head[g] || s.InDoubt[g]):
		default:
			return fmt.Errorf("op %d was acknowledged and is not stored", op)
		}
	}
	return nil
}

// nackSafe is JournalGroups!NackSafe (R15): only what it never acknowledged can a group
// nack.
func (j *journalGroups) nackSafe(s *GroupsState, g int) error {
	if s.lost(g) || s.InDoubt[g] {
		return nil
	}
	if above := s.PrepareOKs[g] >> (s.Head[g] + 1); above != 0 {
		return fmt.Errorf("an op above head %d was acknowledged and may be nacked", s.Head[g])
	}
	return nil
}

// crashAlone is JournalGroups!CrashAlone (R2, R17): without rot no group's log is lost.
func (j *journalGroups) crashAlone(s *GroupsState, g int) error {
	if s.Rots == 0 && s.lost(g) {
		return fmt.Errorf("the log of log_view %d is lost, and nothing had rotted",
			s.Superblock[g].LogView)
	}
	return nil
}

// noStall is JournalGroups!NoStall (R17): the ring comes to have room for a state record.
func (j *journalGroups) noStall(s *GroupsState) error {
	free := j.free(s)
	goes := !j.needed(s, s.Base, s.Written)
	if !s.Running || free > j.least() || free >= 1 && s.Unsaid || goes {
		return nil
	}
	for sequence := s.Base; free == j.least() && sequence <= s.Written; sequence++ {
		if !j.needed(s, sequence, s.Written) {
			return nil
		}
	}
	return fmt.Errorf("%d of %d slots free, and batch %d cannot go: no state record can be written",
		free, j.Slots, s.Base)
}

// goals are situations that a search must meet: without them the invariants would hold
// for nothing. Those that the bounds do not allow are left out.
func (j *journalGroups) goals() []explore.Goal[GroupsState] {
	var goals []explore.Goal[GroupsState]
	when := func(possible bool, name string, reached func(s *GroupsState) bool) {
		if possible {
			goals = append(goals, explore.Goal[GroupsState]{
				Name: name, Reached: func(s GroupsState) bool { return reached(&s) },
			})
		}
	}
	ops := j.MaxOp > 0 && j.MaxBatch > 0 && j.MaxCrash > 0 && j.Slots > j.Groups+3
	booted := func(s *GroupsState) bool { return s.Crashes > 0 && s.Running }
	when(ops, "KeptAcrossCrash", func(s *GroupsState) bool {
		return booted(s) && s.PrepareOKs[0] != 0 && !s.InDoubt[0]
	})
	when(ops && j.Groups > 1 && j.MaxRot > 0, "DoubtWithoutGap", func(s *GroupsState) bool {
		return booted(s) && s.PrepareOKs[0] != 0 && s.InDoubt[0] && s.Head[0] == 0
	})
	when(j.MaxView > 0 && j.MaxRot > 0 && j.MaxCrash > 0 && j.MaxBatch > 0, "LogLost",
		func(s *GroupsState) bool { return s.lost(0) })
	when(ops && j.MaxBatch >= j.Slots, "Full", func(s *GroupsState) bool {
		return s.Running && j.free(s) <= j.least()
	})
	when(ops, "Refused", func(s *GroupsState) bool {
		return s.Running && int(s.Head[0]) < j.MaxOp && !j.takes(s)
	})
	return goals
}
