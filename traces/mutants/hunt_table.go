package mutants

import (
	_ "embed" // For the text above the table.
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SwarmFile is the table of the mutants that simulators run, relative to the root of the tree,
// with slashes.
const SwarmFile = Folder + "/SWARM.md"

// swarmHead stands above the table.
//
//go:embed swarm_head.txt
var swarmHead string

var swarmColumns = []string{
	"mutant", "rules", "what it breaks", "simulator", "seeds", "how it fails",
}

// howMax bounds the last cell of a row.
const howMax = 160

// Hunted are the patches whose code a simulator runs.
func Hunted(patches []Patch) []Patch {
	return slices.DeleteFunc(slices.Clone(patches), func(p Patch) bool { return p.Simulator() == "" })
}

// SwarmTable returns the text of the table. found says which seed failed, and how, by the names
// of the mutants.
func SwarmTable(patches []Patch, found map[string]Seeds) string {
	var b, rows strings.Builder
	row := func(cells []string) {
		fmt.Fprintf(&rows, "| %s |\n", strings.Join(cells, " | "))
	}
	row(swarmColumns)
	row(slices.Repeat([]string{"---"}, len(swarmColumns)))
	count := map[string]int{}
	for _, p := range Hunted(patches) {
		seeds, how, kind := "-", "not hunted so far", "not hunted so far"
		switch f, known := found[p.Name]; {
		case known:
			seeds, how, kind = strconv.FormatUint(f.Seed, 10), short(f.Failure), "found"
			if f.Seed == 0 {
				seeds = "all"
			}
		case p.Unseen != "":
			how, kind = "not found: "+p.Unseen, "not found"
		}
		count[kind]++
		row([]string{
			fmt.Sprintf("[%s](%s%s)", p.Name, p.Name, suffix), strings.Join(p.Rules, " "),
			escape(p.Breaks), p.Simulator(), seeds, escape(how),
		})
	}
	b.WriteString(swarmHead)
	fmt.Fprintf(&b, "%d mutants: %d found, %d not found, %d not hunted so far.\n\n",
		len(Hunted(patches)), count["found"], count["not found"], count["not hunted so far"])
	b.WriteString(rows.String())
	return b.String()
}

// short is the beginning of a text of one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > howMax {
		return string(runes[:howMax-3]) + "..."
	}
	return text
}

// ReadSwarm returns which seeds have found which mutants, as a table says.
//
// Errors: a row without a number, "all" or a dash for its seeds.
func ReadSwarm(table string) (map[string]Seeds, error) {
	found := map[string]Seeds{}
	for line := range strings.Lines(table) {
		rest, isRow := strings.CutPrefix(strings.TrimSpace(line), "| [")
		if !isRow {
			continue
		}
		name, _, _ := strings.Cut(rest, "]")
		cells := strings.Split(strings.TrimSuffix(rest, " |"), " | ")
		if len(cells) != len(swarmColumns) {
			return nil, fmt.Errorf("table of the swarm: %s has %d cells, expected %d", name,
				len(cells), len(swarmColumns))
		}
		seeds, how := cells[len(cells)-2], strings.ReplaceAll(cells[len(cells)-1], `\|`, "|")
		switch seeds {
		case "-":
		case "all":
			found[name] = Seeds{Failure: how}
		default:
			seed, err := strconv.ParseUint(seeds, 10, 64)
			if err != nil {
				return nil, fmt.Errorf(`table of the swarm: %s needs %q seeds, expected a number, `+
					`"all" or a dash`, name, seeds)
			}
			found[name] = Seeds{Ran: seed, Seed: seed, Failure: how}
		}
	}
	return found, nil
}
