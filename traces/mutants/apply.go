package mutants

import (
	"fmt"
	"slices"
	"strings"
)

// headingMax is how much of a heading a diff keeps.
const headingMax = 80

// Apply returns the files of the patch as it makes them, by their names. read gives the content
// of a file of the tree.
//
// Errors: those of read; a hunk that is stale, its lines being nowhere in the file, or ambiguous.
func (p Patch) Apply(read func(file string) ([]byte, error)) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, c := range p.Changes {
		content, changed := files[c.File]
		if !changed {
			var err error
			if content, err = read(c.File); err != nil {
				return nil, fmt.Errorf("patch %s: %w", p.Name, err)
			}
		}
		lines := strings.Split(string(content), "\n")
		for _, h := range c.Hunks {
			at, err := h.find(lines)
			if err != nil {
				return nil, fmt.Errorf("patch %s: line %d: %s: %w", p.Name, h.Line, c.File, err)
			}
			lines = slices.Replace(lines, at, at+len(h.Old), h.New...)
		}
		files[c.File] = []byte(strings.Join(lines, "\n"))
	}
	return files, nil
}

// find returns where the old lines of the hunk begin.
func (h Hunk) find(lines []string) (int, error) {
	var all, here []int
	for at := 0; at+len(h.Old) <= len(lines); at++ {
		if !slices.Equal(lines[at:at+len(h.Old)], h.Old) {
			continue
		}
		all = append(all, at)
		if h.Heading != "" && headingOf(lines[:at]) == strings.TrimSpace(h.Heading) {
			here = append(here, at)
		}
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(here) == 1:
		return here[0], nil
	case len(all) == 0:
		return 0, fmt.Errorf("the hunk is stale: expected to find %q", first(h.Old))
	}
	return 0, fmt.Errorf("the hunk is ambiguous: %q is there %d times, %d of them below %q; "+
		"expected one: give it more lines", first(h.Old), len(all), len(here), h.Heading)
}

// first is the first line that is not blank: it is looked for by whoever mends the patch.
func first(lines []string) string {
	for _, line := range lines {
		if text := strings.TrimSpace(line); text != "" {
			return text
		}
	}
	return ""
}

// headingOf returns what git writes behind the numbers of a hunk: the last line before it that
// begins in the first column with a letter.
func headingOf(before []string) string {
	for _, line := range slices.Backward(before) {
		if line == "" || !isLetter(line[0]) {
			continue
		}
		return strings.TrimSpace(line[:min(len(line), headingMax)])
	}
	return ""
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
