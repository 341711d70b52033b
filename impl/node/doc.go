// Package node is the process that people run: one replica of each group of a cluster, its
// sockets, its disk, and what it says of itself.
//
// # What it owns
//
// The configuration, the data directory's lock, the goroutines and when they start and end.
//
// # What it never does
//
// It decides nothing about the protocol, and knows nothing about what its state machines hold.
//
// # Invariants
//
//   - One process uses a data directory: a second one is refused ([ErrBusy]).
//   - A directory without an identity is refused, never taken for a fresh one (R16).
//   - Errors of a person's making are one line that names the key, file or address and what
//     was expected.
package node
