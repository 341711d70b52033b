package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/viewstamp/viewstamp/spec"
)

// cfgOfMutant returns the cfg that shows a mutant. Where several do, it is the first of
// the manifest, and the others are named on stderr.
func (t *tool) cfgOfMutant(
	command *cobra.Command, manifest *spec.Manifest, bug string,
) (string, error) {
	var names, mutants []string
	for _, cfg := range manifest.Cfgs {
		switch {
		case cfg.Mutant == bug:
			names = append(names, cfg.Name)
		case cfg.Mutant != "" && !slices.Contains(mutants, cfg.Mutant):
			mutants = append(mutants, cfg.Mutant)
		}
	}
	if len(names) == 0 {
		return "", usage(command, "--bug %q: no such mutant, expected one of the manifest's, such "+
			"as %s", bug, strings.Join(nearest(bug, mutants), ", "))
	}
	if others := names[1:]; len(others) > 0 {
		fmt.Fprintf(t.stderr, "viewstamp: told of cfg %s; --cfg has it of %s too\n", names[0],
			strings.Join(others, ", "))
	}
	return names[0], nil
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
