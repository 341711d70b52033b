// Package house holds the house rules of the repository, as a check of its files.
//
// A [Rule] looks at a [Tree] and returns findings, each with the place and what was
// expected there; [Rules] lists them all and [Run] applies them. cmd/tidy prints the
// result, and a test applies the rules to this repository, so that plain go test
// holds them too.
//
// # What it owns
//
// The rules that no linter has: sizes, folder documentation, who may import whom,
// words, map order, the names that spec, model, trace format and ARCHITECTURE.md have
// in common, and the links and places that documents mention. It reads Go with
// go/parser, TLA+ and Markdown line by line.
//
// # What it never does
//
// It never changes a file, never runs what it reads, and looks at nothing that git
// ignores. It imports nothing else of ours: a rule that shared a reader with the
// package that it checks would share its mistakes.
//
// # Invariants
//
//   - What a rule needs and does not find (a file, a table, a definition) is a finding:
//     no rule passes because it had nothing to look at.
//   - Findings are in the order of path, line and rule, whatever the order of files.
//   - Each rule has a tree in its tests that breaks it and one that does not.
//
// # Limits
//
//   - The rule map-order resolves types inside this module only. A map that comes out
//     of the standard library or of another module is not seen, except those of
//     maps.Clone and maps.Collect.
//   - Files with build constraints are all read, whatever the platform.
//   - TLA+ is read by layout: a definition starts in the first column, and the comment
//     of a definition is the paragraph of comment lines above it.
package house
