package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/spec"
)

// cfgsOfMutant returns the cfgs whose counterexamples tell of a mutant: of each module
// that has a mutant of that name, the first of the manifest; others are those left over.
func cfgsOfMutant(
	command *cobra.Command, manifest *spec.Manifest, bug string,
) (told, others []string, err error) {
	var modules, mutants []string
	for _, cfg := range manifest.Cfgs {
		module := spec.ModuleOfMutants(cfg.Module)
		switch {
		case cfg.Mutant == bug && slices.Contains(modules, module):
			others = append(others, cfg.Name)
		case cfg.Mutant == bug:
			told, modules = append(told, cfg.Name), append(modules, module)
		case cfg.Mutant != "" && !slices.Contains(mutants, cfg.Mutant):
			mutants = append(mutants, cfg.Mutant)
		}
	}
	if len(told) == 0 {
		return nil, nil, usage(command, "--bug %q: no such mutant, expected one of the manifest's, such "+
			"as %s", bug, strings.Join(nearest(bug, mutants), ", "))
	}
	return told, others, nil
}

// sayOthers names on stderr the cfgs of a mutant that no story is told of.
func (t *tool) sayOthers(f checkFlags) {
	if len(f.others) > 0 && !f.json {
		fmt.Fprintf(t.stderr, "viewstamp: told of cfg %s; --cfg has it of %s too\n",
			strings.Join(f.told, ", "), strings.Join(f.others, ", "))
	}
}

// validateTold refuses flags that do not go with the stories of a mutant, or that go with
// one story only.
func (f checkFlags) validateTold(command *cobra.Command) error {
	if f.full && len(f.told) == 0 {
		return usage(command, "--full is for a story, expected --bug NAME with it and no --cfg")
	}
	if len(f.told) > 1 && (f.exports.any() || f.limits.save != "" || f.limits.resume != "") {
		return usage(command, "--bug %s is a mutant of several modules: a file is of one, "+
			"expected --cfg with one of %s in place of --bug", f.bug, strings.Join(f.told, ", "))
	}
	return nil
}

// nearestMax is how many names a message suggests.
const nearestMax = 3

// nearest returns the names that share the most words with name, sorted by that and
// then as they stand.
func nearest(name string, names []string) []string {
	words := strings.Split(name, "_")
	shared := func(other string) int {
		count := 0
		for _, word := range strings.Split(other, "_") {
			if slices.ContainsFunc(words, func(w string) bool {
				return w != "" && (strings.HasPrefix(word, w) || strings.HasPrefix(w, word))
			}) {
				count++
			}
		}
		return count
	}
	sorted := slices.Clone(names)
	slices.SortStableFunc(sorted, func(a, b string) int { return shared(b) - shared(a) })
	return sorted[:min(nearestMax, len(sorted))]
}
