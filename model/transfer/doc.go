// Package transfer is the reference model of rejoin, repair of identity, release below
// checkpoints and state transfer: Transfer.tla in Go, as a model that package explore can
// search. It has the module's initial state, actions, mutants and invariants, and at
// equal bounds the same labelled state graph.
//
// # What it owns
//
// How a log with holes and released ops is prepared, committed, repaired, merged and
// adopted (R2, R5-R7, R9-R11, R13), how a checkpoint is taken and moved to a replica that
// needs what is released (R17, R21). The state ([State]) with its canonical text, the
// actions with their labels ([Action]), the invariants and the goals. [ActionCalls] lists
// every action with its TLA+ call, so that a wrapper module can make TLC write the same
// labels.
//
// [ActionKind.Fair] tells the steps that a live replica takes without anybody's leave. No
// cycle consists of them, which a test shows on whole graphs: so where the invariant
// NoStall holds, every run of fair steps under a primary that a quorum follows ends with
// all caught up.
//
// # What it never does
//
// It knows no damage and no doubt, no client table and no network: messages are read
// from the sender as it is, but for the StartView of a view's start. Headers, bodies and
// log view are durable at once. It imports no package under impl.
//
// # Invariants
//
//   - Agreement: what a replica executed, or has in a snapshot, is what was committed.
//   - NoRewind: only a restart takes commit min back.
//   - AckedDurable: a committed entry is held, or covered, by a replication quorum.
//   - LogSpeaks: the log view speaks for the log that the replica has.
//   - Bootable: a crash at any time leaves what a boot can start from.
//   - CommitKnown: what executes is known as committed, and what is known is committed.
//   - NoStall: where somebody has not caught up under a primary that a quorum follows, or
//     an elect that all can help has merged and not started, a fair step can be taken.
//
// # Entries, labels and canonical text
//
// An entry is the sequence of the views in which the ops up to it were prepared, and
// stands for its checksum. It is kept as its number in a list of all such sequences
// ([Entry]), so that sets of entries are words ([EntrySet]).
//
// A label is the action as the module calls it, without spaces:
//
//	MergeVotes(1,{1,2})
//
// A canonical text is that of a TLA+ value: a record or function is [key:value,...]
// sorted by the text of the key, a sequence is a function on 1 to n, a set is {...}
// sorted by the texts of its elements, a BOOLEAN is T or F.
package transfer
