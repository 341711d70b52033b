// Package explore checks models by looking at every state that they can reach.
//
// A model is four functions: its initial states, the steps out of a state, the
// identity of a state, and its properties (see [Model]). [Check] searches all
// states breadth first on every core and reports the first broken invariant with
// a shortest counterexample, which [Print] makes readable. The other entry points
// serve the same models: [GraphOf] and [Compare] decide whether two models (or a
// model and a TLA+ module) have the same labelled state graph, [Cover] and [Walk]
// produce paths to replay against the production code, and [ShortestTo] finds a
// path to a situation. [Refine] decides whether each step of a model is a step of a more
// abstract one, [CheckLiveness] whether what must come comes under weak fairness, and
// [FairCycle] whether fair steps can go on for ever.
//
// # What it owns
//
// The search, the set of visited states, the rebuilding of paths, and the graph
// digest. It imports nothing of this project, so that it can check any model.
//
// # What it never does
//
// It never decides by chance: no clock, no randomness but the source handed to
// [Walk], no map order. It never drops a state silently: a run that did not see
// everything says so (Result.Complete). It knows weak fairness and
// "leads to"; any other temporal formula belongs to TLC.
//
// # Invariants
//
//   - Every field of [Result] but CPUSeconds is the same for every number of
//     workers, unless the context ended the run.
//   - Each distinct state is expanded once and each invariant sees it once.
//   - A state's depth is the length of a shortest path to it, counted in states:
//     an initial state has depth 1, as TLC counts.
//   - Of all violations of the first violating level the reported one has the
//     smallest property (in the model's order), then the smallest key in byte
//     order.
//   - Of all shortest paths to a state the reported one is built backwards: each
//     state's predecessor is the one of smallest fingerprint, and of its steps to the
//     state the first, whichever worker came first.
//   - Every path was re-executed on the model before anybody sees it. A model that
//     answers differently the second time is an error ([ErrNondeterministic]).
//
// # Fingerprints
//
// Check remembers a state by the 64-bit XXH3 hash of its key, with its
// predecessor's hash, the number of the step and the depth: 24 bytes a slot,
//
//	0        8        16     20     24
//	| fp u64 | parent | step | depth |     fp 0 = free slot, parent 0 = initial
//
// in 256 open-addressed shards, chosen by the top 8 bits. Two states with one
// fingerprint count as one; Result.CollisionEstimate is the expected number of
// such pairs, n(n-1)/2^65. GraphOf and Cover compare whole keys instead.
//
// # Graph digest
//
// A state's id is the first 16 bytes of the SHA-256 of its canonical text. The
// digest is the SHA-256 of the following bytes, numbers in little-endian order:
//
//	"states" | count u64 | per state, sorted by id: id [16], initial u8 (0 or 1)
//	"edges"  | count u64 | per edge, sorted by hash: SHA-256(from [16], to [16], label)
package explore
