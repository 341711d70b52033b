package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Mutant is one deliberate defect of a module, a member of its BugNames.
type Mutant struct {
	Name string
	// Meaning is the comment beside it: the rule that it breaks and how.
	Meaning string
}

// Invariant is a definition that some cfg lists under INVARIANTS or PROPERTIES.
type Invariant struct {
	Name string
	// File and Line say where it is defined.
	File string
	Line int
	// Comment is the text of the comments in the paragraph above it.
	Comment string
	// Mutants are the mutants that the comment names, in its order.
	Mutants []string
	// Unbroken is true if the comment says that no mutant breaks it, and why.
	Unbroken bool
}

var (
	extendsLine = regexp.MustCompile(`(?m)^EXTENDS\s+([A-Za-z0-9_, ]+)`)
	instance    = regexp.MustCompile(`(?m)^[^\\\n]*==\s*INSTANCE\s+([A-Za-z0-9_]+)`)
	bugNames    = regexp.MustCompile(`(?s)\nBugNames\s*==\s*\{(.*?)\n\S`)
	bugName     = regexp.MustCompile(`"([a-z0-9_]+)"[^\n]*?(?:\\\*\s*([^\n]*))?(?:\n|$)`)
	identifier  = regexp.MustCompile(`[A-Za-z0-9_]+`)
	definition  = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_]*)\s*==`)
	noMutant    = regexp.MustCompile(`No mutant breaks it: \S`)
)

// extends returns the modules that the module text extends directly.
func extends(text []byte) []string {
	match := extendsLine.FindSubmatch(text)
	if match == nil {
		return nil
	}
	return identifier.FindAllString(string(match[1]), -1)
}

// instances returns the modules that the module text names an instance of.
func instances(text []byte) []string {
	var names []string
	for _, match := range instance.FindAllSubmatch(text, -1) {
		names = append(names, string(match[1]))
	}
	return names
}

// ModuleOfMutants returns the module that defines the BugNames of module: itself or one
// that it extends. Modules that share it share their mutants. It is empty for a module
// without mutants.
func ModuleOfMutants(module string) string { return ownersOnce()[module] }

var ownersOnce = sync.OnceValue(func() map[string]string {
	files, owners := Files(), map[string]string{}
	for _, module := range Modules() {
		owners[module] = moduleOfMutants(files, module)
	}
	return owners
})

func moduleOfMutants(files map[string][]byte, module string) string {
	var seen []string
	for pending := []string{module}; len(pending) > 0; pending = pending[1:] {
		name := pending[0]
		text, ours := files[name+moduleSuffix]
		if !ours || slices.Contains(seen, name) {
			continue
		}
		if bugNames.Match(text) {
			return name
		}
		seen = append(seen, name)
		pending = append(pending, extends(text)...)
	}
	return ""
}

// Mutants returns the members of the BugNames of module or of a module that it
// extends, in the order of the text.
func Mutants(module string) ([]Mutant, error) {
	files, err := ModuleFiles(module)
	if err != nil {
		return nil, err
	}
	return mutantsIn(files, module)
}

func mutantsIn(files map[string][]byte, module string) ([]Mutant, error) {
	if owner := moduleOfMutants(files, module); owner != "" {
		block := bugNames.FindSubmatch(files[owner+moduleSuffix])
		var mutants []Mutant
		for _, m := range bugName.FindAllSubmatch(block[1], -1) {
			mutants = append(mutants, Mutant{
				Name: string(m[1]), Meaning: strings.TrimSpace(string(m[2])),
			})
		}
		return mutants, nil
	}
	return nil, fmt.Errorf("module %s: no definition BugNames == {...} in it or in what it extends",
		module)
}

// Invariants returns, sorted by name, the definitions that cfgs of module list
// under INVARIANTS or PROPERTIES, with what their comments say. A property that is
// listed and defined nowhere is an error.
func Invariants(module string) ([]Invariant, error) {
	manifest, err := Read()
	if err != nil {
		return nil, err
	}
	files, err := ModuleFiles(module)
	if err != nil {
		return nil, err
	}
	mutants, err := mutantsIn(files, module)
	if err != nil {
		return nil, err
	}
	listed := map[string]string{} // Property to the cfg that lists it.
	for _, cfg := range manifest.Cfgs {
		if cfg.Module == module {
			for _, name := range cfg.Config.Checked() {
				listed[name] = cfg.Name
			}
		}
	}
	var invariants []Invariant
	for _, name := range sortedNames(listed) {
		invariant, ok := findInvariant(files, name, mutants)
		if !ok {
			return nil, fmt.Errorf("%s: lists %s, which no file of module %s defines",
				configFile(listed[name]), name, module)
		}
		invariants = append(invariants, invariant)
	}
	return invariants, nil
}

// findInvariant looks for the definition of name and reads the comments of its
// paragraph, that is, of the lines above it up to an empty one.
func findInvariant(files map[string][]byte, name string, mutants []Mutant) (Invariant, bool) {
	for _, file := range sortedNames(files) {
		lines := strings.Split(string(files[file]), "\n")
		for i, line := range lines {
			match := definition.FindStringSubmatch(line)
			if match == nil || match[1] != name {
				continue
			}
			invariant := Invariant{Name: name, File: file, Line: i + 1}
			invariant.Comment = commentAbove(lines[:i])
			for _, word := range identifier.FindAllString(invariant.Comment, -1) {
				named := slices.ContainsFunc(mutants, func(m Mutant) bool { return m.Name == word })
				if named && !slices.Contains(invariant.Mutants, word) {
					invariant.Mutants = append(invariant.Mutants, word)
				}
			}
			invariant.Unbroken = noMutant.MatchString(invariant.Comment)
			return invariant, true
		}
	}
	return Invariant{}, false
}

func commentAbove(lines []string) string {
	var words []string
	for _, line := range slices.Backward(lines) {
		if strings.TrimSpace(line) == "" {
			break
		}
		if comment, ok := strings.CutPrefix(line, `\*`); ok {
			words = append(words, strings.Join(strings.Fields(comment), " "))
		}
	}
	slices.Reverse(words)
	return strings.Join(words, " ")
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
