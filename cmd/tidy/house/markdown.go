package house

import (
	"path"
	"regexp"
	"strings"
	"unicode"
)

// prose returns the lines of a Markdown text with fenced code and code spans blanked,
// so that line numbers stay.
func prose(lines []string) []string {
	out := make([]string, len(lines))
	fence := ""
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if fence != "" {
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			continue
		}
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fence = trimmed[:3]
			continue
		}
		out[i] = codeSpan.ReplaceAllString(line, "")
	}
	return out
}

var (
	codeSpan      = regexp.MustCompile("`[^`]*`")
	inlineLink    = regexp.MustCompile(`\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)`)
	referenceLink = regexp.MustCompile(`^\s{0,3}\[[^\]]+\]:\s+<?(\S+?)>?\s*$`)
	scheme        = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
	headingLine   = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	linkText      = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

func checkLinks(t *Tree, report report) {
	for _, f := range t.Files {
		if path.Ext(f.Path) != ".md" || f.inTestdata() {
			continue
		}
		for i, line := range prose(f.lines()) {
			targets := inlineLink.FindAllStringSubmatch(line, -1)
			targets = append(targets, referenceLink.FindAllStringSubmatch(line, -1)...)
			for _, target := range targets {
				if reason := t.deadLink(f, target[1]); reason != "" {
					report(f.Path, i+1, "the link %s %s", target[1], reason)
				}
			}
		}
	}
}

// deadLink says what is wrong with a link in a file, empty if nothing.
func (t *Tree) deadLink(f *File, target string) string {
	if scheme.MatchString(target) {
		return ""
	}
	if strings.HasPrefix(target, "/") {
		return "is absolute, expected a path relative to the file"
	}
	name, anchor, _ := strings.Cut(target, "#")
	to := f.Path
	if name != "" {
		to = path.Join(path.Dir(f.Path), name)
	}
	if !t.exists(to) {
		return "leads to " + to + ", which does not exist"
	}
	page := t.file(to)
	if anchor == "" || page == nil || path.Ext(to) != ".md" {
		return ""
	}
	if !anchors(page.lines())[anchor] {
		return "names a heading that " + to + " does not have"
	}
	return ""
}

// anchors returns the names of a page's headings, as forges make them.
func anchors(lines []string) map[string]bool {
	found := map[string]bool{}
	fenced := prose(lines)
	for i, line := range lines {
		match := headingLine.FindStringSubmatch(line)
		if match == nil || fenced[i] == "" {
			continue
		}
		var b strings.Builder
		for _, r := range strings.ToLower(linkText.ReplaceAllString(match[1], "$1")) {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				b.WriteRune(r)
			case r == ' ':
				b.WriteByte('-')
			}
		}
		found[b.String()] = true
	}
	return found
}
