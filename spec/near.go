package spec

import (
	"cmp"
	"slices"
	"strings"
)

// nearMax is how many names an error suggests.
const nearMax = 4

// near returns the names that a mistyped name may have meant, nearest first: those
// that contain it or that it contains, and those within a third of its letters.
func near(name string, names []string) []string {
	type candidate struct {
		name  string
		edits int
	}
	var found []candidate
	for _, known := range names {
		edits := editDistance(name, known)
		contains := name != "" && (strings.Contains(known, name) || strings.Contains(name, known))
		if contains || edits <= max(2, len(name)/3) {
			found = append(found, candidate{known, edits})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(a.name, b.name))
	})
	var nearest []string
	for _, c := range found[:min(len(found), nearMax)] {
		nearest = append(nearest, c.name)
	}
	return nearest
}

// editDistance is the number of bytes to insert, delete or replace to get from a to
// b (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // Distances from a[:i] to each b[:j].
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
