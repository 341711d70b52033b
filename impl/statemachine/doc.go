// Package statemachine holds the services that a group replicates, and the decorator that
// makes each request take effect at most once.
//
// # What it owns
//
// [Machine], what a service must be; [Snapshotter] and [Querier], what it may be beside that;
// [Sessions], a machine with a client table in front of it (R18); [Register], a machine for
// tests, simulation and benchmarks.
//
// # What it never does
//
// A machine reads no clock, draws nothing at random, follows no order of a map and does no
// I/O: time comes from the timestamp of the prepare alone. It never answers with an error: a
// committed rejection is a result, since every replica must agree on it.
//
// # Invariants
//
//   - The same prepares in the same order give the same states and the same results, to the
//     byte. Equal states have equal checksums and equal snapshots.
//   - Restoring a snapshot gives the state that it is of: the machine goes on from there as the
//     one that made it. Bytes that are no snapshot are refused, and change nothing.
//   - A query changes nothing.
//   - Behind [Sessions] a request of one number of a session is executed at most once,
//     whatever commits how often. TestSessionsExecuteANumberOnce fails without the table.
package statemachine
