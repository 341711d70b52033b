package house

import (
	"cmp"
	"fmt"
	"slices"
)

// Finding is one place that breaks a rule.
type Finding struct {
	// Path is relative to the root, with slashes.
	Path string
	// Line counts from 1; 1 too where the whole file, or its absence, is meant.
	Line int
	// Rule is the rule's name.
	Rule string
	// Text says what is there and what was expected.
	Text string
	// Note marks advice: it is printed and fails nothing.
	Note bool
}

// String is the finding as one line: "path:line: rule: text".
func (f Finding) String() string {
	rule := f.Rule
	if f.Note {
		rule += ": note"
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.Path, f.Line, rule, f.Text)
}

// Rule is one house rule.
type Rule struct {
	// Name stands in findings: "file-lines".
	Name string
	// Expects is the rule in one sentence.
	Expects string

	check func(t *Tree, report report)
}

// report takes a finding of the rule that is being applied.
type report func(path string, line int, format string, args ...any)

// Rules returns all rules in the order in which they are applied.
func Rules() []Rule {
	return []Rule{
		{
			Name: "syntax", check: checkSyntax,
			Expects: "every Go file parses",
		},
		{
			Name: "file-lines", check: checkFileLines,
			Expects: "a Go file has at most 800 lines",
		},
		{
			Name: "function-lines", check: checkFunctionLines,
			Expects: "a function has at most 70 lines, tests excepted",
		},
		{
			Name: "columns", check: checkColumns,
			Expects: "a line of Go or TLA+ has at most 100 characters",
		},
		{
			Name: "file-size", check: checkFileSize,
			Expects: "a file has at most 100,000 bytes; go.sum is excepted",
		},
		{
			Name: "package-doc", check: checkPackageDoc,
			Expects: "every package says what it is, in doc.go unless it is a command",
		},
		{
			Name: "imports", check: checkImports,
			Expects: "imports go downwards; model and impl meet in traces only",
		},
		{
			Name: "words", check: checkWords,
			Expects: "identifiers use the words of GLOSSARY.md",
		},
		{
			Name: "map-order", check: checkMapOrder,
			Expects: "nothing in model, impl/vsr and impl/sim depends on the order of a map",
		},
		{
			Name: "actions", check: checkActions,
			Expects: "spec, model, trace format and core name the same actions",
		},
		{
			Name: "spec-pointers", check: checkSpecPointers,
			Expects: "every action of the spec names Go code that exists",
		},
		{
			Name: "invariants", check: checkInvariants,
			Expects: "every invariant names a mutant that breaks it, or why none does",
		},
		{
			Name: "mutants", check: checkMutants,
			Expects: "every mutant has a cfg that switches it on",
		},
		{
			Name: "trace-table", check: checkTraceTable,
			Expects: "ARCHITECTURE.md has one row of existing names for every action",
		},
		{
			Name: "links", check: checkLinks,
			Expects: "relative links in Markdown lead somewhere",
		},
		{
			Name: "places", check: checkPlaces,
			Expects: "no file names a place on some machine or a package registry",
		},
	}
}

// Run applies the rules to a tree and returns what they found, notes included, in
// the order of path, line and rule.
func Run(t *Tree, rules []Rule) []Finding {
	var findings []Finding
	for _, rule := range rules {
		rule.check(t, func(path string, line int, format string, args ...any) {
			findings = append(findings, Finding{
				Path: path, Line: max(line, 1), Rule: rule.Name, Text: fmt.Sprintf(format, args...),
			})
		})
	}
	findings = append(findings, longFiles(t)...)
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return findings
}

// Failures counts the findings that are no notes.
func Failures(findings []Finding) int {
	failures := 0
	for _, f := range findings {
		if !f.Note {
			failures++
		}
	}
	return failures
}
