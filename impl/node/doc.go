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
//   - A directory that replaces a lost one says so until the metadata is back on it: its replicas
//     take part in no quorum of a group that may have had a log in the lost one before they hold
//     the log of a current view (R16). Mutant node_replaced_is_fresh breaks it.
//   - Errors of a person's making are one line that names the key, file or address and what
//     was expected.
package node
