package storage

// crash is PartitionLog!Crash: the processes of a set end, and a primary among them is
// one no more.
func (c Config) crash(s PartitionState, set ReplicaSet) PartitionState {
	s.Up &^= set
	for _, g := range c.Policies {
		if c.led(&s, g) && set.has(int(s.Primary[g-1])) {
			s.Primary[g-1] = uint8(c.N)
		}
	}
	s.Crashes++
	return s
}

// kill is PartitionLog!Kill: SIGKILL. The page cache outlives the process.
func (c Config) kill(s PartitionState, set ReplicaSet, yield partitionTake) {
	t := c.crash(s, set)
	for r := range c.N {
		if set.has(r) {
			t.Log[r] = s.Log[r].prefix(s.Written[r])
		}
	}
	yield(PartitionAction{Kind: Kill, Members: set}, t)
}

// powerLoss is PartitionLog!PowerLoss: of each replica of the set any prefix of what was
// written beyond the frontier is on the disk, and the record after it may be there in
// part.
func (c Config) powerLoss(s PartitionState, set ReplicaSet, yield partitionTake) {
	t := c.crash(s, set)
	t.PowerFailed = true
	if len(c.Policies) > 0 && c.Policies[len(c.Policies)-1] == Replicated {
		t.InDoubt |= set
	}
	if t.InDoubt.size() >= c.quorumMajority() {
		t.Excused = s.Operations
	}
	c.eachLoss(&s, 0, PartitionAction{Kind: PowerLoss, Members: set}, t, yield)
}

// eachLoss decides what becomes of the replicas from r on.
func (c Config) eachLoss(
	s *PartitionState, r int, a PartitionAction, t PartitionState, yield partitionTake,
) {
	switch {
	case r == c.N:
		yield(a, t)
		return
	case !a.Members.has(r):
		c.eachLoss(s, r+1, a, t, yield)
		return
	}
	for keep := uint8(0); keep <= s.Written[r]; keep++ {
		if !c.mayKeep(s, r, keep) {
			continue
		}
		a.Keep[r] = keep
		t.Log[r] = s.Log[r].prefix(keep)
		t.Written[r] = keep
		if keep >= s.Published[r] {
			c.eachLoss(s, r+1, a, t, yield)
		}
		if keep < s.Written[r] { // The next record is torn, those behind it are whole.
			torn := a
			torn.Torn |= 1 << r
			t.Log[r] = s.Log[r].prefix(s.Written[r])
			t.Log[r].Prepares[keep] = 0
			t.Written[r] = s.Written[r]
			c.eachLoss(s, r+1, torn, t, yield)
		}
	}
}

// mayKeep reports whether a power loss can leave just so many whole records: the flush
// covered the others, or (a mutant) left the next one out.
func (c Config) mayKeep(s *PartitionState, r int, keep uint8) bool {
	if keep >= s.Published[r] {
		return true
	}
	next := s.Log[r].Prepares[keep]
	return c.has(FlushSkipsReplicated) && next != 0 && s.group(next) == Replicated
}

// recovered is PartitionLog!Recovered: adopt what verifies, cut at the first record that
// does not (R14).
func (c Config) recovered(l PrepareLog, frontier uint8) PrepareLog {
	switch {
	case c.has(TruncateToFrontier):
		return l.prefix(frontier)
	case c.has(AdoptTorn):
		return l.prefix(l.torn() + 1)
	case c.has(AdoptPastHole):
		var kept PrepareLog
		for _, p := range l.records() {
			if p != 0 {
				kept.add(p)
			}
		}
		return kept
	}
	return l.prefix(l.torn())
}

// restart is PartitionLog!Restart: the replicas that are down boot, and adopt the log of
// each group that has a primary. That ends doubt (R15).
func (c Config) restart(s PartitionState, take partitionTake) {
	if s.Up == c.all() {
		return
	}
	t := s
	t.Up = c.all()
	for r := range c.N {
		if s.Up.has(r) {
			continue
		}
		l := c.recovered(s.Log[r], s.Published[r])
		for _, g := range c.Policies {
			if c.led(&s, g) {
				l = c.adopt(&s, l, g, int(s.Primary[g-1]))
				t.LogView[r][g-1] = s.LogView[s.Primary[g-1]][g-1]
			}
		}
		t.Log[r], t.Written[r], t.Published[r] = l, l.Len, l.Len
	}
	for _, g := range c.Policies {
		if g == Replicated && c.led(&s, g) {
			t.InDoubt &= s.Up
		}
	}
	take(PartitionAction{Kind: Restart}, t)
}
