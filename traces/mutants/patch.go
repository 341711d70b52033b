package mutants

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Patch is one mutant.
type Patch struct {
	Name string
	// Rules are those that it breaks, as "R12".
	Rules []string
	// Breaks says what is wrong, Like names a public bug of the kind, or nothing.
	Breaks, Like string
	Layer        Layer
	Catch        Catch
	// Expect is what the output of the failing command must hold; it may be empty for a test.
	Expect string
	// Unseen says why no seed of a simulator fails on it; empty if one should.
	Unseen  string
	Changes []Change
}

// Change is what a patch does to one file.
type Change struct {
	// File is relative to the root of the tree, with slashes.
	File  string
	Hunks []Hunk
}

// Hunk replaces some lines that follow one another.
type Hunk struct {
	// Line is where it stands in the patch.
	Line int
	// Heading is the beginning of the declaration that it lies in; it may be empty.
	Heading string
	// Old is what must be there, New what comes in its place.
	Old, New []string
}

var (
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	rulePattern = regexp.MustCompile(`^R([1-9]|1[0-9]|2[01])$`)
	hunkPattern = regexp.MustCompile(`^@@ [-+0-9, ]*@@ ?(.*)$`)
	filePattern = regexp.MustCompile(`^impl/[a-z0-9_/]+\.go$`)
)

// fields are the fields of the head, in their order, and whether each must be there.
var fields = []struct {
	name     string
	required bool
}{
	{"rule", true},
	{"breaks", true},
	{"like", false},
	{"layer", true},
	{"catch", true},
	{"expect", false},
	{"unseen", false},
}

// Parse reads the patch of a mutant.
//
// Errors: what is wrong, in which line of the patch, and what was expected.
func Parse(name, text string) (Patch, error) {
	p := parser{patch: Patch{Name: name}, lines: strings.Split(strings.TrimRight(text, "\n"), "\n")}
	if !namePattern.MatchString(name) {
		return Patch{}, fmt.Errorf("patch %q: expected a name of lower case letters, digits and "+
			"underscores", name)
	}
	if err := p.parse(); err != nil {
		return Patch{}, fmt.Errorf("patch %s: line %d: %w", name, p.at+1, err)
	}
	return p.patch, nil
}

type parser struct {
	patch Patch
	lines []string
	at    int // The line that is looked at.
}

// line is the line that is looked at; false behind the last.
func (p *parser) line() (string, bool) {
	if p.at >= len(p.lines) {
		return "", false
	}
	return p.lines[p.at], true
}

func (p *parser) parse() error {
	values, err := p.head()
	if err != nil {
		return err
	}
	if err := p.patch.set(values); err != nil {
		return err
	}
	for _, more := p.line(); more; _, more = p.line() {
		if err := p.change(); err != nil {
			return err
		}
	}
	return nil
}

// head reads the fields up to the first file of the diff.
func (p *parser) head() (map[string]string, error) {
	values, last := map[string]string{}, ""
	for ; ; p.at++ {
		line, more := p.line()
		if !more {
			return nil, fmt.Errorf("the patch ends, expected a diff")
		}
		if strings.HasPrefix(line, "--- ") {
			return values, nil
		}
		if last != "" && strings.HasPrefix(line, " ") {
			values[last] += " " + strings.TrimSpace(line)
			continue
		}
		key, value, found := strings.Cut(line, ": ")
		known := slices.ContainsFunc(fields, func(f struct {
			name     string
			required bool
		},
		) bool {
			return f.name == key
		})
		if _, twice := values[key]; !found || !known || twice {
			return nil, fmt.Errorf("%q, expected one of rule, breaks, like, layer, catch, expect, "+
				"unseen, each once, or a diff", line)
		}
		values[key], last = strings.TrimSpace(value), key
	}
}

// set takes over the values of the head.
func (p *Patch) set(values map[string]string) error {
	for _, f := range fields {
		if f.required && values[f.name] == "" {
			return fmt.Errorf("no %s, expected one above the diff", f.name)
		}
	}
	p.Rules = strings.Fields(values["rule"])
	for _, rule := range p.Rules {
		if !rulePattern.MatchString(rule) {
			return fmt.Errorf("rule %q, expected R1 to R21", rule)
		}
	}
	p.Breaks, p.Like = values["breaks"], values["like"]
	p.Expect, p.Unseen = values["expect"], values["unseen"]
	var err error
	if p.Layer, err = parseLayer(values["layer"]); err != nil {
		return err
	}
	if p.Catch, err = parseCatch(values["catch"]); err != nil {
		return err
	}
	if p.Catch.Tool != nil && p.Expect == "" {
		return fmt.Errorf("no expect, expected one: a command of the tool may fail for any reason")
	}
	return nil
}

// change reads what the diff says of one file.
func (p *parser) change() error {
	old, _ := p.line()
	p.at++
	line, _ := p.line()
	name := strings.TrimPrefix(line, "+++ b/")
	switch {
	case old != "--- a/"+name || line != "+++ b/"+name:
		return fmt.Errorf("%q after %q, expected --- a/FILE and +++ b/FILE", line, old)
	case !filePattern.MatchString(name) || strings.HasSuffix(name, "_test.go"):
		return fmt.Errorf("file %s, expected production code below impl/", name)
	}
	p.at++
	c := Change{File: name}
	for {
		line, more := p.line()
		found := hunkPattern.FindStringSubmatch(line)
		if !more || found == nil {
			break
		}
		h := Hunk{Line: p.at + 1, Heading: found[1]}
		p.at++
		if err := p.hunk(&h); err != nil {
			return err
		}
		c.Hunks = append(c.Hunks, h)
	}
	if len(c.Hunks) == 0 {
		return fmt.Errorf("no hunk of %s, expected a line that begins with @@", name)
	}
	p.patch.Changes = append(p.patch.Changes, c)
	return nil
}

// hunk reads the lines of a hunk.
func (p *parser) hunk(h *Hunk) error {
	changed := false
	for ; ; p.at++ {
		line, more := p.line()
		if !more || strings.HasPrefix(line, "@@ ") || strings.HasPrefix(line, "--- a/") {
			break
		}
		kind, text := byte(' '), ""
		if line != "" { // Editors take the blank off an empty line.
			kind, text = line[0], line[1:]
		}
		switch kind {
		case ' ':
			h.Old, h.New = append(h.Old, text), append(h.New, text)
		case '-':
			h.Old, changed = append(h.Old, text), true
		case '+':
			h.New, changed = append(h.New, text), true
		default:
			return fmt.Errorf("%q, expected a line that begins with a blank, - or +", line)
		}
	}
	if len(h.Old) == 0 || !changed {
		return fmt.Errorf("a hunk of %d lines to find, and nothing changed: %t; expected at least "+
			"one line and a change", len(h.Old), !changed)
	}
	return nil
}
