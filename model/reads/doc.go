// Package reads is the reference model of reads that do not go through the log:
// Reads.tla in Go, as a model that package explore can search. It has the module's
// initial state, actions, mutants and invariants, and at equal bounds the same labelled
// state graph.
//
// # What it owns
//
// When a replica may answer a read, and what the answer is called (R19): the read index,
// the round of confirmations that carries the read's identity, the wait for what was
// inherited, the index that a backup asks for and then waits for itself, and local reads that
// say that they may be old. The state ([State]) with its
// canonical text, the actions with their labels ([Action]), the invariants and the
// goals. [ActionCalls] lists every action with its TLA+ call, so that a wrapper module
// can make TLC write the same labels.
//
// Replication and view change are here as far as reads can see them: a log of whole
// entries, votes, one step that merges a quorum of them and starts the view. Package vsr
// has them in full.
//
// # What it never does
//
// It has no bodies, no repair, no restart and no disk; the module's head comment gives
// the argument for each. No step looks at a clock but those of the mutant lease_by_clock.
// It imports no package under impl.
//
// # Invariants
//
//   - ReadFresh: a linearizable read shows what was acknowledged when it arrived.
//   - ReadOrder: it shows what any linearizable read had shown when it arrived.
//   - ReadReal: it shows committed ops only.
//   - SerializablePrefix: so does a local read, which may be old.
//   - NoStall: under a primary that a replication quorum follows, a read is answered.
//
// # Labels and canonical text
//
// A label is the action as the module calls it, without spaces: ConfirmView(2,1).
//
// A canonical text is that of a TLA+ value: a record or function is [key:value,...]
// sorted by the text of the key, a sequence is a function on 1 to n, a set is {...}
// sorted by the texts of its elements.
package reads
