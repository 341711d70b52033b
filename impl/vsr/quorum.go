package vsr

import "math/bits"

// Quorums are the quorum sizes of a group, in replicas.
type Quorums struct {
	// Replication: PrepareOKs, the primary's own included, that commit an op.
	Replication int
	// ViewChange: votes that decide a view's log. Any of them meets any replication quorum.
	ViewChange int
	// Nack: votes that an op was never acknowledged, which rule out that it committed (R12).
	Nack int
}

// QuorumsOf returns the quorums of n replicas, 1 to 7, as upstream has them: replication
// min(3, ceil(n/2)) and 2 for two replicas; the others n - replication + 1.
func QuorumsOf(n int) Quorums {
	if n == 2 {
		return Quorums{Replication: 2, ViewChange: 2, Nack: 1}
	}
	replication := min(3, (n+1)/2)
	return Quorums{
		Replication: replication,
		ViewChange:  n - replication + 1,
		Nack:        n - replication + 1,
	}
}

// replicaSet is a set of replicas, one bit each.
type replicaSet uint8

func (s *replicaSet) add(r uint8)     { *s |= 1 << r }
func (s replicaSet) has(r uint8) bool { return s&(1<<r) != 0 }
func (s replicaSet) count() int       { return bits.OnesCount8(uint8(s)) }

// members lists the set in ascending order.
func (s replicaSet) members() []int {
	var out []int
	for r := range 8 {
		if s.has(uint8(r)) {
			out = append(out, r)
		}
	}
	return out
}
