// Package mutants breaks the production code on purpose and demands that a check notices.
//
// A mutant is a small change of one or two places below impl/, kept as a patch in
// traces/testdata/mutants. It is compiled with Go's -overlay from a temporary folder: the tree
// is never changed, and no mutant is ever a part of the product.
//
// It owns the format of the patches ([Parse]), how they are applied ([Patch.Apply]), how a mutant
// is built and tried ([Runner]), how seeds of a simulator hunt it ([Runner.Hunt]), and the tables
// of both ([Table], [SwarmTable]). It never judges what a rule means, and never writes into the
// tree.
//
// # The format of a patch
//
// The file's name is the mutant's. A head of fields, one a line, a long value going on in
// indented lines; then a unified diff with as little context as makes its place unique:
//
//	rule: R12 R15
//	breaks: a vote nacks an op in doubt, whose acknowledgement may have been counted
//	like: iggy#3767
//	layer: unit
//	catch: test ./impl/vsr TestAReplicaInDoubtNacksNothing
//	expect: text that the output must hold
//	--- a/impl/vsr/view_change.go
//	+++ b/impl/vsr/view_change.go
//	@@ -110,1 +110,1 @@ func (r *Replica) newVote() *wire.DoViewChange {
//	-			vote.Nack[i] = !r.untrusted
//	+			vote.Nack[i] = true
//
//	rule     rules of the design that it breaks
//	breaks   what is wrong with it
//	like     a public bug of the kind; optional
//	layer    which layer of checks catches it: see [Layers]
//	catch    test PACKAGE NAME [FLAG...]: a test of that package, or tool VERB [ARGUMENT...]:
//	         a command of the tool, which must find a failed check
//	expect   what the output must hold beside the failure; optional for a test, whose name
//	         is demanded anyway
//	unseen   why no seed of a simulator fails on it; absent if one should ([Runner.Hunt])
//
// The numbers of a hunk mean nothing. It is placed by its lines; where these occur more than
// once, by the declaration that its heading names, as git writes it.
//
// # Invariants
//
//   - A patch applies at exactly one place, or is an error that says whether it is stale or
//     ambiguous, and where.
//   - A mutant counts as caught only if it compiles, the command fails for the reason that the
//     patch says, and the same command passes without the patch, having run that very test.
//   - At most [AtOnceMax] mutants are built and run at once, each bounded in time; at the end
//     of its time a process goes with all that it has started.
package mutants
