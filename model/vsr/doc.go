// Package vsr is spec/VSR.tla in Go: the same variables, the same actions with the
// same names, the same invariants, the same mutants. One file has one sub-protocol,
// as one module of the spec has.
//
// It serves three purposes. [Model] gives package explore what it needs to visit
// every state within bounds, far faster than TLC. [Step] and [Refuse] let a recorded
// trace be explained action by action, and [Project] says what of a state a trace
// can see. Package generate turns paths of the model into traces.
//
// # What it owns
//
// The state of the spec ([State]), its actions ([ActionKind], [Action], one exported
// function each, in Normal, Repair, CommitWalk, ViewChange and Recovery order), the
// invariants, the mutants, the goals, the canonical text of a state that equals
// TLC's, and the projection to a trace's state.
//
// # What it never does
//
// It never decides anything the spec leaves open: where the spec has several
// successors, it yields each. It never imports the production code. It has no clock,
// no randomness, and no order taken from a map.
//
// # Invariants
//
//   - At equal bounds the labelled state graphs of this package and of TLC are equal.
//   - States are immutable once yielded. They share slices; nobody writes to a slice
//     that a state holds, and everything that adds copies first.
//   - Sets are sorted slices without duplicates, and a view without messages is not
//     kept, so that equal states have one representation and one key.
//   - An action is yielded if and only if [Refuse] finds no reason against it: both
//     ask the same guard.
//   - Invariants return nil or the reason; they never panic, whatever a mutant did.
//
// # Bounds
//
// Each bound of a [Config] may be [Unbounded]: a trace of the production system has
// hundreds of ops and tens of views. Logs, sets and the network grow as needed.
package vsr
