// Package check runs the cfgs of spec/manifest.json and judges what comes out.
//
// [Go] explores the Go model of a cfg, [TLC] has TLC check the module itself, and
// both are held against the same manifest: distinct states and depth of a clean
// cfg, property and length of a mutant's counterexample. [Graphs] compares the two
// labelled state graphs, [Golden] the Go model's graph with the digest that TLC and
// the Go model agreed on when the golden file was written ([WriteGolden]).
//
// Three checks look at the checks themselves. [Adequacy] asks whether the golden
// cfgs would notice each mutant at all. [Claims] asks whether each invariant is
// really broken by the mutants that its comment names. [Coverage] asks whether a set
// of runs took every action and reached every goal.
//
// # What it owns
//
// The way from a cfg's constants to a Go model, the comparison with the manifest,
// and the wording of verdicts. It owns no protocol: models are in model/vsr and
// model/storage, the search is in model/explore, TLC in model/tlc.
//
// # What it never does
//
// It never counts a check that could not run as passed, and never rewrites the
// manifest: figures that differ are printed, and a person decides which is right.
// It writes files in [WriteGolden] only.
//
// # Invariants
//
//   - An Outcome that is not Passed has a Reason of one line.
//   - A violated property is a verdict (Failed or, for a mutant, Passed); an error
//     means that there is no verdict and names what could not be done.
//   - A run that the context or a limit ended is Undecided, unless it had found a
//     violation until then.
//   - A golden file is written only if TLC's graph and the Go model's are equal; at the
//     smaller cfgs TLC also shows that the wrapper which it explored has the steps of
//     the module's Next, no more and no fewer.
package check
