package mutants

import (
	_ "embed" // For the text above the table.
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// TableFile is the table of all mutants, relative to the root of the tree, with slashes.
const TableFile = Folder + "/README.md"

// tableHead stands above the table.
//
//go:embed table_head.txt
var tableHead string

// columns of the table; the last is the only one that is measured.
var columns = []string{
	"mutant", "rules", "file", "what it breaks", "like", "layer", "caught by", "s",
}

// Table returns the text of the table. seconds says how long each mutant took; one that is not
// in it has a dash.
func Table(patches []Patch, seconds map[string]float64) string {
	var b strings.Builder
	b.WriteString(tableHead)
	b.WriteString(summary(patches))
	row := func(cells []string) {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	row(columns)
	row(slices.Repeat([]string{"---"}, len(columns)))
	for _, p := range patches {
		took := "-"
		if s, found := seconds[p.Name]; found {
			took = strconv.FormatFloat(s, 'f', 1, 64)
		}
		row([]string{
			fmt.Sprintf("[%s](%s%s)", p.Name, p.Name, suffix), strings.Join(p.Rules, " "),
			strings.Join(p.files(), " "), escape(p.Breaks), escape(p.Like), p.Layer.String(),
			"`" + strings.TrimPrefix(p.Catch.String(), "go ") + "`", took,
		})
	}
	return b.String()
}

// escape keeps a text within its cell.
func escape(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// files are the files that the patch changes.
func (p Patch) files() []string {
	var names []string
	for _, c := range p.Changes {
		names = append(names, c.File)
	}
	return names
}

// summary counts the mutants by layer and names the rules that they break.
func summary(patches []Patch) string {
	count := make([]int, len(layerNames))
	rules := map[string]bool{}
	for _, p := range patches {
		count[p.Layer]++
		for _, rule := range p.Rules {
			rules[rule] = true
		}
	}
	var layers, broken []string
	for _, l := range Layers() {
		if count[l] > 0 {
			layers = append(layers, fmt.Sprintf("%s %d", l, count[l]))
		}
	}
	for number := 1; number <= 21; number++ {
		if rule := fmt.Sprintf("R%d", number); rules[rule] {
			broken = append(broken, rule)
		}
	}
	return fmt.Sprintf("%d mutants: %s. They break %s.\n\n", len(patches),
		strings.Join(layers, ", "), strings.Join(broken, " "))
}

// ReadSeconds returns how long each mutant took, as a table says.
//
// Errors: a row without a number or a dash in its last cell.
func ReadSeconds(table string) (map[string]float64, error) {
	seconds := map[string]float64{}
	for line := range strings.Lines(table) {
		rest, found := strings.CutPrefix(strings.TrimSpace(line), "| [")
		if !found {
			continue
		}
		name, _, _ := strings.Cut(rest, "]")
		cells := strings.Split(strings.TrimSuffix(rest, " |"), " | ")
		last := cells[len(cells)-1]
		if last == "-" {
			continue
		}
		s, err := strconv.ParseFloat(last, 64)
		if err != nil {
			return nil, fmt.Errorf("table of mutants: %s took %q, expected seconds or a dash", name, last)
		}
		seconds[name] = s
	}
	return seconds, nil
}
