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

// PrintStory writes a path as a story: per step the line that tell makes of its action,
// and below it only what the action changed. The initial state is not shown: a reader of
// the model knows it, and [PrintPath] has it.
func PrintStory[S any, A Action](
	w io.Writer, m Model[S, A], path []Step[S, A], tell func(A) string,
) error {
	var b bytes.Buffer
	for i, step := range Describe(m, path) {
		if i == 0 {
			fmt.Fprintf(&b, "%4d  %s\n", 1, step.Label)
			continue
		}
		fmt.Fprintf(&b, "%4d  %s\n", i+1, tell(path[i].Action))
		for _, change := range step.Changes {
			fmt.Fprintf(&b, "        %s\n", change)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func formatPath[S any, A Action](b *bytes.Buffer, m Model[S, A], path []Step[S, A]) {
	for i, step := range Describe(m, path) {
		fmt.Fprintf(b, "%4d  %s\n", i+1, step.Label)
		for _, change := range step.Changes {
			fmt.Fprintf(b, "        %s\n", change)
		}
	}
}

// InitialLabel is the label of the first state of a path.
const InitialLabel = "initial state"

// Described is one element of a path as text.
type Described struct {
	// Label is the action's label, or [InitialLabel].
	Label string
	// Changes are the lines of the model's Format that differ from the state before,
	// with the old value where it is short; of the initial state, all lines. Nil if the
	// model has no Format.
	Changes []string
}

// Describe returns a path as text, one element per state.
func Describe[S any, A Action](m Model[S, A], path []Step[S, A]) []Described {
	described := make([]Described, 0, len(path))
	var before []variable
	for i, step := range path {
		d := Described{Label: InitialLabel}
		if i > 0 {
			d.Label = step.Action.String()
		}
		if m.Format != nil {
			now := variables(m.Format(step.State))
			if i == 0 {
				for _, v := range now {
					d.Changes = append(d.Changes, v.line)
				}
			} else {
				d.Changes = changes(before, now)
			}
			before = now
		}
		described = append(described, d)
	}
	return described
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

// changes says what differs between two states.
func changes(before, now []variable) []string {
	old := map[string]variable{}
	for _, v := range before {
		old[v.name] = v
	}
	var lines []string
	for _, v := range now {
		was, known := old[v.name]
		delete(old, v.name)
		switch {
		case !known:
			lines = append(lines, v.line+"  (new)")
		case was.value == v.value:
		case len(was.value) <= oldValueMax:
			lines = append(lines, fmt.Sprintf("%s  (was %s)", v.line, was.value))
		default:
			lines = append(lines, v.line)
		}
	}
	for _, v := range before {
		if _, gone := old[v.name]; gone {
			lines = append(lines, v.line+"  (gone)")
		}
	}
	if len(lines) == 0 {
		return []string{"(no change)"}
	}
	return lines
}
