package spec

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// configured are the modules that cfgs configure.
func configured(t *testing.T) []string {
	t.Helper()
	manifest, err := Read()
	require.NoError(t, err)
	var modules []string
	for _, cfg := range manifest.Cfgs {
		if !slices.Contains(modules, cfg.Module) {
			modules = append(modules, cfg.Module)
		}
	}
	require.GreaterOrEqual(t, len(modules), 2)
	return modules
}

func TestMutantsAreReadFromBugNames(t *testing.T) {
	t.Parallel()
	mutants, err := Mutants("VSR")
	require.NoError(t, err)
	require.Equal(t, "stall_is_pipeline", mutants[0].Name)
	for _, m := range mutants {
		assert.Regexp(t, `^R\d+`, m.Meaning, "%s must say which rule it breaks", m.Name)
	}
	borrowed, err := Mutants("Refinement")
	require.NoError(t, err)
	assert.Equal(t, mutants, borrowed, "not those of the module that it has an instance of")
	assert.Equal(t, "Replica", ModuleOfMutants("Refinement"))
	assert.Equal(t, "Replica", ModuleOfMutants("VSR"))
	assert.Equal(t, "AtomicViewChange", ModuleOfMutants("AtomicViewChange"))
	assert.Empty(t, ModuleOfMutants("Normally"))

	_, err = mutantsIn(map[string][]byte{"A.tla": []byte("---- MODULE A ----\n")}, "A")
	require.EqualError(t, err,
		"module A: no definition BugNames == {...} in it or in what it extends")
}

// None is lost on the way: BugNames has as many strings as mutants are found, in one order.
func TestNoMutantIsOverlooked(t *testing.T) {
	t.Parallel()
	for _, module := range configured(t) {
		mutants, err := Mutants(module)
		require.NoError(t, err)
		text := string(Files()[ModuleOfMutants(module)+moduleSuffix])
		_, set, _ := strings.Cut(text, "\nBugNames ==")
		set, _, _ = strings.Cut(set, "}")
		var quoted []string
		for _, line := range strings.Split(set, "\n") {
			code, _, _ := strings.Cut(line, `\*`)
			for i, part := range strings.Split(code, `"`) {
				if i%2 == 1 {
					quoted = append(quoted, part)
				}
			}
		}
		var names []string
		for _, m := range mutants {
			names = append(names, m.Name)
		}
		assert.Equal(t, quoted, names, "BugNames of %s", module)
	}
}

// An invariant that nothing can break proves nothing, and a mutant without a cfg is
// never run.
func TestEveryMutantHasACfg(t *testing.T) {
	t.Parallel()
	manifest, err := Read()
	require.NoError(t, err)
	prefixes := documentedPrefixes(t)
	for _, module := range configured(t) {
		mutants, err := Mutants(module)
		require.NoError(t, err)
		for _, m := range mutants {
			cfgs := manifest.Select(func(c Cfg) bool {
				return ModuleOfMutants(c.Module) == ModuleOfMutants(module) && c.Mutant == m.Name
			})
			require.NotEmpty(t, cfgs, "mutant %s of %s has no cfg", m.Name, module)
			for _, cfg := range cfgs {
				prefix, rest, _ := strings.Cut(cfg.Name, "bug-"+m.Name)
				assert.True(t, rest == "" || rest[0] == '-', "cfg %s of mutant %s", cfg.Name, m.Name)
				assert.Contains(t, prefixes[cfg.Module], prefix+"bug-",
					"%s: README.md has no such prefix for module %s", cfg.Name, cfg.Module)
			}
		}
	}
}

// documentedPrefixes are those of the cfgs of each module's mutants, as the table in
// README.md has them: what people read is what holds.
func documentedPrefixes(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n### A mutant, step by step\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n### ")
	prefixes := map[string][]string{}
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 7 {
			continue
		}
		for i, name := range strings.Split(cells[3], "`") {
			if prefix, is := strings.CutSuffix(name, "NAME"); i%2 == 1 && is {
				module := strings.Trim(cells[1], " `")
				prefixes[module] = append(prefixes[module], prefix)
			}
		}
	}
	return prefixes
}

func TestEveryInvariantNamesItsMutant(t *testing.T) {
	t.Parallel()
	manifest, err := Read()
	require.NoError(t, err)
	for _, module := range configured(t) {
		invariants, err := Invariants(module)
		require.NoError(t, err)
		require.NotEmpty(t, invariants)
		for _, inv := range invariants {
			assert.Empty(t, withoutMutant(module, inv, manifest.Unbroken))
		}
	}
}

// withoutMutant says what is wrong with the account of an invariant: it must name
// at least one existing mutant, or a reason why there is none; not both.
func withoutMutant(module string, inv Invariant, unbroken map[string]string) string {
	_, excused := unbroken[module+"."+inv.Name]
	excused = excused || inv.Unbroken
	switch {
	case len(inv.Mutants) > 0 && excused:
		return inv.Name + ": names a mutant and a reason why there is none"
	case len(inv.Mutants) == 0 && !excused:
		return inv.Name + ": names no mutant that breaks it and no reason why there is none"
	}
	return ""
}

func TestUnbrokenInvariantsExist(t *testing.T) {
	t.Parallel()
	manifest, err := Read()
	require.NoError(t, err)
	for name, reason := range manifest.Unbroken {
		module, invariant, _ := strings.Cut(name, ".")
		invariants, err := Invariants(module)
		require.NoError(t, err)
		assert.True(t, slices.ContainsFunc(invariants, func(i Invariant) bool {
			return i.Name == invariant
		}), "%s is not an invariant", name)
		assert.Greater(t, len(reason), 20, "%s: say why", name)
	}
}

func TestFindInvariantReadsTheParagraphAboveIt(t *testing.T) {
	t.Parallel()
	mutants := []Mutant{{Name: "torn"}, {Name: "lost_view"}}
	text := `---- MODULE M ----
\* Mutant lost_view of another paragraph.
Other == TRUE

\* Nothing is torn.
\* Mutant torn breaks it.
Part(x) == x
Whole == \A x \in S : Part(x)
Silent == TRUE

\* No mutant breaks it: it guards this text.
Guard == TRUE
`
	files := map[string][]byte{"M.tla": []byte(text)}
	whole, ok := findInvariant(files, "Whole", mutants)
	require.True(t, ok)
	assert.Equal(t, Invariant{
		Name: "Whole", File: "M.tla", Line: 8,
		Comment: "Nothing is torn. Mutant torn breaks it.", Mutants: []string{"torn"},
	}, whole)
	assert.Empty(t, withoutMutant("M", whole, nil))
	assert.NotEmpty(t, withoutMutant("M", whole, map[string]string{"M.Whole": "none"}))

	guard, ok := findInvariant(files, "Guard", mutants)
	require.True(t, ok)
	assert.True(t, guard.Unbroken)
	assert.Empty(t, withoutMutant("M", guard, nil))

	bare := map[string][]byte{"M.tla": []byte("\nNaked == TRUE\n")}
	naked, ok := findInvariant(bare, "Naked", mutants)
	require.True(t, ok)
	assert.NotEmpty(t, withoutMutant("M", naked, nil), "the check must be able to fail")

	_, ok = findInvariant(files, "Absent", mutants)
	assert.False(t, ok)
}
