package vsr

import "github.com/viewstamp/viewstamp/model/merge"

// decide is the spec's Decided: the log of a view from a quorum of votes, by the rules of
// module MergeVote (R12). The bodies of held count as proved. It also returns the canonical
// log before the cut.
func decide(c *Config, votes []*Vote, held EntrySet) (merged *Merged, canonical Log) {
	canonical = canonicalLog(c, votes)
	commit := Op(0)
	for _, vote := range votes {
		commit = max(commit, vote.Commit)
	}
	kept := Op(0)
	for _, e := range canonical {
		evidence := gather(c, votes, e)
		evidence.Committed, evidence.Held = e.Op <= commit, held.Has(e)
		if rulesOf[c.N].Fate(evidence) == merge.Drop {
			break
		}
		kept++
	}
	return &Merged{Log: canonical.upTo(kept), Commit: commit}, canonical
}

// gather counts what the votes say about an entry of the canonical log.
func gather(c *Config, votes []*Vote, e Entry) merge.Evidence {
	evidence := merge.Evidence{Votes: len(votes)}
	for _, vote := range votes {
		says := said(c, vote, e)
		if says.Proves {
			evidence.Proofs++
		}
		if says.Nacks {
			evidence.Nacks++
		}
	}
	return evidence
}

// said is what a vote says about entry e. The rule looks at one op of the vote alone, so
// it is asked about a log of that op: its header is 1 if it is e, else 2.
func said(c *Config, vote *Vote, e Entry) merge.Saying {
	const same, another = 1, 2
	one := merge.Vote{Trusted: true}
	if own, ok := vote.Log.At(e.Op); ok {
		one.Log.Length = 1
		one.Log.Headers[0], one.Log.Bodies[0] = another, merge.Hollow
		if own == e {
			one.Log.Headers[0] = same
		}
		if vote.Present.Has(own) {
			one.Log.Bodies[0] = merge.Stored
		}
	}
	return rulesOf[c.N].WhatVoteSays(&one, 1, same)
}

// canonicalLog is MergeVote!Canonical: the longest log of the highest log view. Equal
// ranks mean equal logs, since a view has one primary. Mutant longest_log takes the
// longest of all, merge_resurrects appends what that one has beyond.
func canonicalLog(c *Config, votes []*Vote) Log {
	best, long := votes[0], votes[0]
	for _, vote := range votes[1:] {
		head := vote.Log.Head()
		if vote.LogView > best.LogView || vote.LogView == best.LogView && head > best.Log.Head() {
			best = vote
		}
		if head > long.Log.Head() || head == long.Log.Head() && vote.LogView < long.LogView {
			long = vote
		}
	}
	log := best.Log
	if c.bug(LongestLog) {
		log = long.Log
	}
	if c.bug(MergeResurrects) {
		log = append(log[:len(log):len(log)], long.Log.above(log.Head())...)
	}
	return log
}
