// Package coverage counts what simulated runs have seen of all that can happen in them.
//
// # What it owns
//
// [Table]: a row for each thing that can happen, how often it did, and whether a swarm should see
// it at all. A simulator says which rows there are, and each of its runs what it counted
// ([Counts]).
//
// # What it never does
//
// It knows nothing of what a row is about, and judges nothing: [Table.Missing] names what was
// expected and never happened, and whoever runs a swarm decides what that means.
//
// # Invariants
//
//   - Tables of one simulator have equal rows in one order, whatever has happened.
//   - What has no row is not counted.
package coverage
