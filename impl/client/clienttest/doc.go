// Package clienttest is a cluster in memory, for tests of clients and of the tool. It speaks
// the client protocol on loopback sockets and has the state of one cluster behind all of its
// nodes: streams, topics, messages, offsets, and the client table that decides what executes.
//
// # What it never does
//
// It replicates nothing and keeps nothing: its nodes share one memory, so that each answer is
// linearizable. It knows no permissions, no groups, no options.
//
// # Invariants
//
//   - A counted request executes at most once: [clienttable.Table] says so.
//   - A node that is not the primary of a plane accepts nothing of it, and says where the
//     primary is.
//   - After [Cluster.Stop] a node has no connection and no listener.
package clienttest
