package merge

import (
	"fmt"
	"math/bits"
)

// Policy is what an acknowledgement promises.
type Policy uint8

// The durability policies.
const (
	// Persisted: a replication quorum has fsynced the op.
	Persisted Policy = iota + 1
	// Replicated: a replication quorum has handed it to its operating system.
	Replicated
)

// String is the policy as the module writes it.
func (p Policy) String() string {
	switch p {
	case Persisted:
		return "persisted"
	case Replicated:
		return "replicated"
	}
	return fmt.Sprintf("Policy(%d)", uint8(p))
}

// Rules are the rules of a merge in one group: MergeVote.tla.
type Rules struct {
	Replicas int
	Quorums  Quorums
	Policy   Policy

	bug bugSwitches
}

// NewRules returns the rules for a group of that many replicas, from 1.
func NewRules(replicas int, policy Policy, bugs ...Bug) Rules {
	return Rules{
		Replicas: replicas, Quorums: QuorumsOf(replicas), Policy: policy, bug: switches(bugs),
	}
}

// Fate is what becomes of an op of the canonical log.
type Fate uint8

// The fates of an op.
const (
	// Keep: it stays.
	Keep Fate = iota + 1
	// Drop: it goes, with all above it.
	Drop
	// Open: it stays if any live replica yields its body; further votes may decide.
	Open
)

// String is the fate as the module writes it.
func (f Fate) String() string {
	switch f {
	case Keep:
		return "keep"
	case Drop:
		return "drop"
	case Open:
		return "open"
	}
	return fmt.Sprintf("Fate(%d)", uint8(f))
}

// Evidence is all that decides the fate of one op of the canonical log.
type Evidence struct {
	// Committed: some vote knows that the op is committed.
	Committed bool
	// Held: the new primary holds the body by now, whatever its vote said.
	Held bool
	// Votes counts the votes, Proofs, Nacks and Rotten those that prove the body, nack
	// the op, or know that they lost the body.
	Votes, Proofs, Nacks, Rotten int
}

// Fate decides one op. R12; MergeVote!Fate.
func (r Rules) Fate(e Evidence) Fate {
	enough := r.Quorums.Nack
	if r.bug.nackQuorumMinusOne {
		enough--
	}
	switch {
	case e.Committed && !r.bug.dropBelowCommit:
		return Keep
	case e.Proofs > 0 || e.Held && !r.bug.redoForgetsFetched:
		return Keep
	case e.Nacks >= enough:
		return Drop
	case e.Votes == r.Replicas && r.lastResort(e.Rotten):
		return Drop
	case r.bug.dropWithoutNacks:
		return Drop
	}
	return Open
}

// lastResort reports whether an op that nobody can prove may be dropped once all have
// voted: MergeVote!LastResort.
func (r Rules) lastResort(rotten int) bool {
	allowed := r.Policy == Replicated && !r.bug.noLastResort || r.bug.lastResortWhenPersisted
	return allowed && (rotten < r.Quorums.Replication || r.bug.lastResortIgnoresFaulty)
}

// Outcome is what a set of votes comes to.
type Outcome uint8

// The outcomes of a merge.
const (
	// AwaitingQuorum: the votes decide nothing yet.
	AwaitingQuorum Outcome = iota + 1
	// AwaitingRepair: open ops wait, for a body from any live replica or for the votes
	// that are missing.
	AwaitingRepair
	// Ready: the log is decided. It is started once its bodies are there (R13).
	Ready
	// Blocked: all have voted and an op is still open. A person must decide.
	Blocked
)

// String is the outcome as the module writes it.
func (o Outcome) String() string {
	switch o {
	case AwaitingQuorum:
		return "AwaitingQuorum"
	case AwaitingRepair:
		return "AwaitingRepair"
	case Ready:
		return "Ready"
	case Blocked:
		return "Blocked"
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// OpSet is a set of ops: bit op-1 is op.
type OpSet uint8

func (s *OpSet) add(op uint8) { *s |= 1 << (op - 1) }

// Ops returns the members, ascending.
func (s OpSet) Ops() []int {
	var ops []int
	for rest := s; rest != 0; rest &= rest - 1 {
		ops = append(ops, bits.TrailingZeros8(uint8(rest))+1)
	}
	return ops
}

// Decision is what a set of votes decides.
type Decision struct {
	Outcome Outcome
	// Headers are the canonical headers as far as they stay, Kept their number.
	Headers [OpMax]uint8
	Kept    uint8
	// Dropped is the number of canonical ops that go.
	Dropped uint8
	// Open are the ops among the kept that wait.
	Open OpSet
	// Commit is the highest commit number that a vote knows.
	Commit uint8
}

// Decide merges votes, one of each voter, at least one. held tells for an op and view
// whether the new primary holds that body by now; nil: it holds none.
// R12, R15; MergeVote!Canonical, KeptOps, Outcome.
func (r Rules) Decide(votes []Vote, held func(op, view uint8) bool) Decision {
	var d Decision
	log := r.canonical(votes)
	for i := range votes {
		d.Commit = max(d.Commit, votes[i].Commit)
	}
	d.Kept = log.Length
	for op := uint8(1); op <= log.Length; op++ {
		e := r.gather(votes, op, log.Headers[op-1])
		e.Committed = op <= d.Commit
		e.Held = held != nil && held(op, log.Headers[op-1])
		fate := r.Fate(e)
		if fate == Drop {
			d.Kept = op - 1
			break
		}
		if fate == Open {
			d.Open.add(op)
		}
	}
	d.Dropped = log.Length - d.Kept
	log.cut(d.Kept)
	d.Headers = log.Headers
	switch {
	case !r.HasQuorum(votes):
		d.Outcome = AwaitingQuorum
	case d.Open == 0:
		d.Outcome = Ready
	case len(votes) == r.Replicas:
		d.Outcome = Blocked
	default:
		d.Outcome = AwaitingRepair
	}
	return d
}

// HasQuorum reports whether the votes decide anything: a view change quorum of trusted
// ones, or those of all replicas. MergeVote!HasQuorum.
func (r Rules) HasQuorum(votes []Vote) bool {
	trusted := 0
	for i := range votes {
		if votes[i].Trusted || r.bug.untrustedCounts {
			trusted++
		}
	}
	return trusted >= r.Quorums.ViewChange || len(votes) == r.Replicas
}

// gather counts what the votes say about one entry.
func (r Rules) gather(votes []Vote, op, view uint8) Evidence {
	e := Evidence{Votes: len(votes)}
	top := uint8(0)
	for i := range votes {
		top = max(top, votes[i].LogView)
	}
	for i := range votes {
		says := r.WhatVoteSays(&votes[i], op, view)
		if says.Proves && (votes[i].LogView == top || !r.bug.presentTopOnly) {
			e.Proofs++
		}
		if says.Nacks {
			e.Nacks++
		}
		if says.KnowsLoss {
			e.Rotten++
		}
	}
	return e
}

// canonical returns the longest log of the highest log view, without what is known of
// its bodies: MergeVote!Canonical.
func (r Rules) canonical(votes []Vote) Log {
	trustedOnly := false
	if r.bug.canonicalOfTrustedOnly {
		for i := range votes {
			trustedOnly = trustedOnly || votes[i].Trusted
		}
	}
	var best, long *Vote
	for i := range votes {
		v := &votes[i]
		if (v.Trusted || !trustedOnly) && (best == nil || v.LogView > best.LogView ||
			v.LogView == best.LogView && v.Log.Length > best.Log.Length) {
			best = v
		}
		if long == nil || v.Log.Length > long.Log.Length ||
			v.Log.Length == long.Log.Length && v.LogView < long.LogView {
			long = v
		}
	}
	if r.bug.longestIgnoresLogView {
		best = long
	}
	log := best.Log
	if r.bug.keepSuperseded && long.Log.Length > log.Length {
		copy(log.Headers[log.Length:], long.Log.Headers[log.Length:])
		log.Length = long.Log.Length
	}
	log.Bodies = [OpMax]Body{}
	return log
}
