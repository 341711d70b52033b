package vsr

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// body is what a vote says of the body of an op.
type body byte

const (
	stored   body = 's'
	hollow   body = 'h'
	doubtful body = 'd'
	faulty   body = 'f'
)

// voteOf is a vote of log view 0 whose log of view 0 has one op for each body.
func voteOf(replica wire.ReplicaID, bodies string) *wire.DoViewChange {
	n := len(bodies)
	vote := &wire.DoViewChange{
		Replica: replica, Present: wire.NewBits(n), Nack: wire.NewBits(n), Faulty: wire.NewBits(n),
	}
	for i := range bodies {
		vote.Headers = append(vote.Headers, header(wire.Op(i+1), 0))
		vote.Present[i] = body(bodies[i]) == stored
		vote.Nack[i] = body(bodies[i]) == hollow
		vote.Faulty[i] = body(bodies[i]) == faulty
	}
	return vote
}

func untrusted(vote *wire.DoViewChange) *wire.DoViewChange {
	vote.Untrusted, vote.Nack = true, wire.NewBits(len(vote.Headers))
	return vote
}

func committed(vote *wire.DoViewChange, commit wire.Op) *wire.DoViewChange {
	vote.Commit = commit
	return vote
}

func votesOf(replicas int, policy Policy, votes ...*wire.DoViewChange) Votes {
	return Votes{
		Votes: votes, Quorums: QuorumsOf(replicas), Replicas: replicas, Policy: policy,
		Held: func(wire.PrepareID) bool { return false },
	}
}

// A log of a newer log view is the log, however short (R12; mutant longest_log).
func TestMergeTakesTheNewestLogViewBeforeTheLongestLog(t *testing.T) {
	t.Parallel()
	older := voteOf(0, "ss")
	newer := voteOf(1, "s")
	older.LogView, newer.LogView = 1, 2
	for _, votes := range [][]*wire.DoViewChange{{older, newer}, {newer, older}} {
		v := votesOf(3, PolicyPersisted, votes...)
		require.Equal(t, []wire.PrepareHeader{header(1, 0)}, v.Decide().Headers)
		v.longest = true
		require.Len(t, v.Decide().Headers, 2)
	}
}

func TestMergeDecidesEachOpByWhatTheVotesSay(t *testing.T) {
	t.Parallel()
	const persisted, replicated = PolicyPersisted, PolicyReplicated
	for name, tc := range map[string]struct {
		votes   Votes
		outcome Outcome
		head    int
		open    []wire.Op
	}{
		"one vote of three decides nothing": {
			votesOf(3, persisted, voteOf(0, "s")), OutcomeAwaitingQuorum, 0, nil,
		},
		"untrusted votes make up no quorum": {
			votesOf(3, persisted, voteOf(0, "s"), untrusted(voteOf(1, "s"))),
			OutcomeAwaitingQuorum, 0, nil,
		},
		"unless all have voted": {
			votesOf(3, persisted, untrusted(voteOf(0, "s")), untrusted(voteOf(1, "s")),
				untrusted(voteOf(2, "s"))),
			OutcomeReady, 1, nil,
		},
		"a body in any vote keeps an op": {
			votesOf(3, persisted, voteOf(0, "shs"), voteOf(1, "ssh")), OutcomeReady, 3, nil,
		},
		"a nack quorum drops an op with all above it": {
			votesOf(3, persisted, voteOf(0, "shs"), voteOf(1, "shs")), OutcomeReady, 1, nil,
		},
		"a committed op is never dropped": {
			votesOf(3, persisted, committed(voteOf(0, "shh"), 2), voteOf(1, "shh")),
			OutcomeReady, 2, nil,
		},
		"a faulty body is never a nack": {
			votesOf(3, persisted, voteOf(0, "sf"), voteOf(1, "sh")),
			OutcomeAwaitingRepair, 2,
			[]wire.Op{2},
		},
		"nor is a doubtful one": {
			votesOf(3, persisted, voteOf(0, "sd"), voteOf(1, "sh")),
			OutcomeAwaitingRepair, 2,
			[]wire.Op{2},
		},
		"a further nack decides what was open": {
			votesOf(3, persisted, voteOf(0, "sf"), voteOf(1, "sh"), voteOf(2, "s")),
			OutcomeReady, 1, nil,
		},
		"an untrusted log does not nack what it lacks": {
			votesOf(3, persisted, voteOf(0, "sh"), voteOf(1, "sf"), untrusted(voteOf(2, ""))),
			OutcomeBlocked, 2,
			[]wire.Op{2},
		},
		"replicated drops as the last resort": {
			votesOf(3, replicated, voteOf(0, "sh"), voteOf(1, "sf"), untrusted(voteOf(2, ""))),
			OutcomeReady, 1, nil,
		},
		"but not what a replication quorum has lost": {
			votesOf(3, replicated, voteOf(0, "sf"), voteOf(1, "sf"), untrusted(voteOf(2, ""))),
			OutcomeBlocked, 2,
			[]wire.Op{2},
		},
		"of two replicas one nack proves that none stored it": {
			votesOf(2, persisted, voteOf(0, "sf"), voteOf(1, "sh")), OutcomeReady, 1, nil,
		},
		"a replica alone decides": {
			votesOf(1, persisted, voteOf(0, "ss")), OutcomeReady, 2, nil,
		},
		"of four, three votes and three nacks": {
			votesOf(4, persisted, voteOf(0, "sh"), voteOf(1, "s"), voteOf(3, "s")),
			OutcomeReady, 1, nil,
		},
		"of seven, four votes are no quorum": {
			votesOf(7, persisted, voteOf(0, "s"), voteOf(1, "s"), voteOf(2, "s"), voteOf(3, "s")),
			OutcomeAwaitingQuorum, 0, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := tc.votes.Decide()
			require.Equal(t, tc.outcome, m.Outcome, "%s", m.Outcome)
			require.Len(t, m.Headers, tc.head)
			require.Equal(t, tc.open, m.Open)
		})
	}
}

// A body that the new primary has fetched counts, although its vote could not say so.
func TestMergeCountsWhatWasFetchedAsProved(t *testing.T) {
	t.Parallel()
	v := votesOf(3, PolicyPersisted, voteOf(0, "sh"), voteOf(1, "sh"))
	v.Held = func(id wire.PrepareID) bool { return id == header2.ID() }
	require.Len(t, v.Decide().Headers, 2)
}

var header2 = header(2, 0)
