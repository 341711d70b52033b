// Package atomic is spec/AtomicViewChange.tla in Go: what a view change must look like
// from outside. A replica leaves its old view and promises its log in one step; a new
// primary decides the log of its view, fetches what it lacks and starts the view in one
// step. Messages that serve only that, and numbers that only follow from others, are not
// there.
//
// It was written from the rules, not from package vsr: [Image] says as what a state of
// that package is seen here, and explore.Refine checks that each of its steps is one step
// of this package or none.
//
// # What it owns
//
// The state ([State]), the actions, the invariants and mutants of the module, the
// canonical text of a state that equals TLC's, and the refinement mapping of
// spec/Refinement.tla ([Image]).
//
// # What it never does
//
// It never repairs what an image shows: a state of a mutant of package vsr that is no
// state of this protocol is seen as it is, and the next step out of it is refused. It
// knows of package vsr only what its exported accessors tell, and imports no production
// code. It has no clock, no randomness, and no order taken from a map.
//
// # Invariants
//
//   - At equal bounds the labelled state graphs of this package and of TLC are equal.
//   - States are immutable once yielded.
//   - Sets are sorted slices without duplicates, so that equal states have one key.
package atomic
