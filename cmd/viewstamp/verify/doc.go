// Package verify runs the project's checks and says what came of each: the models
// in Go and in TLC, the mutants, the state graphs, traces in both directions, the
// negative controls, the simulator, the scenarios and the histories.
//
// # What it owns
//
// The form of a verdict ([Check], [Judge]), the order and the concurrency of checks
// ([Run]), the plan of "viewstamp verify" ([Plan]), and whatever of a check is more
// than a call of the package that does the work: the mutations of the negative
// controls, the sizes of each layer.
//
// # What it never does
//
// It prints nothing and never ends the process: the commands do. It decides nothing
// about the protocol: the packages below do.
//
// # Invariants
//
//   - The checks come out in the order of the plan, whatever ran first.
//   - A check that is not passed has a reason of one line, and a command that does it
//     alone.
//   - A check that could not run is skipped or undecided, never passed. Nothing that
//     was to run is missing from the result, also if the context ends.
//   - A check that has counted nothing is not passed: a layer without traces, seeds
//     or histories has failed.
//   - A job that panics is one failed check; the others go on.
//   - Every layer has a negative control here: something that must be rejected.
package verify
