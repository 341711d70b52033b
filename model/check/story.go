package check

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/spec"
)

// Story tells a counterexample to people: what the mutant is, if one is switched on,
// and which property it breaks; then each step in a sentence, the module's own, with
// what it changed; and at the end why the property does not hold. Of the initial state it
// shows what some step changes; with full, all.
//
// Errors: the module or its manifest cannot be read.
func Story(cfg spec.Cfg, bug string, full bool, c *Counterexample) (string, error) {
	sentences, err := spec.ActionComments(cfg.Module)
	if err != nil {
		return "", fmt.Errorf("tell a counterexample: %w", err)
	}
	var b strings.Builder
	if err := introduce(&b, cfg, bug, c); err != nil {
		return "", fmt.Errorf("tell a counterexample: %w", err)
	}
	for i, step := range c.Steps {
		fmt.Fprintf(&b, "\n%3d. %s\n", i+1, sentenceOf(sentences, step.Label))
		lines := step.Changes
		if i == 0 && !full {
			lines = initialLines(c.Steps)
		}
		for _, line := range lines {
			fmt.Fprintf(&b, "        %s\n", line)
		}
	}
	fmt.Fprintf(&b, "\n%s does not hold in state %d: %s\n", c.Property, c.States, c.Reason)
	return b.String(), nil
}

// sentenceOf returns the module's sentence on an action, with the arguments in place
// of the parameters, and the label behind it.
func sentenceOf(sentences map[string]spec.ActionComment, label string) string {
	name, arguments := splitLabel(label)
	comment, ok := sentences[name]
	if !ok || len(comment.Parameters) > len(arguments) {
		return label
	}
	values := map[string]string{}
	for i, parameter := range comment.Parameters {
		values[parameter] = argumentText(parameter, arguments[i])
	}
	return substitute(comment.Sentence, values) + "  [" + label + "]"
}

// replicaParameters are the names that the modules give to a replica.
var replicaParameters = map[string]bool{"r": true, "p": true, "s": true, "j": true, "q": true}

func argumentText(parameter, value string) string {
	if replicaParameters[parameter] && isNumber(value) {
		return "r" + value
	}
	return value
}

// substitute replaces whole words.
func substitute(sentence string, values map[string]string) string {
	var b strings.Builder
	word := func(from, to int) {
		if value, ok := values[sentence[from:to]]; ok {
			b.WriteString(value)
			return
		}
		b.WriteString(sentence[from:to])
	}
	start := 0
	for i := range len(sentence) {
		if isLetter(sentence[i]) {
			continue
		}
		word(start, i)
		b.WriteByte(sentence[i])
		start = i + 1
	}
	word(start, len(sentence))
	return b.String()
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// splitLabel takes "MergeVotes(1,{0,1})" apart: commas within brackets do not separate.
func splitLabel(label string) (name string, arguments []string) {
	name, rest, found := strings.Cut(label, "(")
	if !found {
		return name, nil
	}
	rest = strings.TrimSuffix(rest, ")")
	depth, start := 0, 0
	for i := range len(rest) {
		switch rest[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case ',':
			if depth == 0 {
				arguments = append(arguments, rest[start:i])
				start = i + 1
			}
		}
	}
	return name, append(arguments, rest[start:])
}
