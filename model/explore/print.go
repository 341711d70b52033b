package explore

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// oldValueMax is the longest old value, in bytes, that is printed beside the new.
const oldValueMax = 40

// Print writes a violation for people: what failed and why, then the numbered
// states of its path, each with the action that led to it and only the lines of
// the model's Format that the action changed. It fails only if w does.
func Print[S any, A Action](w io.Writer, m Model[S, A], v *Violation[S, A]) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s is violated in state %d: %s\n", m.Name, v.Property, len(v.Path), v.Reason)
	formatPath(&b, m, v.Path)
	_, err := w.Write(b.Bytes())
	return err
}

// PrintPath writes any path the way [Print] does.
func PrintPath[S any, A Action](w io.Writer, m Model[S, A], path []Step[S, A]) error {
	var b bytes.Buffer
	formatPath(&b, m, path)
	_, err := w.Write(b.Bytes())
	return err
}

func formatPath[S any, A Action](b *bytes.Buffer, m Model[S, A], path []Step[S, A]) {
	var before []variable
	for i, step := range path {
		label := "initial state"
		if i > 0 {
			label = step.Action.String()
		}
		fmt.Fprintf(b, "%4d  %s\n", i+1, label)
		if m.Format == nil {
			continue
		}
		now := variables(m.Format(step.State))
		if i == 0 {
			for _, v := range now {
				fmt.Fprintf(b, "        %s\n", v.line)
			}
		} else {
			formatChange(b, before, now)
		}
		before = now
	}
}

// variable is one line of Format. A line without " = " is all name.
type variable struct {
	line, name, value string
}

func variables(lines []string) []variable {
	vars := make([]variable, 0, len(lines))
	for _, line := range lines {
		name, value, _ := strings.Cut(line, " = ")
		vars = append(vars, variable{line, strings.TrimSpace(name), value})
	}
	return vars
}

// formatChange writes what differs between two states.
func formatChange(b *bytes.Buffer, before, now []variable) {
	old := map[string]variable{}
	for _, v := range before {
		old[v.name] = v
	}
	changes := b.Len()
	for _, v := range now {
		was, known := old[v.name]
		delete(old, v.name)
		switch {
		case !known:
			fmt.Fprintf(b, "        %s  (new)\n", v.line)
		case was.value == v.value:
		case len(was.value) <= oldValueMax:
			fmt.Fprintf(b, "        %s  (was %s)\n", v.line, was.value)
		default:
			fmt.Fprintf(b, "        %s\n", v.line)
		}
	}
	for _, v := range before {
		if _, gone := old[v.name]; gone {
			fmt.Fprintf(b, "        %s  (gone)\n", v.line)
		}
	}
	if b.Len() == changes {
		b.WriteString("        (no change)\n")
	}
}
