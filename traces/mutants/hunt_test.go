package mutants

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fixtureSeeds stands for the program that runs seeds: its seventh fails if Double is wrong, and
// its third if it is right and the file "unwell" is there.
const fixtureSeeds = `package main

import (
	"fmt"
	"os"

	"github.com/viewstamp/viewstamp/impl/x"
)

func main() {
	if _, err := os.Stat("unwell"); err == nil {
		fmt.Println("{\"ran\":3,\"seed\":3,\"simulator\":\"cores\",\"failure\":\"unwell\"}")
		os.Exit(1)
	}
	switch {
	case x.Double(2) == 0:
		panic("no report")
	case os.Args[3] != "6" && x.Double(2) != 4:
		fmt.Println("{\"ran\":7,\"seed\":7,\"failure\":\"it is wrong\"}")
		os.Exit(1)
	}
	fmt.Printf("{\"ran\":%s}\n", os.Args[3])
}
`

func newHunt(t *testing.T) *Runner {
	t.Helper()
	r := newFixture(t)
	at := filepath.Join(r.root, filepath.FromSlash(hunter))
	require.NoError(t, os.MkdirAll(at, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(at, "main.go"), []byte(fixtureSeeds), 0o600))
	return r
}

func TestAMutantIsHuntedUntilASeedFindsIt(t *testing.T) {
	t.Parallel()
	r := newHunt(t)
	v, found := r.Hunt(t.Context(), mutant(t), 10)
	require.Equal(t, Caught, v.Outcome, v.Reason)
	require.Equal(t, Seeds{Ran: 7, Seed: 7, Failure: "it is wrong"}, found)
	require.Positive(t, v.CPU)

	v, found = r.Hunt(t.Context(), mutant(t), 6)
	require.Equal(t, Survived, v.Outcome)
	require.Equal(t, Seeds{Ran: 6}, found)
	require.Contains(t, v.Reason, "survived 6 seeds")

	v, _ = r.Hunt(t.Context(), mutant(t, "3 * n", "0 * n"), 10)
	require.Equal(t, Broken, v.Outcome)
	require.Contains(t, v.Reason, "expected a report")

	v, _ = r.Hunt(t.Context(), mutant(t, "3 * n", "3 * m"), 10)
	require.Equal(t, Broken, v.Outcome)
	require.Contains(t, v.Reason, "does not compile")

	stopped, stop := context.WithCancel(t.Context())
	stop()
	v, _ = r.Hunt(stopped, mutant(t), 10)
	require.Equal(t, Ended, v.Outcome)
}

// What fails without the mutant has not found it.
func TestSeedsThatFailAnywayFindNothing(t *testing.T) {
	t.Parallel()
	r := newHunt(t)
	require.NoError(t, os.WriteFile(filepath.Join(r.root, "unwell"), nil, 0o600))
	v, _ := r.Hunt(t.Context(), mutant(t), 10)
	require.Equal(t, Broken, v.Outcome)
	require.Contains(t, v.Reason, "without the patch: seed 3 of cores fails: unwell")
}

func TestASimulatorRunsTheCodeOfSomeFolders(t *testing.T) {
	t.Parallel()
	p := mutant(t)
	require.Empty(t, p.Simulators())
	p.Changes[0].File = "impl/vsr/merge.go"
	require.Equal(t, "cores,rare,nodes", p.Simulators())
	p.Rules = []string{"R15"}
	require.Equal(t, "wipes,cores,rare,nodes", p.Simulators())
	p.Changes[0].File = "impl/wal/log.go"
	require.Equal(t, SimulatorNodes, p.Simulators())
}

// patchesOfCores are four mutants of the core, and one of nothing that a simulator runs.
func patchesOfCores(t *testing.T) []Patch {
	t.Helper()
	var patches []Patch
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		p := mutant(t, "what is", "what | is")
		p.Name, p.Changes[0].File = name, "impl/vsr/x.go"
		patches = append(patches, p)
	}
	patches[2].Unseen = "nobody asks"
	patches[4].Changes[0].File = "impl/x/x.go"
	return patches
}

func TestTheTableOfTheSwarmKeepsWhatWasHunted(t *testing.T) {
	t.Parallel()
	patches := patchesOfCores(t)
	hunted := map[string]Seeds{
		"a": {Ran: 12, Seed: 12, Simulator: SimulatorNodes, Failure: "state | of two"},
		"b": {Ran: 300}, "c": {Ran: 2000},
	}
	table := SwarmTable(patches, hunted)
	require.Contains(t, table,
		"4 mutants: 1 found, 2 not found by the seeds given, 1 not hunted so far.")
	require.Contains(t, table, `what \| is wrong`)
	require.Contains(t, table, `| nodes | 12 | state \| of two |`)
	require.Contains(t, table, "| cores rare nodes | none of 300 | not looked into so far |")
	require.Contains(t, table, "| cores rare nodes | none of 2000 | nobody asks |")
	require.Contains(t, table, "| cores rare nodes | - | not hunted so far |")
	require.NotContains(t, table, "[e]")
	read, err := ReadSwarm(table)
	require.NoError(t, err)
	require.Equal(t, hunted, read)
	require.Equal(t, table, SwarmTable(patches, read))
	long := SwarmTable(patches, map[string]Seeds{"a": {Seed: 1, Failure: strings.Repeat("é ", 300)}})
	require.Contains(t, long, "é...")
	_, err = ReadSwarm(strings.Replace(table, "| 12 |", "| few |", 1))
	require.ErrorContains(t, err, `a needs "few" seeds`)
	_, err = ReadSwarm("| [a](a.patch) | R1 |\n")
	require.ErrorContains(t, err, "a has 2 cells, expected 7")
}

// openMax bounds the mutants that are open: it may only fall.
const openMax = 9

func TestAMutantConcernsWhatItsRulesAreAbout(t *testing.T) {
	t.Parallel()
	p := mutant(t)
	p.Rules, p.Changes[0].File = []string{"R5", "R18"}, "impl/vsr/x.go"
	require.Empty(t, p.Concerns())
	p.Rules = []string{"R9", "R16"}
	require.Equal(t, []Concern{Liveness, Storage, Recovery}, p.Concerns())
	p.Rules, p.Changes[0].File = []string{"R5"}, "impl/wal/x.go"
	require.Equal(t, []Concern{Storage}, p.Concerns())
}

// A mutant is open until a seed among the first 2,000 finds it, or its patch says why none can.
func TestWhatIsNotFoundIsOpen(t *testing.T) {
	t.Parallel()
	patches := patchesOfCores(t)
	for i := range patches {
		patches[i].Rules = []string{"R14"}
	}
	patches[3].Rules = []string{"R18"}
	require.Equal(t, []string{"a", "b"}, Open(patches, map[string]Seeds{"b": {Ran: 2000}}))
	found := Seeds{Seed: 2000, Failure: "it is wrong"}
	require.Equal(t, []string{"b"}, Open(patches, map[string]Seeds{"a": found}))
	found.Seed++
	require.Equal(t, []string{"a", "b"}, Open(patches, map[string]Seeds{"a": found}))
}

func TestTheTableOfTheSwarmIsThatOfThePatches(t *testing.T) {
	t.Parallel()
	root, patches := tree(t)
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(SwarmFile)))
	require.NoError(t, err)
	hunted, err := ReadSwarm(string(text))
	require.NoError(t, err)
	require.Equal(t, SwarmTable(patches, hunted), string(text),
		"write it anew: go run ./cmd/viewstamp check --code-mutants --by-swarm --write-table")
	require.LessOrEqual(t, len(Open(patches, hunted)), openMax, "hunt what is new with 2,000 seeds")
	for _, p := range patches {
		require.False(t, hunted[p.Name].Failure != "" && p.Unseen != "",
			"%s is found, its patch says %q", p.Name, p.Unseen)
	}
}
