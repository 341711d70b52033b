package merge_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/viewstamp/viewstamp/model/merge"
)

// The table of MergeVote.tla, which design.md section 2 gives as formulas.
func TestQuorumsOfOneToSevenReplicas(t *testing.T) {
	t.Parallel()
	for replicas, want := range map[int]merge.Quorums{
		1: {Replication: 1, ViewChange: 1, Nack: 1},
		2: {Replication: 2, ViewChange: 2, Nack: 1},
		3: {Replication: 2, ViewChange: 2, Nack: 2},
		4: {Replication: 2, ViewChange: 3, Nack: 3},
		5: {Replication: 3, ViewChange: 3, Nack: 3},
		6: {Replication: 3, ViewChange: 4, Nack: 4},
		7: {Replication: 3, ViewChange: 5, Nack: 5},
	} {
		assert.Equal(t, want, merge.QuorumsOf(replicas), "%d replicas", replicas)
		assert.Greater(t, want.Replication+want.ViewChange, replicas, "they must meet")
		assert.Equal(t, replicas+1, want.Replication+want.Nack, "a nack quorum leaves no quorum")
	}
}

// logOf is a log of one view with those bodies.
func logOf(view uint8, bodies ...merge.Body) merge.Log {
	var log merge.Log
	for i, body := range bodies {
		log.Headers[i], log.Bodies[i] = view, body
	}
	log.Length = uint8(len(bodies))
	return log
}

// vote is a trusted vote.
func vote(replica, logView uint8, log merge.Log) merge.Vote {
	return merge.Vote{Replica: replica, LogView: logView, Trusted: true, Log: log}
}

// One row for each cell of the table in MergeVote.tla: what a vote says about entry
// <<1, view 1>> of the canonical log.
func TestWhatAVoteSaysAboutACanonicalOp(t *testing.T) {
	t.Parallel()
	proves, nacks := merge.Saying{Proves: true}, merge.Saying{Nacks: true}
	knowsLoss, nothing := merge.Saying{KnowsLoss: true}, merge.Saying{}
	rules := merge.NewRules(3, merge.Persisted)
	for _, tc := range []struct {
		name               string
		log                merge.Log
		trusted, untrusted merge.Saying
	}{
		{"the same entry with its body", logOf(1, merge.Stored), proves, proves},
		{"the op is above its head", logOf(1), nacks, nothing},
		{"another entry, stored", logOf(0, merge.Stored), nacks, nothing},
		{"another entry, hollow", logOf(0, merge.Hollow), nacks, nothing},
		{"another entry, doubtful", logOf(0, merge.Doubtful), nacks, nothing},
		{"another entry, faulty", logOf(0, merge.Faulty), nacks, nothing},
		{"the same entry, hollow", logOf(1, merge.Hollow), nacks, nothing},
		{"the same entry, doubtful", logOf(1, merge.Doubtful), nothing, nothing},
		{"the same entry, faulty", logOf(1, merge.Faulty), knowsLoss, knowsLoss},
	} {
		for _, logView := range []uint8{0, 1, 2} { // It does not matter.
			v := vote(0, logView, tc.log)
			assert.Equal(t, tc.trusted, rules.WhatVoteSays(&v, 1, 1), tc.name)
			v.Trusted = false
			assert.Equal(t, tc.untrusted, rules.WhatVoteSays(&v, 1, 1), "untrusted: "+tc.name)
		}
	}
}

// Each way to a fate, for three replicas: two nacks drop, two losses block.
func TestFateOfAnOp(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		policy   merge.Policy
		evidence merge.Evidence
		want     merge.Fate
	}{
		"some vote proves it": {
			merge.Persisted, merge.Evidence{Votes: 3, Proofs: 1, Nacks: 2}, merge.Keep,
		},
		"some vote knows that it is committed": {
			merge.Persisted, merge.Evidence{Votes: 3, Committed: true, Nacks: 2}, merge.Keep,
		},
		"the new primary has fetched it": {
			merge.Persisted, merge.Evidence{Votes: 3, Held: true, Nacks: 2}, merge.Keep,
		},
		"a nack quorum drops it": {
			merge.Persisted, merge.Evidence{Votes: 2, Nacks: 2}, merge.Drop,
		},
		"one nack leaves it open": {
			merge.Replicated, merge.Evidence{Votes: 2, Nacks: 1, Rotten: 1}, merge.Open,
		},
		"replicated: all votes and no body, one copy known to be lost": {
			merge.Replicated, merge.Evidence{Votes: 3, Nacks: 1, Rotten: 1}, merge.Drop,
		},
		"replicated: a replication quorum knows its loss": {
			merge.Replicated, merge.Evidence{Votes: 3, Nacks: 1, Rotten: 2}, merge.Open,
		},
		"persisted: all votes and no body": {
			merge.Persisted, merge.Evidence{Votes: 3, Nacks: 1, Rotten: 1}, merge.Open,
		},
		"persisted: all votes in doubt": {
			merge.Persisted, merge.Evidence{Votes: 3}, merge.Open,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, merge.NewRules(3, tc.policy).Fate(tc.evidence))
		})
	}
}

func TestOutcomeOfASetOfVotes(t *testing.T) {
	t.Parallel()
	stored, faulty := logOf(0, merge.Stored), logOf(0, merge.Faulty)
	untrusted := func(v merge.Vote) merge.Vote { v.Trusted = false; return v }
	for name, tc := range map[string]struct {
		votes []merge.Vote
		held  []uint8
		want  merge.Outcome
		kept  uint8
		open  []int
	}{
		"one vote is no quorum": {
			votes: []merge.Vote{vote(1, 0, stored)}, want: merge.AwaitingQuorum, kept: 1,
		},
		"nor is one beside an untrusted one": {
			votes: []merge.Vote{vote(1, 0, stored), untrusted(vote(2, 0, stored))},
			want:  merge.AwaitingQuorum, kept: 1,
		},
		"an untrusted vote proves and gives headers": {
			votes: []merge.Vote{
				vote(0, 0, logOf(0)), vote(1, 0, logOf(0)), untrusted(vote(2, 1, logOf(1, merge.Stored))),
			},
			want: merge.Ready, kept: 1,
		},
		"a rotten copy waits for a body or the last vote": {
			votes: []merge.Vote{vote(1, 0, faulty), vote(2, 0, logOf(0))},
			want:  merge.AwaitingRepair, kept: 1, open: []int{1},
		},
		"the body was fetched meanwhile": {
			votes: []merge.Vote{vote(1, 0, faulty), vote(2, 0, logOf(0))}, held: []uint8{1},
			want: merge.Ready, kept: 1,
		},
		"all have voted and nobody knows": {
			votes: []merge.Vote{vote(0, 0, faulty), vote(1, 0, faulty), vote(2, 0, logOf(0))},
			want:  merge.Blocked, kept: 1, open: []int{1},
		},
		"a nack quorum drops the op and all above": {
			votes: []merge.Vote{vote(1, 1, logOf(0, merge.Hollow, merge.Stored)), vote(2, 0, logOf(0))},
			want:  merge.Ready, kept: 0,
		},
		"a higher log view beats a longer log": {
			votes: []merge.Vote{vote(1, 1, logOf(0)), vote(2, 0, logOf(0, merge.Stored, merge.Stored))},
			want:  merge.Ready, kept: 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := func(op, _ uint8) bool { return slices.Contains(tc.held, op) }
			d := merge.NewRules(3, merge.Persisted).Decide(tc.votes, held)
			assert.Equal(t, tc.want, d.Outcome)
			assert.Equal(t, tc.kept, d.Kept)
			assert.Equal(t, tc.open, d.Open.Ops())
		})
	}
}

// copyOf draws what a replica that stored an op may say of it later without lying.
func copyOf(t *rapid.T) (body merge.Body, trusted bool) {
	body = rapid.SampledFrom([]merge.Body{merge.Stored, merge.Faulty, merge.Doubtful}).Draw(t, "copy")
	return body, body != merge.Doubtful
}

// Whatever happens to the copies of an op that a replication quorum stored, no set of
// votes drops it under "persisted", where the nack quorum alone drops; and under
// "replicated" none does that lacks a vote.
func TestNoMergeDropsWhatAReplicationQuorumStored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, merge.ReplicasMax).Draw(t, "replicas")
		policy := rapid.SampledFrom([]merge.Policy{merge.Persisted, merge.Replicated}).Draw(t, "policy")
		rules := merge.NewRules(n, policy)
		var votes []merge.Vote
		for r := range n {
			v := vote(uint8(r), 0, logOf(0))
			if r < rules.Quorums.Replication {
				body, trusted := copyOf(t)
				v.Log, v.Trusted = logOf(0, body), trusted
			} else if rapid.Bool().Draw(t, "has it too") {
				v.Log = logOf(0, rapid.SampledFrom([]merge.Body{
					merge.Stored, merge.Hollow, merge.Doubtful, merge.Faulty,
				}).Draw(t, "body"))
			}
			votes = append(votes, v)
		}
		if policy == merge.Replicated {
			votes = slices.Delete(votes, 0, 1)
		}
		votes = rapid.Permutation(votes).Draw(t, "order")
		require.Zero(t, rules.Decide(votes, nil).Dropped)
	})
}

// The decision is a function of the set of votes.
func TestTheOrderOfVotesDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, merge.ReplicasMax).Draw(t, "replicas")
		var votes []merge.Vote
		for r := range n {
			view := rapid.Uint8Range(0, 1).Draw(t, "log view")
			bodies := rapid.SliceOfN(rapid.SampledFrom([]merge.Body{
				merge.Stored, merge.Hollow, merge.Doubtful, merge.Faulty,
			}), 0, merge.OpMax).Draw(t, "bodies")
			v := vote(uint8(r), view, logOf(view, bodies...)) // One view, one log.
			v.Trusted = rapid.Bool().Draw(t, "trusted")
			votes = append(votes, v)
		}
		rules := merge.NewRules(n, merge.Replicated)
		want := rules.Decide(votes, nil)
		require.Equal(t, want, rules.Decide(rapid.Permutation(votes).Draw(t, "order"), nil))
	})
}
