package storage

import (
	"math/bits"

	"github.com/viewstamp/viewstamp/model/explore"
)

// PartitionLog returns the model of PartitionLog.tla under c: durability of one
// partition's log under crashes of the whole cluster. With c.Bugs empty all
// invariants hold; each mutant breaks the one that its comment names.
//
// A configuration that Validate refuses is the caller's bug and panics.
func PartitionLog(c Config) explore.Model[PartitionState, PartitionAction] {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return explore.Model[PartitionState, PartitionAction]{
		Name:      "PartitionLog",
		Init:      func() []PartitionState { return []PartitionState{{N: uint8(c.N)}} },
		Next:      c.next,
		Key:       func(dst []byte, s PartitionState) []byte { return s.appendKey(dst) },
		Canonical: func(dst []byte, s PartitionState) []byte { return s.appendCanonical(dst) },
		Always:    c.invariants(),
		Sometimes: c.goals(),
		Format:    PartitionState.format,
	}
}

// next yields the steps out of s: PartitionLog!Next.
func (c Config) next(s PartitionState, yield func(PartitionAction, PartitionState)) {
	take := func(a PartitionAction, t PartitionState) {
		a.N = s.N
		yield(a, t)
	}
	if s.down() {
		c.electPrimary(s, take)
		return
	}
	c.appendPrepare(s, take)
	c.replicate(s, take)
	c.writeLog(s, take)
	c.publishFrontier(s, take)
	if int(s.Crashes) < c.MaxCrash {
		c.killAll(s, take)
		c.powerLoss(s, take)
	}
}

// promise is PartitionLog!Promise: what the step that led to s lets clients rely on
// (R3). Every action that can add to it ends with it.
func (c Config) promise(s *PartitionState) {
	quorumAt := func(depth func(r int) uint8) PrepareSet {
		var holders [OpMax + 1]int
		for r := range c.N {
			for set := s.Log[r].prefix(depth(r)); set != 0; set &= set - 1 {
				holders[bits.TrailingZeros16(uint16(set))]++
			}
		}
		var quorum PrepareSet
		for p, n := range holders {
			if n >= c.quorumMajority() {
				quorum |= 1 << p
			}
		}
		return quorum
	}
	held := quorumAt(func(r int) uint8 { return s.Log[r].Len })
	s.Acknowledged |= held & s.Log[s.Primary].all()
	s.OSQuorum |= quorumAt(func(r int) uint8 { return s.Written[r] }) & s.Acknowledged
	s.SyncedQuorum |= quorumAt(func(r int) uint8 { return s.Published[r] }) & s.Acknowledged
}

// appendPrepare is PartitionLog!AppendPrepare: the primary makes a prepare of the
// next request (VRR 4.1 step 2).
func (c Config) appendPrepare(s PartitionState, take func(PartitionAction, PartitionState)) {
	if int(s.Operations) == c.MaxOp {
		return
	}
	s.Operations++
	s.Log[s.Primary].add(s.Operations)
	c.promise(&s)
	take(PartitionAction{Kind: AppendPrepare}, s)
}

// replicate is PartitionLog!Replicate: a backup takes the next prepare of the
// primary (VRR 4.1 step 4).
func (c Config) replicate(s PartitionState, take func(PartitionAction, PartitionState)) {
	source := s.Log[s.Primary]
	for r := range c.N {
		if s.Log[r].Len == source.Len {
			continue
		}
		t := s
		t.Log[r].add(source.Prepares[s.Log[r].Len])
		c.promise(&t)
		take(PartitionAction{Kind: Replicate, Replica: uint8(r)}, t)
	}
}

// writeLog is PartitionLog!WriteLog: a replica hands one more record to its OS.
func (c Config) writeLog(s PartitionState, take func(PartitionAction, PartitionState)) {
	for r := range c.N {
		if s.Written[r] == s.Log[r].Len {
			continue
		}
		t := s
		t.Written[r]++
		c.promise(&t)
		take(PartitionAction{Kind: WriteLog, Replica: uint8(r)}, t)
	}
}

// publishFrontier is PartitionLog!PublishFrontier: a replica flushes what it has
// written and says so durably.
func (c Config) publishFrontier(s PartitionState, take func(PartitionAction, PartitionState)) {
	for r := range c.N {
		if s.Published[r] == s.Written[r] {
			continue
		}
		t := s
		t.Published[r] = s.Written[r]
		c.promise(&t)
		take(PartitionAction{Kind: PublishFrontier, Replica: uint8(r)}, t)
	}
}

// recoverAll is PartitionLog!RecoverAll: all replicas restart. keep[r] records are
// whole on the disk of r, and for r in tear the next one is there in part. R14:
// adopt what verifies, stop at the first record that does not.
func (c Config) recoverAll(s *PartitionState, keep [ReplicasMax]uint8, tear ReplicaSet) {
	s.Torn = 0
	for r := range c.N {
		adopted := keep[r]
		switch {
		case c.has(TruncateToFrontier):
			adopted = s.Published[r]
		case tear.has(r) && c.has(AdoptTorn):
			adopted++
			s.Torn |= 1 << r
		}
		s.Log[r].cut(adopted)
		s.Written[r] = adopted
	}
	s.Primary = s.N
	s.Crashes++
}

// killAll is PartitionLog!KillAll: SIGKILL of every replica. The page cache
// outlives the process.
func (c Config) killAll(s PartitionState, take func(PartitionAction, PartitionState)) {
	c.recoverAll(&s, s.Written, 0)
	take(PartitionAction{Kind: KillAll}, s)
}

// powerLoss is PartitionLog!PowerLoss: beyond the frontier any prefix of what was
// written is on the disk, and the record after it may be there in part.
func (c Config) powerLoss(s PartitionState, take func(PartitionAction, PartitionState)) {
	eachKeep(c.N, s.Published, s.Written, func(keep [ReplicasMax]uint8) {
		var unfinished ReplicaSet // Those that have a record to tear.
		for r := range c.N {
			if keep[r] < s.Written[r] {
				unfinished |= 1 << r
			}
		}
		for tear := range ReplicaSet(1) << c.N {
			if tear&^unfinished != 0 {
				continue
			}
			t := s
			c.recoverAll(&t, keep, tear)
			t.OSQuorum = 0
			take(PartitionAction{Kind: PowerLoss, Keep: keep, Members: tear}, t)
		}
	})
}

// electPrimary is PartitionLog!ElectPrimary: a quorum takes the longest of its logs
// and all replicas adopt it.
func (c Config) electPrimary(s PartitionState, take func(PartitionAction, PartitionState)) {
	c.eachVote(func(voters ReplicaSet, w int) {
		for r := range c.N {
			if voters.has(r) && s.Log[r].Len > s.Log[w].Len && !c.has(FirstNotLongest) {
				return
			}
		}
		t := s
		t.Primary = uint8(w)
		for r := range c.N {
			t.Log[r] = s.Log[w]
			t.Written[r] = min(s.Written[r], s.Log[w].Len)
			t.Published[r] = min(s.Published[r], s.Log[w].Len)
		}
		take(PartitionAction{Kind: ElectPrimary, Members: voters, Replica: uint8(w)}, t)
	})
}
