package vsr

import (
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Policy is what an acknowledgement promises. It decides what a merge may drop when every
// replica has voted and nobody has the body (R12).
type Policy uint8

// The policies.
const (
	// PolicyPersisted: a replication quorum has flushed the prepare to disk.
	PolicyPersisted Policy = iota + 1
	// PolicyReplicated: a replication quorum has handed it to its operating system.
	PolicyReplicated
)

// Outcome is what a set of votes comes to (R12; spec MergeVote Outcome).
type Outcome uint8

// The outcomes.
const (
	// OutcomeAwaitingQuorum: the votes decide nothing yet.
	OutcomeAwaitingQuorum Outcome = iota + 1
	// OutcomeAwaitingRepair: an op is open; a body from any live replica keeps it, further
	// votes may drop it.
	OutcomeAwaitingRepair
	// OutcomeReady: each op of the log is decided.
	OutcomeReady
	// OutcomeBlocked: all have voted and an op is still open. A person must decide.
	OutcomeBlocked
)

var outcomeNames = [...]string{
	OutcomeAwaitingQuorum: "AwaitingQuorum", OutcomeAwaitingRepair: "AwaitingRepair",
	OutcomeReady: "Ready", OutcomeBlocked: "Blocked",
}

// String returns the name as in the specification.
func (o Outcome) String() string {
	if o >= 1 && int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "invalid"
}

// Votes are what a merge decides from: the votes held, in any order, one of each voter.
type Votes struct {
	Votes   []*wire.DoViewChange
	Quorums Quorums
	// Replicas is the size of the group, 1 to 7.
	Replicas int
	Policy   Policy
	// Held reports whether the new primary holds a body by now, whatever its vote said.
	Held func(wire.PrepareID) bool
	// longest breaks the rule that the log view counts first: [DefectLongestLog].
	longest bool
}

// Merge is what a set of votes decides.
type Merge struct {
	Outcome Outcome
	// Headers is the log above Base. It is nil while the outcome is AwaitingQuorum.
	Headers []wire.PrepareHeader
	// Base is the identity of the op below Headers; zero if they begin at op 1.
	Base wire.PrepareID
	// Commit is the highest commit number of the votes.
	Commit wire.Op
	// Open are the ops of Headers of which no vote has the body and which too few nack,
	// ascending.
	Open []wire.Op
}

// Decide is the merge of a view change (R12, R15). The canonical log is the longest of the
// highest log view among all votes, trusted or not. Upwards from the merged commit an op is
// kept if a vote, or the new primary, has the body; dropped with all above it by a nack
// quorum, or as the last resort; else it is open.
//
// Each vote may be a suffix of its log: what lies below is committed, so that the merged commit
// is at or above each vote's base, and only ops of which each vote speaks are decided.
//
// It is a pure function. VRR 4.2, step 3; spec MergeVote; model/merge Decide.
func (v Votes) Decide() Merge {
	if !v.haveQuorum() {
		return Merge{Outcome: OutcomeAwaitingQuorum}
	}
	canonical := v.canonical()
	m := Merge{Outcome: OutcomeReady, Headers: canonical.headers, Base: canonical.base}
	for _, vote := range v.Votes {
		m.Commit = max(m.Commit, vote.Commit)
	}
	for i := range m.Headers {
		fate := v.fate(&m.Headers[i], m.Commit)
		if fate == fateDrop {
			m.Headers = m.Headers[:i]
			break
		}
		if fate == fateOpen {
			m.Open = append(m.Open, m.Headers[i].Op)
		}
	}
	switch {
	case len(m.Open) == 0:
	case len(v.Votes) == v.Replicas:
		m.Outcome = OutcomeBlocked
	default:
		m.Outcome = OutcomeAwaitingRepair
	}
	return m
}

// haveQuorum reports whether enough trusted logs have voted, or all replicas (R15).
func (v Votes) haveQuorum() bool {
	trusted := 0
	for _, vote := range v.Votes {
		if !vote.Untrusted {
			trusted++
		}
	}
	return trusted >= v.Quorums.ViewChange || len(v.Votes) == v.Replicas
}

// canonical is the longest log of the highest log view. What two logs of one log view have in
// common is equal, so there is no tie to break.
func (v Votes) canonical() log {
	best := v.Votes[0]
	for _, vote := range v.Votes[1:] {
		newer := vote.LogView > best.LogView
		longer := logOfVote(vote).head() > logOfVote(best).head()
		if v.longest {
			newer = longer
		}
		if newer || vote.LogView == best.LogView && longer {
			best = vote
		}
	}
	return logOfVote(best)
}

type fate uint8

const (
	fateKeep fate = iota + 1
	fateDrop
	fateOpen
)

// fate decides one op of the canonical log. Spec MergeVote Fate.
func (v Votes) fate(h *wire.PrepareHeader, commit wire.Op) fate {
	id := h.ID()
	nacks, faulty := 0, 0
	proved := h.Op <= commit || v.Held(id)
	for _, vote := range v.Votes {
		says := whatVoteSays(vote, id)
		proved = proved || says.proves
		if says.nacks {
			nacks++
		}
		if says.faulty {
			faulty++
		}
	}
	lastResort := len(v.Votes) == v.Replicas && v.Policy == PolicyReplicated &&
		faulty < v.Quorums.Replication
	switch {
	case proved:
		return fateKeep
	case nacks >= v.Quorums.Nack, lastResort:
		return fateDrop
	}
	return fateOpen
}

// saying is what one vote says about one prepare; at most one holds.
type saying struct{ proves, nacks, faulty bool }

// whatVoteSays reads a vote. A trusted log nacks what it does not have: no commit can have
// counted its acknowledgement. Spec MergeVote Proves, Nacks, KnowsLoss.
func whatVoteSays(vote *wire.DoViewChange, id wire.PrepareID) saying {
	l := logOfVote(vote)
	if !l.contains(id) {
		return saying{nacks: !vote.Untrusted}
	}
	i := int(id.Op - l.base.Op - 1)
	return saying{
		proves: vote.Present.Get(i),
		nacks:  vote.Nack.Get(i) && !vote.Untrusted,
		faulty: vote.Faulty.Get(i),
	}
}
