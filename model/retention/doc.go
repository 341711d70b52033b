// Package retention is the reference model of what a partition makes of its log: Retention.tla
// in Go, as a model that package explore can search. It has the module's initial state,
// actions, mutants and invariants, and at equal bounds the same labelled state graph.
//
// # What it owns
//
// Offsets, segments and the start of the log as a function of the committed ops (R5): sends,
// retention, truncations, purges, and the offsets that consumers store. What of it replica 0
// has in files, and what a checkpoint and a restart do to that (R17). What a poll returns
// (R19). The state ([State]) with its canonical text, the actions with their labels
// ([Action]), the invariants and the goals. [ActionCalls] lists every action with its TLA+
// call, so that a wrapper module can make TLC write the same labels.
//
// # What it never does
//
// It knows no views, no network and no client: any op may commit at any time, any number of
// times. A batch is one message. It imports no package under impl.
//
// # Invariants
//
//   - MachinesEqual: at equal ops machines are equal, also those of checkpoints.
//   - OffsetsDense: a message's offset is the number of messages before it.
//   - DroppedAsAsked: a message goes because an op says so.
//   - NewestStays: only a purge drops the newest message.
//   - UnreadStays: retention that holds drops nothing unread.
//   - StoredReal: a stored offset is that of a message that was there.
//   - AdvanceKept: nothing but a request of its own moves a consumer back.
//   - FilesAsCounted: files are cut as ops count segments.
//   - NoneMissing: what is kept can be read.
//   - PollRight: a poll returns all that is kept from its offset on, and nothing else.
//
// # Labels and canonical text
//
// A label is the action as the module calls it, without spaces and quotes: CommitOp(purge,0,1).
//
// A canonical text is that of a TLA+ value: a record or function is [key:value,...]
// sorted by the text of the key, a sequence is a function on 1 to n, a set is {...}
// sorted by the texts of its elements.
package retention
