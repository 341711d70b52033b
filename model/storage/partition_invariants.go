package storage

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of PartitionLog.tla, in the order of its cfgs.
func (c Config) invariants() []explore.Property[PartitionState] {
	return []explore.Property[PartitionState]{
		{Name: "TypeOK", Check: c.typeOK},
		{Name: "KillSafe", Check: killSafe},
		{Name: "SyncSafe", Check: syncSafe},
		{Name: "NoTorn", Check: noTorn},
	}
}

// typeOK is PartitionLog!TypeOK: shapes, and each depth lies within the one above
// it. No mutant breaks it: it guards the model against slips, not recovery against
// defects. The tests feed it malformed states instead.
func (c Config) typeOK(s PartitionState) error {
	if int(s.Operations) > c.MaxOp || int(s.Crashes) > c.MaxCrash || s.Primary > s.N {
		return fmt.Errorf("operations=%d crashes=%d primary=%d, expected at most %d, %d, %d",
			s.Operations, s.Crashes, s.Primary, c.MaxOp, c.MaxCrash, s.N)
	}
	made := PrepareSet(1)<<(s.Operations+1) - 2
	for r := range c.N {
		if s.Published[r] > s.Written[r] || s.Written[r] > s.Log[r].Len {
			return fmt.Errorf("r%d: published=%d written=%d log=%d, expected them in this order",
				r, s.Published[r], s.Written[r], s.Log[r].Len)
		}
		if strange := s.Log[r].all().minus(made); strange != 0 {
			return fmt.Errorf("r%d holds %s, which nobody made", r, canonicalPrepares(strange))
		}
	}
	if strange := s.Acknowledged.minus(made); strange != 0 {
		return fmt.Errorf("acknowledged holds %s, which nobody made", canonicalPrepares(strange))
	}
	if strange := (s.OSQuorum | s.SyncedQuorum).minus(s.Acknowledged); strange != 0 {
		return fmt.Errorf("%s is promised and not acknowledged", canonicalPrepares(strange))
	}
	return nil
}

// killSafe is PartitionLog!KillSafe: SIGKILL loses at most what was still in process
// memory. Mutants truncate_to_frontier and first_not_longest break it.
func killSafe(s PartitionState) error { return held(s, s.OSQuorum, "written") }

// syncSafe is PartitionLog!SyncSafe: nothing loses what a quorum has published.
// Mutant first_not_longest breaks it.
func syncSafe(s PartitionState) error { return held(s, s.SyncedQuorum, "published") }

// held says which of the promised prepares the primary lacks.
func held(s PartitionState, promised PrepareSet, how string) error {
	if s.down() {
		return nil
	}
	if lost := promised.minus(s.Log[s.Primary].all()); lost != 0 {
		return fmt.Errorf("primary r%d lacks %s, which a quorum had %s",
			s.Primary, canonicalPrepares(lost), how)
	}
	return nil
}

// noTorn is PartitionLog!NoTorn: no replica serves a record that fails to verify.
// Mutant adopt_torn breaks it.
func noTorn(s PartitionState) error {
	if s.Torn != 0 {
		return fmt.Errorf("%s serve a record that fails to verify", canonicalReplicas(s.Torn))
	}
	return nil
}

// goals are situations that a search must meet: without them the invariants would
// hold for nothing. Those that need a prepare or a crash are left out where the
// bounds allow none. That every action is taken, and with a torn record, is seen on
// the edges of the graph, not in its states.
func (c Config) goals() []explore.Goal[PartitionState] {
	if c.MaxOp == 0 {
		return nil
	}
	primaryLacks := func(s PartitionState, set PrepareSet) bool {
		return !s.down() && set.minus(s.Log[s.Primary].all()) != 0
	}
	goals := []explore.Goal[PartitionState]{
		{Name: "Acknowledged", Reached: func(s PartitionState) bool { return s.Acknowledged != 0 }},
		{Name: "OSQuorum", Reached: func(s PartitionState) bool { return s.OSQuorum != 0 }},
		{Name: "SyncedQuorum", Reached: func(s PartitionState) bool { return s.SyncedQuorum != 0 }},
	}
	if c.MaxCrash == 0 {
		return goals
	}
	return append(goals,
		explore.Goal[PartitionState]{Name: "ElectedAfterCrash", Reached: func(s PartitionState) bool {
			return s.Crashes > 0 && !s.down()
		}},
		explore.Goal[PartitionState]{Name: "KeptAfterCrash", Reached: func(s PartitionState) bool {
			return s.Crashes > 0 && !s.down() && s.OSQuorum != 0
		}},
		// What was only in memory goes: an answer at the first depth promises nothing.
		explore.Goal[PartitionState]{Name: "AcknowledgedLost", Reached: func(s PartitionState) bool {
			return primaryLacks(s, s.Acknowledged)
		}})
}
