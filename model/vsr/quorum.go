package vsr

import "github.com/viewstamp/viewstamp/model/merge"

// quorumsOf and rulesOf are the quorums and the rules of MergeVote for each number of
// replicas, the latter under "persisted".
var quorumsOf, rulesOf = func() (q [NMax + 1]merge.Quorums, r [NMax + 1]merge.Rules) {
	for n := 1; n <= NMax; n++ {
		q[n], r[n] = merge.QuorumsOf(n), merge.NewRules(n, merge.Persisted)
	}
	return q, r
}()

// Quorums are the sizes that decide in a group of these constants, in replicas: those of
// MergeVote, unless a mutant has its own.
func (c *Config) Quorums() merge.Quorums {
	q := quorumsOf[c.N]
	if c.bug(HalfIsQuorum) {
		half := (c.N + 1) / 2
		q.Replication, q.ViewChange = half, half
	}
	if c.bug(OneQuorum) {
		q.ViewChange = q.Replication
	}
	return q
}

// setsOf holds the sets of k among n replicas, ascending: setsOf[n][k].
var setsOf = func() (sets [NMax + 1][NMax + 1][]ReplicaSet) {
	for n := range sets {
		for s := ReplicaSet(0); s < 1<<n; s++ {
			sets[n][s.Len()] = append(sets[n][s.Len()], s)
		}
	}
	return sets
}()

// voterSets is the spec's Quorums: the sets of a view change quorum.
func (c *Config) voterSets() []ReplicaSet {
	return setsOf[c.N][c.Quorums().ViewChange]
}
