// Package explore checks models by looking at every state that they can reach.
//
// A model is four functions: its initial states, the steps out of a state, the
// identity of a state, and its properties (see [Model]). [Check] searches all
// states breadth first on every core and reports the first broken invariant with
// a shortest counterexample, which [Print] makes readable. The other entry points
// serve the same models: [GraphOf] and [Compare] decide whether two models (or a
// model and a TLA+ module) have the same labelled state graph, [Cover] and [Walk]
// produce paths to replay against the production code, and [ShortestTo] and [WalkTowards]
// find a path to a situation. A path is printed ([PrintPath], [PrintStory]), or saved as a
// TLA+ module ([WriteTLA]) or a sequence diagram ([WriteMermaid]). [Refine] decides whether
// each step of a model is a step of a more abstract one, [CheckLiveness] whether what must
// come comes under weak fairness, and [FairCycle] whether fair steps can go on for ever.
//
// The package stands alone: it knows nothing of what it checks. Two examples have models
// of their own, examples/twophase (two-phase commit) and examples/lockservice (a lock with
// leases), each with a defect that is found. Begin there.
//
// # What it owns
//
// The search, the set of visited states, the rebuilding of paths, the form of saved
// searches, and the graph digest. It imports nothing of this project, so that it can check
// any model. It writes no file but Options.SaveTo.
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
//     workers, unless the context or the memory limit ended the run.
//   - A search that was saved and resumed, however often, ends with the result of one
//     that was not.
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
// in 256 open-addressed shards, chosen by the top 8 bits. A shard that is three quarters
// full grows by half, so that a state costs 32 to 48 bytes there, and 8 in its level
// (Result.OverheadPerState). Two states with one
// fingerprint count as one; Result.CollisionEstimate is the expected number of
// such pairs, n(n-1)/2^65. GraphOf and Cover compare whole keys instead.
//
// # Saved searches
//
// A file has, numbers in 8 bytes and little-endian order, lists and texts after their
// length:
//
//	"explore\n" | version | model, identity, invariants, goals | depth, states of the level,
//	distinct, transitions, the largest two levels, smallest fingerprint | out-degrees |
//	successors per action | goals reached | invariants broken before, where, why |
//	waiting: fingerprints to expand | next: fingerprints of the level below |
//	visited: fp, parent, depth<<32|step each | XXH3-128 of all before [16]
//
// There is no state in it. [Check] runs the model along the ways to the waiting states and
// compares each fingerprint, which takes a part of the time that the search took.
//
// # Canonical text
//
// [WriteTLA] reads the texts of Model.Canonical: numbers; T and F; texts in quotes as
// strconv.Quote writes them; 'name for a model value; {a,b} for a set; [key:value,...] for
// a function, whose keys are texts in a record and 1..n in a sequence. No white space. A
// state is a record of its variables.
//
// # Graph digest
//
// A state's id is the first 16 bytes of the SHA-256 of its canonical text. The
// digest is the SHA-256 of the following bytes, numbers in little-endian order:
//
//	"states" | count u64 | per state, sorted by id: id [16], initial u8 (0 or 1)
//	"edges"  | count u64 | per edge, sorted by hash: SHA-256(from [16], to [16], label)
package explore
