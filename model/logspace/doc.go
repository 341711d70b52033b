// Package logspace is the reference model of who sees to it that the log of a node has room
// again: LogSpace.tla in Go, as a model that package explore can search. It has the module's
// initial state, actions, mutants, invariants and temporal property, and at equal bounds the
// same labelled state graph.
//
// # What it owns
//
// The files of the log, with the ops and state records of all groups in them; when a checkpoint
// is due and who begins it; what the log asks the groups for, and when; which files go (R17).
// The state ([State]) with its canonical text, the actions with their labels ([Action]), the
// invariants, the fairness ([Fairness]), the property [Progress] and the goals. [ActionCalls]
// lists every action with its TLA+ call, so that a wrapper module can make TLC write the same
// labels.
//
// # What it never does
//
// It knows no crash, no flush and no view: what is appended is there. Every op in the log can
// commit. It imports no package under impl.
//
// # Invariants
//
//   - BodiesStay: the log has each op that no checkpoint covers.
//   - LogKnown: a boot finds the whole log, in a state record or in ops.
//
// # Labels and canonical text
//
// A label is the action as the module calls it, without spaces: EndCheckpoint(1).
//
// A canonical text is that of a TLA+ value: a record or function is [key:value,...]
// sorted by the text of the key, a sequence is a function on 1 to n, a set is {...}
// sorted by the texts of its elements.
package logspace
