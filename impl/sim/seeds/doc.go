// Package seeds runs a range of seeds on all cores, and hands out what they came to in the order
// of the seeds, or sums it up.
//
// # What it owns
//
// The goroutines of a swarm and their order: [InOrder]; and the sum of what all seeds of a range
// came to: [Sum].
//
// # What it never does
//
// It knows nothing of what a seed is for and decides nothing. No result depends on the number of
// cores.
//
// # Invariants
//
//   - When the consumer is done, no goroutine is left.
//   - Results come in the order of the seeds, each once; after the context ends, none of a seed
//     that had not begun.
package seeds
