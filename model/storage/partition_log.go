package storage

import (
	"math/bits"

	"github.com/viewstamp/viewstamp/model/explore"
)

// PartitionLog returns the model of PartitionLog.tla under c: what the WALs of a cluster
// keep of its groups when replicas are killed or lose power. With c.Bugs empty all
// invariants hold; each mutant breaks the one that its comment names.
//
// A configuration that Validate refuses is the caller's bug and panics.
func PartitionLog(c Config) explore.Model[PartitionState, PartitionAction] {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return explore.Model[PartitionState, PartitionAction]{
		Name:      "PartitionLog",
		Init:      c.init,
		Next:      c.next,
		Key:       func(dst []byte, s PartitionState) []byte { return c.appendKey(dst, &s) },
		Canonical: func(dst []byte, s PartitionState) []byte { return c.appendCanonical(dst, &s) },
		Always:    c.invariants(),
		Sometimes: c.goals(),
		Format:    func(s PartitionState) []string { return c.format(&s) },
	}
}

// init is PartitionLog!Init.
func (c Config) init() []PartitionState { return []PartitionState{{Up: c.all()}} }

// partitionTake is how a step is handed on.
type partitionTake func(a PartitionAction, t PartitionState)

// next yields the steps out of s: PartitionLog!Next. Each but a crash ends with speaking.
func (c Config) next(s PartitionState, yield func(PartitionAction, PartitionState)) {
	spoken := func(a PartitionAction, t PartitionState) {
		c.speak(&t)
		yield(a, t)
	}
	if int(s.Crashes) < c.MaxCrash {
		for _, g := range c.Policies {
			c.appendPrepare(s, g, spoken)
			c.replicate(s, g, spoken)
		}
		c.writeLog(s, spoken)
		c.publishFrontier(s, spoken)
		for set := ReplicaSet(1); set <= s.Up; set++ {
			if set&^s.Up == 0 {
				c.kill(s, set, yield)
				c.powerLoss(s, set, yield)
			}
		}
	}
	c.restart(s, spoken)
	for _, g := range c.Policies {
		if !c.led(&s, g) {
			c.electPrimary(s, g, spoken)
		}
	}
}

// depth is PartitionLog!Depth: how much of its WAL a replica acknowledges of a group (R3).
func (c Config) depth(s *PartitionState, r int, g Policy) uint8 {
	if c.has(AcknowledgedInMemory) {
		return s.Log[r].Len
	}
	if c.has(PolicyOfFirstRecord) {
		g = Persisted
		if at := s.Published[r]; at < s.Log[r].Len && s.Log[r].Prepares[at] != 0 {
			g = s.group(s.Log[r].Prepares[at])
		}
	}
	if g == Persisted {
		return s.Published[r]
	}
	return s.Written[r]
}

// speak is PartitionLog!Speak: each replica acknowledges what it may.
func (c Config) speak(s *PartitionState) {
	for r := range c.N {
		if !s.Up.has(r) {
			continue
		}
		for i, p := range s.Log[r].records() {
			if p == 0 {
				continue
			}
			if g := s.group(p); c.led(s, g) && i < int(c.depth(s, r, g)) {
				s.PrepareOKs[r] |= 1 << p
			}
		}
	}
}

// acknowledged is PartitionLog!Acknowledged: what a quorum has acknowledged.
func (c Config) acknowledged(s *PartitionState) PrepareSet {
	var quorum PrepareSet
	for p := uint8(1); p <= s.Operations; p++ {
		holders := 0
		for _, set := range s.PrepareOKs[:c.N] {
			if set.has(p) {
				holders++
			}
		}
		if holders >= c.quorumMajority() {
			quorum |= 1 << p
		}
	}
	return quorum
}

// appendPrepare is PartitionLog!AppendPrepare: the primary makes a prepare of the next
// request (VRR 4.1 step 2).
func (c Config) appendPrepare(s PartitionState, g Policy, take partitionTake) {
	if !c.led(&s, g) || int(s.Operations) == c.MaxOp {
		return
	}
	w := int(s.Primary[g-1])
	before := s.of(w, g)
	made := PartitionPrepare{Group: g}
	if before.Len > 0 {
		made.Parent = before.Prepares[before.Len-1]
	}
	s.Made[s.Operations] = made
	s.Operations++
	s.Log[w].add(s.Operations)
	take(PartitionAction{Kind: AppendPrepare, Group: g}, s)
}

// replicate is PartitionLog!Replicate: a backup takes the next prepare of its group's
// primary (VRR 4.1 step 4).
func (c Config) replicate(s PartitionState, g Policy, take partitionTake) {
	if !c.led(&s, g) {
		return
	}
	all := s.of(int(s.Primary[g-1]), g)
	for r := range c.N {
		have := s.of(r, g)
		if !s.Up.has(r) || have.Len >= all.Len {
			continue
		}
		t := s
		t.Log[r].add(all.Prepares[have.Len])
		take(PartitionAction{Kind: Replicate, Group: g, Replica: uint8(r)}, t)
	}
}

// writeLog is PartitionLog!WriteLog: a replica hands one more record to its OS.
func (c Config) writeLog(s PartitionState, take partitionTake) {
	for r := range c.N {
		if !s.Up.has(r) || s.Written[r] == s.Log[r].Len {
			continue
		}
		t := s
		t.Written[r]++
		take(PartitionAction{Kind: WriteLog, Replica: uint8(r)}, t)
	}
}

// publishFrontier is PartitionLog!PublishFrontier: a replica flushes what it has
// written, of all groups, and says so durably.
func (c Config) publishFrontier(s PartitionState, take partitionTake) {
	for r := range c.N {
		if !s.Up.has(r) || s.Published[r] >= s.Written[r] {
			continue
		}
		t := s
		t.Published[r] = s.Written[r]
		take(PartitionAction{Kind: PublishFrontier, Replica: uint8(r)}, t)
	}
}

// adopt is PartitionLog!Adopt: what the WAL l is when it has adopted the log of g in the
// WAL of w.
func (c Config) adopt(s *PartitionState, l PrepareLog, g Policy, w int) PrepareLog {
	from := s.of(w, g)
	own := from.all()
	var kept PrepareLog
	if c.has(CutTakesOtherGroups) {
		last := uint8(0)
		for i, p := range l.records() {
			if own.has(p) {
				last = uint8(i) + 1
			}
		}
		kept = l.prefix(last)
	} else {
		for _, p := range l.records() {
			if p == 0 || s.group(p) != g || own.has(p) { // The others are void.
				kept.add(p)
			}
		}
	}
	had := kept.all()
	for _, p := range from.records() {
		if !had.has(p) {
			kept.add(p)
		}
	}
	return kept
}

// electPrimary is PartitionLog!ElectPrimary: the voters take the longest log of the
// newest log view, and all replicas that run adopt it (R12, R15).
func (c Config) electPrimary(s PartitionState, g Policy, take partitionTake) {
	var view uint8
	for r := range c.N {
		view = max(view, s.LogView[r][g-1]+1)
	}
	c.eachVote(func(voters ReplicaSet, w int) {
		if voters&^s.Up != 0 || !c.mayElect(&s, g, voters) || !c.wins(&s, g, voters, w) {
			return
		}
		t := s
		t.Primary[g-1] = uint8(w)
		for r := range c.N {
			if s.Up.has(r) {
				t.Log[r] = c.adopt(&s, s.Log[r], g, w)
				t.Written[r], t.Published[r] = t.Log[r].Len, t.Log[r].Len
				t.LogView[r][g-1] = view
			}
		}
		if g == Replicated {
			t.InDoubt &^= s.Up
		}
		take(PartitionAction{
			Kind: ElectPrimary, Group: g, Members: voters, Replica: uint8(w),
		}, t)
	})
}

// mayElect reports whether the votes make up a quorum: those of trusted logs, or all.
func (c Config) mayElect(s *PartitionState, g Policy, voters ReplicaSet) bool {
	trusted := voters
	if g == Replicated && !c.has(NackAfterRestart) {
		trusted &^= s.InDoubt
	}
	return trusted.size() >= c.quorumMajority() || voters == c.all() || c.has(OneSurvivorIsEnough)
}

// wins reports whether no voter has a better log than w (PartitionLog!AsGood).
func (c Config) wins(s *PartitionState, g Policy, voters ReplicaSet, w int) bool {
	if c.has(FirstNotLongest) {
		return true
	}
	length := func(r int) uint8 { l := s.of(r, g); return l.Len }
	for r := range c.N {
		theirs, ours := s.LogView[r][g-1], s.LogView[w][g-1]
		if voters.has(r) && (theirs > ours || theirs == ours && length(r) > length(w)) {
			return false
		}
	}
	return true
}

// eachVote calls visit with every set of replicas and each of its members.
func (c Config) eachVote(visit func(voters ReplicaSet, winner int)) {
	for voters := ReplicaSet(1); voters <= c.all(); voters++ {
		for rest := voters; rest != 0; rest &= rest - 1 {
			visit(voters, bits.TrailingZeros8(uint8(rest)))
		}
	}
}
