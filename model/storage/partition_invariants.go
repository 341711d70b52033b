package storage

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of PartitionLog.tla, in the order of its cfgs.
func (c Config) invariants() []explore.Property[PartitionState] {
	property := func(
		name string, check func(s *PartitionState) error,
	) explore.Property[PartitionState] {
		return explore.Property[PartitionState]{
			Name: name, Check: func(s PartitionState) error { return check(&s) },
		}
	}
	return []explore.Property[PartitionState]{
		property("TypeOK", c.typeOK),
		property("KillSafe", c.killSafe),
		property("SyncSafe", c.syncSafe),
		property("DoubtSafe", c.doubtSafe),
		property("NoGap", c.noGap),
		property("NoTorn", c.noTorn),
	}
}

// typeOK is PartitionLog!TypeOK: shapes, and each depth lies within the one above it.
// No mutant breaks it: it guards the model against slips, not recovery against defects.
// The tests feed it malformed states instead.
func (c Config) typeOK(s *PartitionState) error {
	if int(s.Operations) > c.MaxOp || int(s.Crashes) > c.MaxCrash || s.Excused > s.Operations {
		return fmt.Errorf("operations=%d crashes=%d excused=%d, expected at most %d, %d, %d",
			s.Operations, s.Crashes, s.Excused, c.MaxOp, c.MaxCrash, s.Operations)
	}
	if strange := (s.Up | s.InDoubt) &^ c.all(); strange != 0 {
		return fmt.Errorf("replicas %s of %d", canonicalReplicas(strange), c.N)
	}
	for _, g := range c.Policies {
		if w := int(s.Primary[g-1]); w > c.N || w < c.N && !s.Up.has(w) {
			return fmt.Errorf("primary of %s is r%d, expected one that runs", g, w)
		}
	}
	for p, prepare := range s.Made[:s.Operations] {
		if prepare.Group != Persisted && prepare.Group != Replicated || int(prepare.Parent) > p {
			return fmt.Errorf("prepare %d of group %s was made on %d", p+1, prepare.Group,
				prepare.Parent)
		}
	}
	made := PrepareSet(1)<<(s.Operations+1) - 2
	for r := range c.N {
		if s.Up.has(r) && s.Published[r] > s.Written[r] || s.Written[r] > s.Log[r].Len {
			return fmt.Errorf("r%d: published=%d written=%d log=%d, expected them in this order",
				r, s.Published[r], s.Written[r], s.Log[r].Len)
		}
		if strange := (s.Log[r].all() | s.PrepareOKs[r]).minus(made); strange != 0 {
			return fmt.Errorf("r%d has %s, which nobody made", r, canonicalPrepares(strange))
		}
	}
	return nil
}

// killSafe is PartitionLog!KillSafe (R3, R14): kills lose nothing that was acknowledged,
// whatever the policy.
func (c Config) killSafe(s *PartitionState) error {
	return c.kept(s, "after kills alone", func(uint8) bool { return !s.PowerFailed })
}

// syncSafe is PartitionLog!SyncSafe (R3, R14): nothing loses what was acknowledged under
// Persisted.
func (c Config) syncSafe(s *PartitionState) error {
	return c.kept(s, "as persisted", func(p uint8) bool { return s.group(p) == Persisted })
}

// doubtSafe is PartitionLog!DoubtSafe (R15): a power loss at fewer than a quorum loses
// nothing that was acknowledged under Replicated either.
func (c Config) doubtSafe(s *PartitionState) error {
	return c.kept(s, "and power failed at fewer than a quorum",
		func(p uint8) bool { return p > s.Excused })
}

// kept says which acknowledged prepare that is owed its primary lacks (PartitionLog!Kept).
func (c Config) kept(s *PartitionState, how string, owed func(p uint8) bool) error {
	acknowledged := c.acknowledged(s)
	for p := uint8(1); p <= s.Operations; p++ {
		if !acknowledged.has(p) || !owed(p) || !c.led(s, s.group(p)) {
			continue
		}
		if w := s.Primary[s.group(p)-1]; !s.Log[w].all().has(p) {
			return fmt.Errorf("primary r%d lacks %s, which was acknowledged %s", w, s.name(p), how)
		}
	}
	return nil
}

// noGap is PartitionLog!NoGap (R14): what a group loses is a suffix, never the middle.
func (c Config) noGap(s *PartitionState) error {
	for r := range c.N {
		for _, g := range c.Policies {
			own, before := s.of(r, g), uint8(0)
			for _, p := range own.records() {
				if s.Up.has(r) && s.Made[p-1].Parent != before {
					return fmt.Errorf("r%d has %s behind prepare %d, it was made on prepare %d",
						r, s.name(p), before, s.Made[p-1].Parent)
				}
				before = p
			}
		}
	}
	return nil
}

// noTorn is PartitionLog!NoTorn (R14): no replica that runs has a record in its WAL that
// fails to verify.
func (c Config) noTorn(s *PartitionState) error {
	for r := range c.N {
		if at := s.Log[r].torn(); s.Up.has(r) && at < s.Log[r].Len {
			return fmt.Errorf("record %d in the WAL of r%d fails to verify", at+1, r)
		}
	}
	return nil
}
