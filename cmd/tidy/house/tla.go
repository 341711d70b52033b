package house

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// tlaModule is one module of spec/.
type tlaModule struct {
	*File
	name string
	text []string // The lines.
}

// definition is an operator that starts in the first column.
type definition struct {
	module *tlaModule
	name   string
	line   int
}

var (
	definitionLine = regexp.MustCompile(`^([A-Za-z]\w*)(?:\([^)]*\))?\s*==`)
	extendsLine    = regexp.MustCompile(`(?m)^EXTENDS\s+([\w, ]+)`)
	disjunct       = regexp.MustCompile(`(?:==|\\/|:)\s*([A-Z]\w*)`)
	wordPattern    = regexp.MustCompile(`\w+`)
	bugNamesBlock  = regexp.MustCompile(`(?s)\nBugNames\s*==\s*\{(.*?)\}`)
	quotedName     = regexp.MustCompile(`"([a-z0-9_]+)"`)
	lineComment    = regexp.MustCompile(`\\\*[^\n]*`)
)

// modules returns the modules of spec/, by name.
func (t *Tree) modules() []*tlaModule {
	var modules []*tlaModule
	for _, f := range t.Files {
		if path.Dir(f.Path) == "spec" && path.Ext(f.Path) == ".tla" {
			modules = append(modules, &tlaModule{
				File: f, name: strings.TrimSuffix(path.Base(f.Path), ".tla"), text: f.lines(),
			})
		}
	}
	return modules
}

// closure returns the module and those of spec/ that it extends, directly or not; nil
// if there is no such module.
func (t *Tree) closure(name string) []*tlaModule {
	byName := map[string]*tlaModule{}
	for _, m := range t.modules() {
		byName[m.name] = m
	}
	var found []*tlaModule
	for pending := []string{name}; len(pending) > 0; pending = pending[1:] {
		m := byName[pending[0]]
		if m == nil || slices.Contains(found, m) {
			continue
		}
		found = append(found, m)
		if extends := extendsLine.FindSubmatch(m.File.text); extends != nil {
			pending = append(pending, wordPattern.FindAllString(string(extends[1]), -1)...)
		}
	}
	return found
}

// definitions returns the module's definitions in the order of the text.
func (m *tlaModule) definitions() []definition {
	var found []definition
	for i, line := range m.text {
		if match := definitionLine.FindStringSubmatch(line); match != nil {
			found = append(found, definition{module: m, name: match[1], line: i + 1})
		}
	}
	return found
}

// find returns the definition of that name in one of the modules.
func find(modules []*tlaModule, name string) (definition, bool) {
	for _, m := range modules {
		for _, d := range m.definitions() {
			if d.name == name {
				return d, true
			}
		}
	}
	return definition{}, false
}

// body returns the definition's text without comments: from its line to the next line
// that starts in the first column or is empty.
func (d definition) body() string {
	lines := d.module.text[d.line-1:]
	end := 1
	for end < len(lines) && strings.HasPrefix(lines[end], " ") {
		end++
	}
	return lineComment.ReplaceAllString(strings.Join(lines[:end], "\n"), "")
}

// comment returns the text of the comment lines in the paragraph above the
// definition, in one line.
func (d definition) comment() string {
	var words []string
	for _, line := range slices.Backward(d.module.text[:d.line-1]) {
		if strings.TrimSpace(line) == "" {
			break
		}
		if text, ok := strings.CutPrefix(line, `\*`); ok {
			words = append(words, strings.Join(strings.Fields(text), " "))
		}
	}
	slices.Reverse(words)
	return strings.Join(words, " ")
}

// nextActions returns the operators that the module's Next is a disjunction of, in the
// order of the text; nil if there is no Next.
func (t *Tree) nextActions(module string) []string {
	next, ok := find(t.closure(module), "Next")
	if !ok {
		return nil
	}
	var names []string
	for _, match := range disjunct.FindAllStringSubmatch(next.body(), -1) {
		if !slices.Contains(names, match[1]) {
			names = append(names, match[1])
		}
	}
	return names
}

// mutants returns the members of the BugNames that the module defines itself, with
// the line of each.
func (m *tlaModule) mutants() map[string]int {
	found := map[string]int{}
	// Comments are blanked: they may quote names, and a brace would end the set.
	text := lineComment.ReplaceAllStringFunc(string(m.File.text), func(comment string) string {
		return strings.Repeat(" ", len(comment))
	})
	block := bugNamesBlock.FindStringSubmatchIndex(text)
	if block == nil {
		return found
	}
	for _, at := range quotedName.FindAllStringSubmatchIndex(text[block[2]:block[3]], -1) {
		start, end := block[2]+at[2], block[2]+at[3]
		found[text[start:end]] = 1 + strings.Count(text[:start], "\n")
	}
	return found
}

// allMutants returns the mutants of all modules, sorted.
func (t *Tree) allMutants() []string {
	var names []string
	for _, m := range t.modules() {
		for name := range m.mutants() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
