package spec

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ruleRow is a row of the table of rules: the rule, what it demands, what breaks it.
var ruleRow = regexp.MustCompile(`(?m)^\| R(\d+) \|[^|]+\| ([^|]+) \|`)

var (
	ruleName  = regexp.MustCompile(`\bR\d+\b`)
	snakeCase = regexp.MustCompile("`([a-z0-9]+(?:_[a-z0-9]+)*)`")
	wholeTLA  = regexp.MustCompile("those of `(\\w+)\\.tla`")
)

// Rules are numbered in ARCHITECTURE.md; R20 is about frames, which no module has.
const (
	rulesCount     = 21
	ruleWithoutOne = "R20"
)

// ruleTable returns, by rule, what the table of rules says that breaks it.
func ruleTable(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../ARCHITECTURE.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "\n## The rules\n")
	require.True(t, found, "ARCHITECTURE.md has no section of that name")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := map[string]string{}
	for _, row := range ruleRow.FindAllStringSubmatch(table, -1) {
		rows["R"+row[1]] = row[2]
	}
	require.Len(t, rows, rulesCount, "rules in the table")
	return rows
}

// rulesOfMutants returns the mutants by the rules that their comments name, as "Owner.name",
// and all of their names.
func rulesOfMutants(t *testing.T) (byRule map[string][]string, names []string) {
	t.Helper()
	byRule = map[string][]string{}
	owners := map[string]bool{}
	for _, module := range configured(t) {
		owner := ModuleOfMutants(module)
		if owners[owner] {
			continue
		}
		owners[owner] = true
		mutants, err := Mutants(module)
		require.NoError(t, err)
		for _, m := range mutants {
			names = append(names, m.Name)
			rules, _, _ := strings.Cut(m.Meaning, ":")
			for _, rule := range ruleName.FindAllString(rules, -1) {
				byRule[rule] = append(byRule[rule], owner+"."+m.Name)
			}
		}
	}
	return byRule, names
}

// A rule that no defect breaks is not checked by anything: each has a mutant, whose cfg names
// the invariant or property that catches it.
func TestEachRuleHasAMutantThatAnInvariantCatches(t *testing.T) {
	t.Parallel()
	manifest, err := Read()
	require.NoError(t, err)
	byRule, _ := rulesOfMutants(t)
	for rule := range ruleTable(t) {
		if rule == ruleWithoutOne {
			assert.Empty(t, byRule[rule], "%s has a mutant now", rule)
			continue
		}
		assert.NotEmpty(t, byRule[rule], "no mutant's comment names %s", rule)
		for _, mutant := range byRule[rule] {
			owner, name, _ := strings.Cut(mutant, ".")
			caught := manifest.Select(func(c Cfg) bool {
				return ModuleOfMutants(c.Module) == owner && c.Mutant == name &&
					!slices.Contains(c.Expect, "clean") && len(c.Expect) > 0
			})
			assert.NotEmpty(t, caught, "%s of %s breaks nothing", mutant, rule)
		}
	}
	for rule := range byRule {
		assert.Contains(t, ruleTable(t), rule, "mutants %v name a rule that there is not", byRule[rule])
	}
}

// The table of rules names mutants and modules that exist.
func TestTheTableOfRulesNamesWhatThereIs(t *testing.T) {
	t.Parallel()
	_, names := rulesOfMutants(t)
	modules := Modules()
	for rule, breaks := range ruleTable(t) {
		named := 0
		for _, match := range snakeCase.FindAllStringSubmatch(breaks, -1) {
			named++
			assert.Contains(t, names, match[1], "%s is broken by what is no mutant", rule)
		}
		for _, match := range wholeTLA.FindAllStringSubmatch(breaks, -1) {
			named++
			assert.Contains(t, modules, match[1], "%s names a module that there is not", rule)
		}
		assert.Equal(t, rule != ruleWithoutOne, named > 0, "%s: %s", rule, breaks)
	}
}
