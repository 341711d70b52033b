package coverage

import (
	"fmt"
	"slices"
	"strings"
)

// Row says how often one thing happened.
type Row struct {
	// Group is what kind of thing it is, such as fault, message or refusal.
	Group, Name string
	Count       int
	// Expected says that a swarm of some hundred seeds should see it.
	Expected bool
}

// Counts are what a run has counted: by group, by name.
type Counts map[string]map[string]int

// Table is everything that can happen in a run, in a fixed order.
type Table []Row

// Expect appends a row for each name of a group. All are expected but those that are named as
// unexpected.
func (t *Table) Expect(group string, names []string, unexpected ...string) {
	for _, name := range names {
		*t = append(*t, Row{Group: group, Name: name, Expected: !slices.Contains(unexpected, name)})
	}
}

// Add adds what a run has counted. Names without a row are not counted.
func (t Table) Add(seen Counts) {
	for i := range t {
		t[i].Count += seen[t[i].Group][t[i].Name]
	}
}

// Missing names what was expected and never happened, as "group/name".
func (t Table) Missing() []string {
	var missing []string
	for _, row := range t {
		if row.Expected && row.Count == 0 {
			missing = append(missing, row.Group+"/"+row.Name)
		}
	}
	return missing
}

// Expected is how many rows are expected.
func (t Table) Expected() int {
	n := 0
	for _, row := range t {
		if row.Expected {
			n++
		}
	}
	return n
}

// Count is how often something happened; 0 if there is no such row.
func (t Table) Count(group, name string) int {
	for _, row := range t {
		if row.Group == group && row.Name == name {
			return row.Count
		}
	}
	return 0
}

// String is the table for people: a group a line.
func (t Table) String() string {
	var text strings.Builder
	group := ""
	for _, row := range t {
		if row.Group != group {
			if group != "" {
				text.WriteByte('\n')
			}
			group = row.Group
			fmt.Fprintf(&text, "%-10s", group)
		}
		fmt.Fprintf(&text, " %s=%d", row.Name, row.Count)
	}
	if group != "" {
		text.WriteByte('\n')
	}
	return text.String()
}

// Names are the names of values that say theirs.
func Names[T fmt.Stringer](values []T) []string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = v.String()
	}
	return names
}
