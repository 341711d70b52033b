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
	"mutant", "rules", "concerns", "what it breaks", "simulator", "seeds", "how it fails",
}

// howMax bounds the last cell of a row.
const howMax = 160

// Hunted are the patches whose code a simulator runs.
func Hunted(patches []Patch) []Patch {
	return slices.DeleteFunc(slices.Clone(patches), func(p Patch) bool { return p.Simulators() == "" })
}

// SwarmTable returns the text of the table. hunted says what became of mutants, by their names:
// which seed failed, and how, or how many did not.
func SwarmTable(patches []Patch, hunted map[string]Seeds) string {
	var b, rows strings.Builder
	row := func(cells []string) {
		fmt.Fprintf(&rows, "| %s |\n", strings.Join(cells, " | "))
	}
	row(swarmColumns)
	row(slices.Repeat([]string{"---"}, len(swarmColumns)))
	var found, survived, open int
	for _, p := range Hunted(patches) {
		seeds, how := "-", "not hunted so far"
		simulator := strings.ReplaceAll(p.Simulators(), ",", " ")
		switch s, known := hunted[p.Name]; {
		case !known:
			open++
		case s.Failure != "":
			found++
			seeds, how, simulator = strconv.FormatUint(s.Seed, 10), short(s.Failure), s.Simulator
		default:
			survived++
			seeds, how = noneOf+strconv.FormatUint(s.Ran, 10), "not looked into so far"
			if p.Unseen != "" {
				how = p.Unseen
			}
		}
		row([]string{
			fmt.Sprintf("[%s](%s%s)", p.Name, p.Name, suffix), strings.Join(p.Rules, " "),
			concernsCell(p), escape(p.Breaks), simulator, seeds, escape(how),
		})
	}
	b.WriteString(swarmHead)
	fmt.Fprintf(&b, "%d mutants: %d found, %d not found by the seeds given, %d not hunted so far.\n\n",
		len(Hunted(patches)), found, survived, open)
	concerned := 0
	for _, p := range Hunted(patches) {
		concerned += min(1, len(p.Concerns()))
	}
	fmt.Fprintf(&b, "%d of them concern liveness, storage or recovery; %d of these are open: not "+
		"found within %d seeds, and\nnothing says why none can find them.\n\n", concerned,
		len(Open(patches, hunted)), swarmSeedsMax)
	b.WriteString(rows.String())
	return b.String()
}

// concernsCell says what a mutant is about.
func concernsCell(p Patch) string {
	var names []string
	for _, c := range p.Concerns() {
		names = append(names, string(c))
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, " ")
}

// noneOf stands before the number of seeds that have not found a mutant.
const noneOf = "none of "

// short is the beginning of a text of one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > howMax {
		return string(runes[:howMax-3]) + "..."
	}
	return text
}

// ReadSwarm returns what became of which mutants, as a table says.
//
// Errors: a row without a number, "none of" a number or a dash for its seeds.
func ReadSwarm(table string) (map[string]Seeds, error) {
	hunted := map[string]Seeds{}
	for line := range strings.Lines(table) {
		rest, isRow := strings.CutPrefix(strings.TrimSpace(line), "| [")
		if !isRow {
			continue
		}
		name, _, _ := strings.Cut(rest, "]")
		cells := strings.Split(strings.TrimSuffix(rest, " |"), " | ")
		n := len(cells)
		if n != len(swarmColumns) {
			return nil, fmt.Errorf("table of the swarm: %s has %d cells, expected %d", name, n,
				len(swarmColumns))
		}
		number, survived := strings.CutPrefix(cells[n-2], noneOf)
		if number == "-" {
			continue
		}
		seeds, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("table of the swarm: %s needs %q seeds, expected a number, "+
				"%qa number or a dash", name, cells[n-2], noneOf)
		}
		hunted[name] = Seeds{Ran: seeds}
		if !survived {
			hunted[name] = Seeds{
				Ran: seeds, Seed: seeds, Simulator: cells[n-3],
				Failure: strings.ReplaceAll(cells[n-1], `\|`, "|"),
			}
		}
	}
	return hunted, nil
}
