// Package spec carries the TLA+ modules, their configurations (cfgs), the manifest
// of expected results and the golden graph digests inside the binary, so that the
// tool checks the same protocol from whatever directory it is started in.
//
// It owns the reading of these files: [Modules] and [SHA256] for the modules,
// [ParseConfig] for a cfg, [Read] and [Lookup] for the manifest, [ReadGolden] for a
// golden file, [Mutants] and [Invariants] for what the modules say about
// themselves. It imports nothing else of ours.
//
// It never runs anything and never evaluates TLA+: of a module it reads the
// EXTENDS line, the members of BugNames and the comments above definitions, no
// more. model/check runs what is described here.
//
// # Invariants
//
//   - Every cfg file has one entry in the manifest and every entry a cfg file.
//   - The manifest repeats nothing that a cfg file says: constants, invariants and
//     properties come from the cfg file alone.
//   - A clean cfg has no bug switched on and states its distinct states and depth; a
//     mutant's cfg switches exactly that mutant on and states the properties that may
//     fail and the length of the shortest counterexample.
//   - A golden file belongs to one text of the modules: another hash makes it stale,
//     never silently wrong.
//   - Whatever is wrong in a file is one error that names the file, the line and what
//     was expected there; no file content panics.
//
// # The hash of a module
//
// [SHA256] is the SHA-256 of one line per module file, in name order, of the module
// and all that it extends in this folder:
//
//	<sha256 of the file, 64 hex digits> <space> <space> <file name> <newline>
//
// which is what the shell prints, from this folder, for
//
//	sha256sum CommitWalk.tla Normal.tla ... ViewChange.tla | sha256sum
package spec
