package vsr

// Repair of bodies: module Repair of the spec; R6, R9, R10, R13.

// wanted is the spec's Wanted: the entry at op of r's log, if r is a backup, or of the
// merged log, if r is a new primary that repairs before it starts.
func (s *State) wanted(c *Config, r int, op Op) (Entry, bool) {
	if s.isBackup(r) {
		if e, found := s.headers[r].At(op); found {
			return e, true
		}
	}
	if s.merged[r] != nil && !c.bug(RepairOnlyWhenNormal) {
		return s.merged[r].Log.At(op)
	}
	return Entry{}, false
}

// wantedHead is the highest op that r can want.
func (s *State) wantedHead(r int) Op {
	head := Op(0)
	if s.isBackup(r) {
		head = s.headers[r].Head()
	}
	if s.merged[r] != nil {
		head = max(head, s.merged[r].Log.Head())
	}
	return head
}

// RepairPrepare is RepairPrepare(r, op): the body of op arrives from another replica,
// which may have crashed or moved on since it sent it. R8, class "fill"; R9.
func RepairPrepare(c *Config, s *State, r int, op Op, yield Yield) {
	if !repairPrepareGuard(c, s, r, op, false).ok() {
		return
	}
	e, _ := s.wanted(c, r, op)
	t := *s
	t.bodies[r] = s.bodies[r].with(e)
	if s.isBackup(r) {
		t.sendPrepareOK(r, s.view[r], e)
		if c.LazyLogView && t.headers[r].in(t.bodies[r]) {
			t.logViewDurable[r] = s.logView[r]
		}
	}
	yield(Action{Kind: ActionRepairPrepare, Replica: r, Arg: int(op)}, t)
}

// repairPrepareGuard asks all other replicas for the body, or, for liveness, only
// those that are up: the spec's RepairPrepare and LiveRepair.
func repairPrepareGuard(c *Config, s *State, r int, op Op, onlyUp bool) refusal {
	if s.isBackup(r) {
		if because := repairOrderGuard(c, s, r, op); !because.ok() {
			return because
		}
	}
	e, found := s.wanted(c, r, op)
	if !found {
		return refuse("r%d has no log that it repairs at op %d",
			"an op of a backup's log or of a new primary's merged log", uint32(r), uint32(op))
	}
	if s.stored(c, r, e) {
		return refuse("r%d stores the body of op %d", "a missing body", uint32(r), uint32(op))
	}
	for source := range s.n {
		if source != r && s.bodies[source].Has(e) &&
			!(onlyUp && s.status[source] == StatusRecovering) {
			return enabled
		}
	}
	return refuse("no other replica stores the body of op %d", "a source", uint32(op))
}

// repairOrderGuard is what repair's order asks of a backup. Under LazyLogView it fills
// its holes upwards, since what lies above a hole is lost in a restart.
func repairOrderGuard(c *Config, s *State, r int, op Op) refusal {
	if c.bug(NarrowRepair) && op > s.commitMax[r] {
		return refuse("op %d is above commit_max of r%d", "an op at or below it (narrow_repair)",
			uint32(op), uint32(r))
	}
	if c.bug(FillIsDuplicate) {
		return refuse("op %d is not above the head of r%d", "one above it (fill_is_duplicate)",
			uint32(op), uint32(r))
	}
	if c.LazyLogView && !c.bug(AckOverHole) && op != s.contiguous(c, r)+1 {
		return refuse("op %d is not the lowest hole of r%d", "op %d (LazyLogView)",
			uint32(op), uint32(r), uint32(s.contiguous(c, r)+1))
	}
	return enabled
}

// liveRepairEnabled reports whether the spec's LiveRepair(r) is enabled.
func liveRepairEnabled(c *Config, s *State, r int) bool {
	for op := Op(1); op <= s.wantedHead(r); op++ {
		if repairPrepareGuard(c, s, r, op, true).ok() {
			return true
		}
	}
	return false
}
