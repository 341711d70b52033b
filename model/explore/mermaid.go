package explore

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Arrow is what one step of a path looks like in a sequence diagram.
type Arrow struct {
	// From and To are participants. If To is empty or equal to From the step is a note
	// beside From; if From is empty too, it is a note over all participants.
	From, To string
	// Text stands on the arrow or in the note.
	Text string
}

// WriteMermaid writes a path as a sequence diagram in the language of Mermaid. The
// participants stand from left to right; arrows says what a step shows, each arrow in
// order, from the state before and the step itself. Nil arrows show each action's text
// over all participants.
//
// It fails if there is no participant, if an arrow names one that is not there, or if w
// fails.
func WriteMermaid[S any, A Action](
	w io.Writer, participants []string, path []Step[S, A],
	arrows func(before S, step Step[S, A]) []Arrow,
) error {
	if len(participants) == 0 {
		return fmt.Errorf("write a sequence diagram: no participant, expected one or more")
	}
	if arrows == nil {
		arrows = func(_ S, step Step[S, A]) []Arrow { return []Arrow{{Text: step.Action.String()}} }
	}
	d := diagram{numbers: map[string]int{}, last: len(participants) - 1}
	d.text.WriteString("sequenceDiagram\n")
	for i, name := range participants {
		d.numbers[name] = i
		fmt.Fprintf(&d.text, "  participant p%d as %s\n", i, mermaidText(name))
	}
	for i := 1; i < len(path); i++ {
		for _, arrow := range arrows(path[i-1].State, path[i]) {
			if err := d.add(i+1, arrow); err != nil {
				return err
			}
		}
	}
	_, err := w.Write(d.text.Bytes())
	return err
}

type diagram struct {
	text    bytes.Buffer
	numbers map[string]int
	last    int
}

func (d *diagram) add(state int, arrow Arrow) error {
	for _, name := range []string{arrow.From, arrow.To} {
		if _, known := d.numbers[name]; name != "" && !known {
			return fmt.Errorf("write a sequence diagram: state %d: participant %q is not listed",
				state, name)
		}
	}
	from, to, text := d.numbers[arrow.From], d.numbers[arrow.To], mermaidText(arrow.Text)
	switch {
	case arrow.From == "" && arrow.To == "" && d.last > 0:
		fmt.Fprintf(&d.text, "  Note over p0,p%d: %d. %s\n", d.last, state, text)
	case arrow.From == "" || arrow.To == "" || from == to:
		fmt.Fprintf(&d.text, "  Note over p%d: %d. %s\n", max(from, to), state, text)
	default:
		fmt.Fprintf(&d.text, "  p%d->>p%d: %d. %s\n", from, to, state, text)
	}
	return nil
}

// mermaidText keeps a text from being read as Mermaid's own signs.
func mermaidText(text string) string {
	return strings.NewReplacer(";", "#59;", "#", "#35;", "<", "#lt;", ">", "#gt;").Replace(
		oneLine(text))
}
