package house

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	tablePath   = "ARCHITECTURE.md"
	scenarioDir = "traces/testdata"
)

// tableColumns are the columns of the traceability table, by their headings.
var tableColumns = []string{
	"step", "VRR", "rule", "TLA+ action", "model function", "core handler", "trace action",
	"scenario",
}

// tableRow is one row: a cell for each of tableColumns.
type tableRow struct {
	line  int
	cells map[string]string
}

// checkTraceTable reads the table with the heading "TLA+ action". Each action of VSR
// has one row; each name in a row exists. A cell without a name has a dash and the
// reason: "- (mutants only)".
func checkTraceTable(t *Tree, report report) {
	rows, line := t.traceTable(report)
	if line == 0 {
		return
	}
	actions := t.nextActions("VSR")
	all := slices.Concat(actions, t.nextActions("PartitionLog"))
	rowsOf := map[string]int{}
	for _, row := range rows {
		named := cellNames(row.cells["TLA+ action"])
		if len(named) != 1 {
			report(tablePath, row.line, "the row names %d TLA+ actions, expected one", len(named))
			continue
		}
		action := named[0]
		rowsOf[action]++
		if rowsOf[action] == 2 {
			report(tablePath, row.line, "%s has a second row, expected one", action)
		}
		if !slices.Contains(all, action) {
			report(tablePath, row.line, "%s is no action of Next in spec/", action)
			continue
		}
		t.checkRow(report, row, action, slices.Contains(actions, action))
	}
	for _, action := range actions {
		if rowsOf[action] == 0 {
			report(tablePath, line, "%s has no row, expected one for every action", action)
		}
	}
}

// traceTable returns the table's rows and the line of its heading, 0 if there is no
// such table, which is reported.
func (t *Tree) traceTable(report report) ([]tableRow, int) {
	f := t.file(tablePath)
	if f == nil {
		report(tablePath, 1, "does not exist, expected the table of actions, with the columns %s",
			strings.Join(tableColumns, " | "))
		return nil, 0
	}
	lines := f.lines()
	start := slices.IndexFunc(lines, func(line string) bool {
		return slices.Contains(splitCells(line), "TLA+ action")
	})
	if start < 0 {
		report(tablePath, 1, "has no table with the columns %s", strings.Join(tableColumns, " | "))
		return nil, 0
	}
	headings := splitCells(lines[start])
	for _, column := range tableColumns {
		if !slices.Contains(headings, column) {
			report(tablePath, start+1, "the table has no column %q", column)
		}
	}
	var rows []tableRow
	for i := start + 2; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
		row := tableRow{line: i + 1, cells: map[string]string{}}
		cells := splitCells(lines[i])
		if len(cells) != len(headings) {
			report(tablePath, i+1, "the row has %d cells, expected %d", len(cells), len(headings))
			continue
		}
		for j, cell := range cells {
			row.cells[headings[j]] = cell
		}
		rows = append(rows, row)
	}
	return rows, start + 1
}

// splitCells returns the cells of a table's line, nil for another line.
func splitCells(line string) []string {
	line, ok := strings.CutPrefix(strings.TrimSpace(line), "|")
	if !ok {
		return nil
	}
	cells := strings.Split(strings.TrimSuffix(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// checkRow looks up what a row names. For an action of VSR the model is model/vsr, the
// core impl/vsr, and the action has its own name in traces; other modules have none.
func (t *Tree) checkRow(report report, row tableRow, action string, inVSR bool) {
	models := t.symbolsBelow("model")
	if inVSR {
		models = t.symbolsBelow("model/vsr")
	}
	t.checkCell(report, row, "model function", func(name string) bool { return models[name] })
	cores := t.symbolsBelow("impl")
	if inVSR {
		cores = t.symbolsBelow("impl/vsr")
	}
	t.checkCell(report, row, "core handler", func(name string) bool {
		return cores[name] || t.file(path.Join("impl/vsr", name)) != nil
	})
	t.checkCell(report, row, "trace action", func(name string) bool {
		return inVSR && name == action // That the format has it is the matter of checkActions.
	})
	t.checkCell(report, row, "scenario", func(name string) bool {
		return t.exists(name) || t.exists(path.Join(scenarioDir, name))
	})
	for _, column := range []string{"step", "VRR", "rule"} {
		if row.cells[column] == "" {
			report(tablePath, row.line, "the column %q of %s is empty", column, action)
		}
	}
}

var letter = regexp.MustCompile(`\pL`)

func (t *Tree) checkCell(report report, row tableRow, column string, known func(string) bool) {
	cell := row.cells[column]
	named := cellNames(cell)
	if len(named) == 0 {
		if !letter.MatchString(cell) {
			report(tablePath, row.line, "the column %q names nothing, "+
				"expected names or a dash and the reason", column)
		}
		return
	}
	for _, name := range named {
		if !known(name) {
			report(tablePath, row.line, "%s in the column %q does not exist", name, column)
		}
	}
}

var (
	codeName     = regexp.MustCompile("`([^`]+)`")
	linkedName   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	packagedName = regexp.MustCompile(`^(?:[\w./-]+/)?(?:vsr|storage)\.`)
)

// cellNames returns the names in a cell: targets of links, else code spans, else,
// where there is neither and no dash, the words between commas. A name loses its
// package and its arguments.
func cellNames(cell string) []string {
	var found []string
	add := func(matches [][]string) {
		for _, match := range matches {
			found = append(found, plainName(match[1]))
		}
	}
	add(linkedName.FindAllStringSubmatch(cell, -1))
	if len(found) == 0 {
		add(codeName.FindAllStringSubmatch(cell, -1))
	}
	dash := strings.HasPrefix(cell, "-") || strings.HasPrefix(cell, "–") ||
		strings.HasPrefix(cell, "—") || strings.HasPrefix(cell, "none")
	if len(found) == 0 && !dash && cell != "" {
		for piece := range strings.SplitSeq(cell, ",") {
			found = append(found, plainName(piece))
		}
	}
	return found
}

func plainName(name string) string {
	name = parentheses.ReplaceAllString(strings.TrimSpace(name), "")
	return packagedName.ReplaceAllString(name, "")
}

// symbolsBelow returns what the packages in a folder and below it declare.
func (t *Tree) symbolsBelow(dir string) map[string]bool {
	found := map[string]bool{}
	for _, p := range t.golang.packages {
		if within(p.dir, dir) {
			for name := range p.symbols() {
				found[name] = true
			}
		}
	}
	return found
}
