package merging

import (
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
	"github.com/viewstamp/viewstamp/model/merge"
)

// Case is one merge: the votes of some replicas of a group, one of each, at least one.
type Case struct {
	Replicas int
	Policy   merge.Policy
	Votes    []merge.Vote
	// Held tells for an op and the view that created it whether the new primary has the body.
	Held func(op, view uint8) bool
}

// Decider is the production side, so that one with a defect can be seen to be found.
type Decider func(vsr.Votes) vsr.Merge

// Compare has both sides decide. It returns how they differ, or nothing.
func Compare(c Case, decide Decider) string {
	want := merge.NewRules(c.Replicas, c.Policy).Decide(c.Votes, c.Held)
	got := decide(votesOf(c))
	switch {
	case got.Outcome.String() != want.Outcome.String():
		return fmt.Sprintf("outcome %s: expected %s", got.Outcome, want.Outcome)
	case want.Outcome == merge.AwaitingQuorum:
		return ""
	case len(got.Headers) != int(want.Kept):
		return fmt.Sprintf("log of %d ops: expected %d", len(got.Headers), want.Kept)
	case got.Commit != wire.Op(want.Commit):
		return fmt.Sprintf("commit %d: expected %d", got.Commit, want.Commit)
	}
	for i := range got.Headers {
		if got.Headers[i].ID() != idOf(i, want.Headers[i]) {
			return fmt.Sprintf("op %d of view %d: expected view %d", i+1, got.Headers[i].View,
				want.Headers[i])
		}
	}
	var open []int
	for _, op := range got.Open {
		open = append(open, int(op))
	}
	if !slices.Equal(open, want.Open.Ops()) {
		return fmt.Sprintf("open ops %v: expected %v", open, want.Open.Ops())
	}
	return ""
}

func votesOf(c Case) vsr.Votes {
	policy := vsr.PolicyPersisted
	if c.Policy == merge.Replicated {
		policy = vsr.PolicyReplicated
	}
	out := vsr.Votes{
		Quorums: vsr.QuorumsOf(c.Replicas), Replicas: c.Replicas, Policy: policy,
		Held: func(id wire.PrepareID) bool {
			return c.Held(uint8(id.Op), uint8(id.Checksum.Hi))
		},
	}
	for i := range c.Votes {
		out.Votes = append(out.Votes, voteOf(&c.Votes[i]))
	}
	return out
}

func voteOf(v *merge.Vote) *wire.DoViewChange {
	n := int(v.Log.Length)
	out := &wire.DoViewChange{
		Replica: wire.ReplicaID(v.Replica), LogView: wire.View(v.LogView),
		Commit: wire.Op(v.Commit), Untrusted: !v.Trusted,
		Present: wire.NewBits(n), Nack: wire.NewBits(n), Faulty: wire.NewBits(n),
	}
	for i := range n {
		id := idOf(i, v.Log.Headers[i])
		out.Headers = append(out.Headers, wire.PrepareHeader{
			Op: id.Op, Checksum: id.Checksum, View: wire.View(v.Log.Headers[i]),
		})
		out.Present[i] = v.Log.Bodies[i] == merge.Stored
		out.Nack[i] = v.Log.Bodies[i] == merge.Hollow
		out.Faulty[i] = v.Log.Bodies[i] == merge.Faulty
	}
	return out
}

// idOf is the identity of the op at a position of a log: in the model an op and the view that
// created it are a prepare's checksum.
func idOf(position int, view uint8) wire.PrepareID {
	op := wire.Op(position + 1)
	return wire.PrepareID{Op: op, Checksum: wire.Checksum{Lo: uint64(op), Hi: uint64(view)}}
}
