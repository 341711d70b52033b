// Package merge is the reference model of the merge of a view change: Merge.tla in Go,
// as a model that package explore can search. It has the module's initial state, actions,
// mutants and invariants, and at equal bounds the same labelled state graph.
//
// # What it owns
//
// The rules of a merge as pure functions ([Rules]): what one vote says about one op
// ([Rules.WhatVoteSays]), what all say together ([Evidence], [Rules.Fate]), and what a
// set of votes comes to ([Rules.Decide]). They are MergeVote.tla, and any other
// implementation of R12 can be compared with them.
//
// Around them the model: the state ([State]) with its canonical text, and the actions
// with their labels ([Action]) that lead to votes and from them, under rot, restarts
// with a trusted and with an untrusted log, and wiped disks, for groups of two to five.
// [ActionCalls] lists every action with its TLA+ call, so that a wrapper module can make
// TLC write the same labels.
//
// # What it never does
//
// It knows no checkpoint, no client table and no bytes: an entry is an op and the view
// that created it, and that is its checksum. It imports no package under impl.
//
// # Invariants
//
//   - CommittedKept: what was committed is in the log of each view that starts later.
//   - OneCommit: an op is committed with one entry.
//   - NackTrue: a vote nacks no op whose acknowledgement by the voter a commit counted.
//   - NoBlock: were all replicas to vote now, each op would be decided.
//   - NoWait: a parked primary is not kept waiting by a merge of fewer votes than it has.
//   - PrimaryWhole: a primary starts with a body for each op.
//   - BodyTrue: a body is the one that its header names.
//   - LogMatching: an entry determines what lies below it.
//   - KnownKept: no merge drops what its votes know to be committed.
//   - QuorumDecides: where nothing was lost, any quorum decides each op.
//
// TypeOK is about the module itself.
//
// # Labels and canonical text
//
// A label is the action as the module calls it, without spaces: MergeVotes(1,{0,1}).
//
// A canonical text is that of a TLA+ value: a record or function is [key:value,...]
// sorted by the text of the key, a sequence is a function on 1 to n, a set is {...}
// sorted by the texts of its elements, a truth value is T or F.
package merge
