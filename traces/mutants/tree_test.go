package mutants

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree returns the root of this source tree and its patches.
func tree(t *testing.T) (string, []Patch) {
	t.Helper()
	root, err := FindTree(".")
	require.NoError(t, err)
	patches, err := Read(root)
	require.NoError(t, err)
	return root, patches
}

// A patch that no longer applies must be noticed by whoever changes the code, not later.
func TestEachPatchApplies(t *testing.T) {
	t.Parallel()
	root, patches := tree(t)
	for _, p := range patches {
		files, err := p.Apply(func(file string) ([]byte, error) {
			return os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		})
		if assert.NoError(t, err) { // All that are stale are named at once.
			require.NotEmpty(t, files)
		}
	}
}

// without has the rules that no code of this tree follows yet, and so no mutant breaks.
var without = map[string]string{}

func TestEachRuleThatHasCodeIsBroken(t *testing.T) {
	t.Parallel()
	_, patches := tree(t)
	broken, bugs := map[string]bool{}, map[string]bool{}
	for _, p := range patches {
		for _, rule := range p.Rules {
			broken[rule] = true
		}
		bugs[p.Like] = true
	}
	for number := 1; number <= 21; number++ {
		rule := fmt.Sprintf("R%d", number)
		if _, excused := without[rule]; !excused {
			require.True(t, broken[rule], "no mutant breaks %s", rule)
		}
	}
	for _, seed := range []string{"iggy#4294", "iggy#4075", "iggy#4632", "iggy#3767"} {
		require.True(t, bugs[seed], "no mutant is like %s", seed)
	}
}

func TestTheTableIsThatOfThePatches(t *testing.T) {
	t.Parallel()
	root, patches := tree(t)
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(TableFile)))
	require.NoError(t, err)
	seconds, err := ReadSeconds(string(text))
	require.NoError(t, err)
	require.Equal(t, Table(patches, seconds), string(text),
		"write it anew: go run ./cmd/viewstamp check --code-mutants --write-table")
}

func TestTheTableKeepsItsSeconds(t *testing.T) {
	t.Parallel()
	p, err := Parse("x_triples", strings.Replace(example, "what is", "a | b is", 1))
	require.NoError(t, err)
	other := p
	other.Name = "y"
	table := Table([]Patch{p, other}, map[string]float64{"x_triples": 1.26})
	require.Contains(t, table, "2 mutants: unit 2. They break R1 R20.")
	require.Contains(t, table, `| a \| b is wrong, said in two lines |`)
	seconds, err := ReadSeconds(table)
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"x_triples": 1.3}, seconds)
	_, err = ReadSeconds(strings.Replace(table, "1.3 |", "long |", 1))
	require.ErrorContains(t, err, `x_triples took "long", expected seconds or a dash`)
}

func TestOutsideOfASourceTreeThereIsNothingToTry(t *testing.T) {
	t.Parallel()
	var unavailable *Unavailable
	_, err := FindTree(t.TempDir())
	require.ErrorAs(t, err, &unavailable)
	_, err = Read(t.TempDir())
	require.Error(t, err)
}

// No t.Parallel: the environment is the process's.
func TestWithoutTheGoToolThereIsNothingToTry(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := NewRunner(t.TempDir())
	var unavailable *Unavailable
	require.ErrorAs(t, err, &unavailable)
	require.Contains(t, unavailable.Reason, "Go tool")
}
