// Package benchnode measures a cluster of three real nodes on this machine against other
// replicated logs and against the bare disk, in turns.
//
// # What it owns
//
// The closed loop of clients ([Load]), our cluster and the peers as things to be loaded, and the
// comparison of medians ([Run]). A peer is a program of the harness for peers: it takes --id,
// --peers, --dir and --client-addr, and speaks that harness's protocol (peer.go).
//
// # What it never does
//
// It judges nothing, and it builds nothing but the peers, outside of the tree.
//
// # Invariants
//
//   - Whatever is compared had its turn in each round, so that a disk whose speed drifts is the
//     same for all. A ratio is the median of the rounds' ratios.
//   - Only what was acknowledged counts; what failed is reported.
package benchnode
