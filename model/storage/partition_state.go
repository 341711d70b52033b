package storage

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// PrepareLog is the log of one replica: prepares by their numbers, oldest first.
// Equal numbers stand for equal checksums.
type PrepareLog struct {
	Len      uint8
	Prepares [OpMax]uint8
}

// add appends a prepare.
func (l *PrepareLog) add(prepare uint8) {
	l.Prepares[l.Len] = prepare
	l.Len++
}

// cut drops all but the first n prepares. What is beyond Len stays zero, so that
// equal logs are equal values.
func (l *PrepareLog) cut(n uint8) {
	for i := n; i < l.Len; i++ {
		l.Prepares[i] = 0
	}
	l.Len = min(l.Len, n)
}

// prefix returns the prepares among the first n, as a set.
func (l *PrepareLog) prefix(n uint8) PrepareSet {
	var set PrepareSet
	for _, p := range l.Prepares[:min(n, l.Len)] {
		set |= 1 << p
	}
	return set
}

// all returns the prepares of the log, as a set: PartitionLog!Prepares.
func (l *PrepareLog) all() PrepareSet { return l.prefix(l.Len) }

// PrepareSet is a set of prepares; bit p is prepare p.
type PrepareSet uint16

// minus returns what is in s and not in t.
func (s PrepareSet) minus(t PrepareSet) PrepareSet { return s &^ t }

// ReplicaSet is a set of replicas; bit r is replica r.
type ReplicaSet uint8

// has reports whether r is in the set.
func (s ReplicaSet) has(r int) bool { return s&(1<<r) != 0 }

// size is the number of replicas in the set.
func (s ReplicaSet) size() int { return bits.OnesCount8(uint8(s)) }

// PartitionState is a state of PartitionLog.tla, field by field. Replica r uses
// element r of the arrays; those from N on stay zero. It is a value: assignment
// copies it.
type PartitionState struct {
	// N is the constant, kept here so that a state can be printed on its own.
	N uint8
	// Log is what each replica holds, at any depth.
	Log [ReplicasMax]PrepareLog
	// Written is the length of the prefix handed to the operating system.
	Written [ReplicasMax]uint8
	// Published is the length of the prefix below the published frontier.
	Published [ReplicasMax]uint8
	// Torn holds the replicas whose last record fails to verify.
	Torn ReplicaSet
	// Primary is the primary, or N between a crash and the election (Down).
	Primary uint8
	// Operations counts the prepares made, Crashes the crashes of the cluster.
	Operations, Crashes uint8
	// Acknowledged are the prepares that a quorum held at once.
	Acknowledged PrepareSet
	// OSQuorum are those that a quorum had written, since the last power loss.
	OSQuorum PrepareSet
	// SyncedQuorum are those that a quorum had published.
	SyncedQuorum PrepareSet
}

// down reports whether no primary is elected: PartitionLog!Down.
func (s *PartitionState) down() bool { return s.Primary == s.N }

// appendKey appends a compact injective encoding of the state.
func (s PartitionState) appendKey(dst []byte) []byte {
	for r := range int(s.N) {
		l := s.Log[r]
		dst = append(dst, l.Len)
		dst = append(dst, l.Prepares[:l.Len]...)
		dst = append(dst, s.Written[r], s.Published[r])
	}
	dst = append(dst, byte(s.Torn), s.Primary, s.Operations, s.Crashes)
	for _, set := range []PrepareSet{s.Acknowledged, s.OSQuorum, s.SyncedQuorum} {
		dst = append(dst, byte(set), byte(set>>8))
	}
	return dst
}

// appendCanonical appends the canonical text of the state (see the package comment).
func (s PartitionState) appendCanonical(dst []byte) []byte {
	field := func(name, value string) {
		dst = append(dst, '"')
		dst = append(dst, name...)
		dst = append(dst, '"', ':')
		dst = append(dst, value...)
		dst = append(dst, ',')
	}
	dst = append(dst, '[')
	for _, f := range s.fields() { // In the order of their names.
		field(f.name, f.value)
	}
	dst[len(dst)-1] = ']'
	return dst
}

type namedValue struct{ name, value string }

// fields returns the variables in the order of their names, as canonical text.
func (s PartitionState) fields() []namedValue {
	return []namedValue{
		{"acknowledged", canonicalPrepares(s.Acknowledged)},
		{"crashes", strconv.Itoa(int(s.Crashes))},
		{"log", s.perReplica(func(r int) string { return canonicalLog(s.Log[r]) })},
		{"operations", strconv.Itoa(int(s.Operations))},
		{"os_quorum", canonicalPrepares(s.OSQuorum)},
		{"primary", strconv.Itoa(int(s.Primary))},
		{"published", s.perReplica(func(r int) string { return strconv.Itoa(int(s.Published[r])) })},
		{"synced_quorum", canonicalPrepares(s.SyncedQuorum)},
		{"torn", s.perReplica(func(r int) string { return canonicalBool(s.Torn.has(r)) })},
		{"written", s.perReplica(func(r int) string { return strconv.Itoa(int(s.Written[r])) })},
	}
}

// format returns the state as lines "name = value" for people: one line a replica,
// and then what is promised.
func (s PartitionState) format() []string {
	lines := make([]string, 0, int(s.N)+4)
	for r := range int(s.N) {
		torn := ""
		if s.Torn.has(r) {
			torn = " torn"
		}
		l := s.Log[r]
		lines = append(lines, fmt.Sprintf("r%d = log %v written=%d published=%d%s",
			r, l.Prepares[:l.Len], s.Written[r], s.Published[r], torn))
	}
	primary := "none"
	if !s.down() {
		primary = fmt.Sprintf("r%d", s.Primary)
	}
	return append(lines,
		"primary = "+primary,
		"acknowledged = "+canonicalPrepares(s.Acknowledged),
		"os_quorum = "+canonicalPrepares(s.OSQuorum),
		"synced_quorum = "+canonicalPrepares(s.SyncedQuorum))
}

// perReplica is the canonical text of a function on the replicas.
func (s PartitionState) perReplica(value func(r int) string) string {
	return canonicalFunction(0, int(s.N), value)
}

// canonicalFunction is the canonical text of a function on from, ..., from+n-1, which
// must be below 10: text order is then number order.
func canonicalFunction(from, n int, value func(i int) string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(from + i))
		b.WriteByte(':')
		b.WriteString(value(i))
	}
	b.WriteByte(']')
	return b.String()
}

func canonicalLog(l PrepareLog) string {
	return canonicalFunction(1, int(l.Len), func(i int) string {
		return strconv.Itoa(int(l.Prepares[i]))
	})
}

func canonicalPrepares(set PrepareSet) string { return canonicalBits(uint16(set)) }

func canonicalReplicas(set ReplicaSet) string { return canonicalBits(uint16(set)) }

func canonicalBits(set uint16) string {
	var members []string
	for i := range 16 {
		if set&(1<<i) != 0 {
			members = append(members, strconv.Itoa(i))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func canonicalBool(b bool) string {
	if b {
		return "T"
	}
	return "F"
}
