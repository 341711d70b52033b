package testdata_test

import (
	"context"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/sim/nodes"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces/testdata"
)

// catalogued are the public defects of which regress/README.md must have one row each.
var catalogued = strings.Fields(`
	IG-01 IG-02 IG-04 IG-05 IG-07 IG-08 IG-10 IG-11 IG-13 IG-14 IG-16 IG-17 IG-19 IG-20 IG-22
	IG-23 IG-25 IG-26 IG-28 IG-29 IG-31 IG-32 IG-34 IG-35 IG-37 IG-38 IG-40 IG-41 IG-43 IG-44
	IG-46 IG-47 IG-49
	TB-01 TB-02 TB-04 TB-05 TB-07 TB-08 TB-10 TB-11 TB-13 TB-14 TB-16 TB-17 TB-19 TB-20
	RA-01 RA-02 RA-04 RA-05 RA-07 RA-08 RA-10 RA-11 RA-13 RA-14 RA-16 RA-17 RA-19 RA-20 RA-22
	RA-23
	VS-01 VS-02
	JP-01 JP-02 JP-04 JP-05 JP-07 JP-08 JP-10 JP-11
	PC-01 PC-02 PC-04 PC-05 PC-07 PC-08
	TL-01 TL-02 TL-04 TL-05 TL-07
	SM-01 SM-02 SM-04 SM-05`)

// entry is one row of the table.
type entry struct {
	id, source, wrong, why string
	shown                  []string
}

const columns = 5

// readCatalogue reads the rows of the table. What is no row of it is left aside.
func readCatalogue(text string) []entry {
	row := regexp.MustCompile(`^\| [A-Z]{2}-\d+ \|`)
	code := regexp.MustCompile("`([^`]*)`")
	var out []entry
	for line := range strings.Lines(text) {
		if !row.MatchString(line) {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != columns {
			out = append(out, entry{id: line}) // no id that is expected
			continue
		}
		e := entry{strings.TrimSpace(cells[0]), cells[1], cells[2], cells[3], nil}
		for _, m := range code.FindAllStringSubmatch(cells[4], -1) {
			e.shown = append(e.shown, m[1])
		}
		out = append(out, e)
	}
	return out
}

// evidence knows everything that a row may name.
type evidence struct {
	root  fs.FS
	swarm []string
	spec  *spec.Manifest
}

func newEvidence(t *testing.T) evidence {
	t.Helper()
	e := evidence{root: os.DirFS("../..")}
	swarm, err := sim.Swarm(context.Background(), 0, 0, sim.Options{Ticks: 1}, nil)
	require.NoError(t, err)
	for _, row := range swarm.Coverage {
		if row.Expected {
			e.swarm = append(e.swarm, row.Group+"/"+row.Name)
		}
	}
	e.spec, err = spec.Read()
	require.NoError(t, err)
	return e
}

// missing says why a command of the table cannot be run as written, or nothing.
func (e evidence) missing(shown string) string {
	kind, rest, _ := strings.Cut(shown, " ")
	switch kind {
	case "scenario":
		if _, err := fs.Stat(testdata.Files(), rest); err != nil {
			return "no such scenario"
		}
	case "test":
		return e.missingTest(rest)
	case "swarm":
		if !slices.Contains(e.swarm, rest) {
			return "not expected of a swarm"
		}
	case "nodes":
		if !slices.Contains(nodes.FeatureNames(), rest) {
			return "no such fault"
		}
	case "code":
		if _, err := os.Stat(path.Join("mutants", rest+".patch")); err != nil {
			return "no such mutant"
		}
	case "spec":
		if cfg, err := e.spec.Lookup(rest); err != nil || cfg.Mutant == "" {
			return "no such cfg of a mutant"
		}
	default:
		return "expected scenario, test, swarm, nodes, code or spec"
	}
	return ""
}

// missingTest looks for the function that a go test command names, in the package's files.
func (e evidence) missingTest(command string) string {
	m := regexp.MustCompile(`^\./(\S+) -run '\^(Test\w+)\$'$`).FindStringSubmatch(command)
	if m == nil {
		return "expected ./PACKAGE -run '^TestName$'"
	}
	files, err := fs.Glob(e.root, path.Join(m[1], "*_test.go"))
	if err != nil || len(files) == 0 {
		return "no such package with tests"
	}
	for _, name := range files {
		text, err := fs.ReadFile(e.root, name)
		if err == nil && strings.Contains(string(text), "\nfunc "+m[2]+"(") {
			return ""
		}
	}
	return "no such test"
}

// problems lists what is wrong with a row.
func (e evidence) problems(row entry) []string {
	var out []string
	for _, cell := range []string{row.source, row.wrong, row.why} {
		if len(strings.TrimSpace(cell)) < len("iggy#1") {
			out = append(out, row.id+": a column says nothing")
		}
	}
	if len(row.shown) == 0 && !strings.Contains(row.why, "cannot occur here") {
		out = append(out, row.id+": nothing shows it, and it does not say: cannot occur here")
	}
	for _, shown := range row.shown {
		if why := e.missing(shown); why != "" {
			out = append(out, row.id+": "+shown+": "+why)
		}
	}
	return out
}

// The table is complete, and whatever it names is there.
func TestCatalogueNamesWhatExists(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("regress/README.md")
	require.NoError(t, err)
	e := newEvidence(t)
	var ids, problems []string
	for _, row := range readCatalogue(string(text)) {
		ids = append(ids, row.id)
		problems = append(problems, e.problems(row)...)
	}
	require.Len(t, catalogued, 88)
	require.ElementsMatch(t, catalogued, ids)
	require.Empty(t, problems)
}

// Each story that was written for the table is named by a row of it.
func TestCatalogueNamesItsScenarios(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("regress/README.md")
	require.NoError(t, err)
	stories, err := fs.Glob(testdata.Files(), "regress/catalogue/*.txt")
	require.NoError(t, err)
	for _, name := range stories {
		require.Contains(t, string(text), "`scenario "+name+"`")
	}
}

func TestCatalogueWithAMistakeIsRefused(t *testing.T) {
	t.Parallel()
	e := newEvidence(t)
	for name, row := range map[string]string{
		"a scenario that is not there": "`scenario normal/nobody.txt`",
		"a test that is not there":     "`test ./impl/vsr -run '^TestNothingOfTheKind$'`",
		"a package that is not there":  "`test ./impl/nothing -run '^TestQuorums$'`",
		"a command of another form":    "`test ./impl/vsr TestQuorums`",
		"a row that no swarm shows":    "`swarm fault/earthquake`",
		"a fault of no process":        "`nodes earthquake`",
		"a mutant of no patch":         "`code vsr_is_right`",
		"a cfg of no mutant":           "`spec ci-110`",
		"an unknown kind":              "`video 7`",
		"nothing at all":               "-",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := readCatalogue("| IG-01 | iggy#3824 | it went wrong | it is kept out | " + row +
				" |\n")
			require.Len(t, rows, 1)
			require.Equal(t, "IG-01", rows[0].id)
			require.Len(t, e.problems(rows[0]), 1)
		})
	}
}
