package spec

import (
	"regexp"
	"strings"
)

// ActionComment is what a module says of one of its actions: the comment above the
// definition, which begins with the action as it is called.
type ActionComment struct {
	// Name is the action's name.
	Name string
	// Parameters are the names of its parameters, in order.
	Parameters []string
	// Sentence is the first sentence, without the full stop.
	Sentence string
}

// As in "\* ReceiveStartView(r, v): r learns that view v has started.  VRR 4.2".
var actionComment = regexp.MustCompile(
	`^\\\* ([A-Z][A-Za-z]*)(?:\(([A-Za-z_, ]*)\))?: (.*)$`)

// The end of a sentence: ".  VRR 4.2", ". Go: ..." or a full stop at the end.
var sentenceEnd = regexp.MustCompile(`\.(\s|$)`)

// ActionComments returns, by name, what a module and those that it extends say of
// their actions. Comments of other definitions that have the same form are among them.
func ActionComments(module string) (map[string]ActionComment, error) {
	files, err := ModuleFiles(module)
	if err != nil {
		return nil, err
	}
	comments := map[string]ActionComment{}
	for _, name := range sortedNames(files) {
		lines := strings.Split(string(files[name]), "\n")
		for i, line := range lines {
			if c, ok := parseActionComment(line, lines[i+1:]); ok {
				comments[c.Name] = c
			}
		}
	}
	return comments, nil
}

// parseActionComment reads the comment that begins with line and goes on below.
func parseActionComment(line string, below []string) (ActionComment, bool) {
	match := actionComment.FindStringSubmatch(line)
	if match == nil {
		return ActionComment{}, false
	}
	text := match[3]
	for _, next := range below {
		rest, ok := strings.CutPrefix(next, `\* `)
		if !ok {
			break
		}
		text += " " + rest
	}
	if end := sentenceEnd.FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	c := ActionComment{Name: match[1], Sentence: text}
	for _, parameter := range strings.Split(match[2], ",") {
		if parameter = strings.TrimSpace(parameter); parameter != "" {
			c.Parameters = append(c.Parameters, parameter)
		}
	}
	return c, true
}
