package merging

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/merge"
)

var bodies = []merge.Body{merge.Stored, merge.Hollow, merge.Doubtful, merge.Faulty}

// logOf is a log whose entries were created in these views, with all its bodies stored.
func logOf(views ...uint8) merge.Log {
	var l merge.Log
	for i, v := range views {
		l.Headers[i], l.Bodies[i] = v, merge.Stored
	}
	l.Length = uint8(len(views))
	return l
}

// prefixes are all logs that a replica may have of a view's log: shorter, with any bodies.
func prefixes(whole merge.Log) []merge.Log {
	out := []merge.Log{{}}
	last := out
	for i := range whole.Length {
		var longer []merge.Log
		for _, l := range last {
			for _, b := range bodies {
				next := l
				next.Headers[i], next.Bodies[i], next.Length = whole.Headers[i], b, i+1
				longer = append(longer, next)
			}
		}
		out, last = append(out, longer...), longer
	}
	return out
}

// votesFor are all votes of a replica whose log is part of one of these, the position being
// the log view.
func votesFor(replica uint8, logs []merge.Log) []merge.Vote {
	var out []merge.Vote
	for logView, whole := range logs {
		for _, l := range prefixes(whole) {
			for commit := range l.Length + 1 {
				for _, trusted := range []bool{false, true} {
					out = append(out, merge.Vote{
						Replica: replica, LogView: uint8(logView), Commit: commit,
						Trusted: trusted, Log: l,
					})
				}
			}
		}
	}
	return out
}

func nothing(uint8, uint8) bool { return false }

func decide(v vsr.Votes) vsr.Merge { return v.Decide() }

// logsOfTwoViews are what views 0 and 1 may have as their logs, two ops each.
var logsOfTwoViews = [][]merge.Log{
	{logOf(0, 0), logOf(0, 0)}, {logOf(0, 0), logOf(0, 1)}, {logOf(0, 0), logOf(1, 1)},
}

func TestEachPairOfVotesIsMergedAsTheModelSays(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, logs := range logsOfTwoViews {
		first, second := votesFor(0, logs), votesFor(1, logs)
		for i := range first {
			for j := range second {
				for _, replicas := range []int{2, 3} {
					c := Case{
						Replicas: replicas, Policy: merge.Policy(1 + (i+j)%2),
						Votes: []merge.Vote{first[i], second[j]}, Held: nothing,
					}
					require.Empty(t, Compare(c, decide), "%+v", c.Votes)
					compared++
				}
			}
		}
	}
	require.Equal(t, 3*228*228*2, compared)
}

// randomCase draws votes of one to all replicas of a group of up to seven.
func randomCase(r *rand.Rand) Case {
	var logs []merge.Log
	for view := range uint8(4) {
		created := make([]uint8, r.IntN(merge.OpMax+1))
		for i := range created {
			created[i] = uint8(r.IntN(int(view) + 1))
			if i > 0 {
				created[i] = max(created[i], created[i-1])
			}
		}
		logs = append(logs, logOf(created...))
	}
	c := Case{Replicas: 1 + r.IntN(7), Policy: merge.Policy(1 + r.IntN(2))}
	voters := r.Perm(c.Replicas)[:1+r.IntN(c.Replicas)]
	for _, replica := range voters {
		view := r.IntN(len(logs))
		l := logs[view]
		length := uint8(r.IntN(int(l.Length) + 1))
		vote := merge.Vote{
			Replica: uint8(replica), LogView: uint8(view), Trusted: r.IntN(4) > 0,
			Commit: uint8(r.IntN(int(length) + 1)),
		}
		if r.IntN(2) == 0 {
			vote.Commit = 0
		}
		for i := range length {
			vote.Log.Headers[i], vote.Log.Bodies[i] = l.Headers[i], bodies[r.IntN(len(bodies))]
		}
		vote.Log.Length = length
		c.Votes = append(c.Votes, vote)
	}
	held := r.Uint64()
	c.Held = func(op, view uint8) bool {
		return held>>(op*4+view)&1 == 1 && held>>60 == 0
	}
	return c
}

func TestRandomVotesOfUpToSevenReplicasAreMergedAsTheModelSays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2)) //nolint:forbidigo // the seed
	outcomes := map[vsr.Outcome]int{}
	for range 200_000 {
		c := randomCase(r)
		require.Empty(t, Compare(c, decide), "%d replicas, policy %s, %+v", c.Replicas, c.Policy,
			c.Votes)
		outcomes[votesOf(c).Decide().Outcome]++
	}
	for o := vsr.OutcomeAwaitingQuorum; o <= vsr.OutcomeBlocked; o++ {
		require.Greater(t, outcomes[o], 1000, "%s", o)
	}
}

func TestAMergeWithADefectIsFound(t *testing.T) {
	t.Parallel()
	for name, defect := range map[string]Decider{
		"untrusted votes make up a quorum": func(v vsr.Votes) vsr.Merge {
			return changed(v, func(vote *wire.DoViewChange) { vote.Untrusted = false })
		},
		"a faulty body is nacked": func(v vsr.Votes) vsr.Merge {
			return changed(v, func(vote *wire.DoViewChange) {
				for i := range vote.Faulty {
					vote.Nack[i] = vote.Nack[i] || vote.Faulty[i]
				}
			})
		},
		"no adopted op is ever nacked": func(v vsr.Votes) vsr.Merge {
			return changed(v, func(vote *wire.DoViewChange) { clear(vote.Nack) })
		},
		"the merged commit protects nothing": func(v vsr.Votes) vsr.Merge {
			return changed(v, func(vote *wire.DoViewChange) { vote.Commit = 0 })
		},
		"one nack too few drops": func(v vsr.Votes) vsr.Merge {
			v.Quorums.Nack--
			return v.Decide()
		},
		"persisted drops as the last resort": func(v vsr.Votes) vsr.Merge {
			v.Policy = vsr.PolicyReplicated
			return v.Decide()
		},
		"what was fetched proves nothing": func(v vsr.Votes) vsr.Merge {
			v.Held = func(wire.PrepareID) bool { return false }
			return v.Decide()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(3, 4)) //nolint:forbidigo // the seed
			for range 20_000 {
				if Compare(randomCase(r), defect) != "" {
					return
				}
			}
			t.Fatal("20,000 merges and no difference")
		})
	}
}

func changed(v vsr.Votes, change func(*wire.DoViewChange)) vsr.Merge {
	for _, vote := range v.Votes {
		change(vote)
	}
	return v.Decide()
}
