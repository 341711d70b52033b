// Package transport carries frames over TCP: between the replicas of a cluster, and from
// clients.
//
// # What it owns
//
// Sockets, and what may be taken from the machine on behalf of whoever is at their other
// end. [Mesh] connects a process to the others: each dials every other one and only writes to
// the connections that it dialed, so that two processes never argue about which of two
// connections counts. [Server] accepts clients and serves each in lockstep, one request at a
// time, as their protocol has it.
//
// # What it never does
//
// It does not know what a frame means beyond its size, its seal and, in the mesh, who may
// send it. It keeps no frame for a peer that is not connected: the protocol sends again what
// matters (R10). It never blocks a caller: a full queue drops the frame and counts it.
//
// # Invariants
//
//   - A frame is its 256-byte header first. No memory is taken for a body before the size in
//     the header is known to be within the limit, and then only as the bytes arrive.
//   - No connection can hold up another one: each has its own goroutine, deadlines for the
//     rest of a frame once it has begun and for every write, and its share of one budget.
//   - A frame of the mesh is delivered only from a connection whose end has shown that it
//     knows the cluster's key, and only under the name of the replica that it claimed there.
//   - Nothing that arrives can panic.
//
// # Handshake of the mesh
//
//	dialer -> listener   hello 64
//	listener -> dialer   verdict 1 | hello 64 | proof 32     (verdict alone if it is no)
//	dialer -> listener   proof 32
//	listener -> dialer   verdict 1
//
//	hello: magic 8 | cluster 16 | replica 1 | to 1 | replica_count 1 | zero 5 | nonce 32
//	proof: HMAC-SHA256(key, "viewstamp mesh dialer" or "viewstamp mesh listener",
//	       hello of the dialer, hello of the listener)
//
// Both nonces are fresh, and each proof names its side, so neither can be replayed or
// reflected. The key says who is at the ends. Who can change bytes under way needs TLS, which
// goes around the handshake.
package transport
