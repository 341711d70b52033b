package storage

import (
	"math/bits"
)

// PrepareLog is the WAL of one replica: prepares by their numbers, oldest first, of all
// groups. Equal numbers stand for equal checksums; 0 is a record that fails to verify
// (PartitionLog!Torn).
type PrepareLog struct {
	Len      uint8
	Prepares [OpMax]uint8
}

// add appends a prepare.
func (l *PrepareLog) add(prepare uint8) {
	l.Prepares[l.Len] = prepare
	l.Len++
}

// records returns the records in order.
func (l *PrepareLog) records() []uint8 { return l.Prepares[:l.Len] }

// prefix returns the first n records.
func (l *PrepareLog) prefix(n uint8) PrepareLog {
	var cut PrepareLog
	for _, p := range l.Prepares[:min(n, l.Len)] {
		cut.add(p)
	}
	return cut
}

// all is PartitionLog!Prepares, as a set.
func (l *PrepareLog) all() PrepareSet {
	var set PrepareSet
	for _, p := range l.records() {
		set |= 1 << p
	}
	return set &^ 1
}

// torn is where the first record is that fails to verify, from 0; Len if none does.
func (l *PrepareLog) torn() uint8 {
	for i, p := range l.records() {
		if p == 0 {
			return uint8(i)
		}
	}
	return l.Len
}

// PrepareSet is a set of prepares; bit p is prepare p.
type PrepareSet uint16

// has reports whether p is in the set.
func (s PrepareSet) has(p uint8) bool { return s&(1<<p) != 0 }

// minus returns what is in s and not in t.
func (s PrepareSet) minus(t PrepareSet) PrepareSet { return s &^ t }

// ReplicaSet is a set of replicas; bit r is replica r.
type ReplicaSet uint8

// has reports whether r is in the set.
func (s ReplicaSet) has(r int) bool { return s&(1<<r) != 0 }

// size is the number of replicas in the set.
func (s ReplicaSet) size() int { return bits.OnesCount8(uint8(s)) }

// PartitionPrepare says of a prepare what it was made for.
type PartitionPrepare struct {
	// Group is the group, by its policy.
	Group Policy
	// Parent is the prepare of the group before it, 0 for none.
	Parent uint8
}

// PartitionState is a state of PartitionLog.tla, field by field. Replica r uses element
// r of the arrays and group g element g-1; those of no replica or group stay zero. It is
// a value: assignment copies it.
type PartitionState struct {
	// Made are the prepares ever made, Operations of them: prepare p is element p-1.
	Made       [OpMax]PartitionPrepare
	Operations uint8
	// Log is the WAL of each replica, at any depth.
	Log [ReplicasMax]PrepareLog
	// Written is the length of the prefix handed to the operating system.
	Written [ReplicasMax]uint8
	// Published is the length of the prefix below the published frontier.
	Published [ReplicasMax]uint8
	// Up are the replicas that run.
	Up ReplicaSet
	// Primary is that of each group, or N between a crash and the election (Down).
	Primary [policies]uint8
	// LogView is the election that the log of a group is of.
	LogView [ReplicasMax][policies]uint8
	// InDoubt are the replicas whose log of the replicated group may lack what they
	// acknowledged (R15).
	InDoubt ReplicaSet
	// Crashes counts the crashes; PowerFailed: one of them was a power loss.
	Crashes     uint8
	PowerFailed bool
	// PrepareOKs are the prepares that each replica acknowledged to a primary.
	PrepareOKs [ReplicasMax]PrepareSet
	// Excused: under Replicated, prepares up to this one are owed no more.
	Excused uint8
}

// group is the group of a prepare.
func (s *PartitionState) group(p uint8) Policy { return s.Made[p-1].Group }

// of is PartitionLog!Of: what the WAL of r holds of a group.
func (s *PartitionState) of(r int, g Policy) PrepareLog {
	var own PrepareLog
	for _, p := range s.Log[r].records() {
		if p != 0 && s.group(p) == g {
			own.add(p)
		}
	}
	return own
}

// led reports whether a group has a primary.
func (c Config) led(s *PartitionState, g Policy) bool { return int(s.Primary[g-1]) != c.N }

// appendKey appends a compact injective encoding of the state.
func (c Config) appendKey(dst []byte, s *PartitionState) []byte {
	dst = append(dst, s.Operations)
	for _, p := range s.Made[:s.Operations] {
		dst = append(dst, byte(p.Group)|p.Parent<<2)
	}
	for r := range c.N {
		l := s.Log[r]
		dst = append(dst, l.Len|s.Written[r]<<4)
		dst = append(dst, l.records()...)
		dst = append(dst, s.Published[r], s.LogView[r][0]|s.LogView[r][1]<<4,
			byte(s.PrepareOKs[r]), byte(s.PrepareOKs[r]>>8))
	}
	return append(dst, byte(s.Up), byte(s.InDoubt), s.Primary[0]|s.Primary[1]<<4,
		s.Crashes|flags(s.PowerFailed)<<7, s.Excused)
}
