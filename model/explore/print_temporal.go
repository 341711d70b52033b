package explore

import (
	"bytes"
	"fmt"
	"io"
)

// PrintLiveness writes a violation of a temporal property for people: the path as [Print]
// does, and what goes on for ever after it.
func PrintLiveness[S any, A Action](
	w io.Writer, m Model[S, A], v *LivenessViolation[S, A],
) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s is violated: what it promises never comes after state %d\n",
		m.Name, v.Property, len(v.Path))
	end := v.Path[len(v.Path)-1]
	formatPath(&b, m, v.Path)
	if len(v.Cycle) == 0 {
		b.WriteString("      and stays there: no fair step is left\n")
	} else {
		fmt.Fprintf(&b, "      and from state %d goes round for ever:\n", len(v.Path))
		formatPath(&b, m, append([]Step[S, A]{end}, v.Cycle...))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// PrintRefinement writes a step that the abstract model does not allow for people: the
// path as [Print] does, and what the abstract model would see of its last step.
func PrintRefinement[S any, A Action, T any, B Action](
	w io.Writer, m Model[S, A], abstract Model[T, B], v *RefinementViolation[S, A, T],
) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s does not refine %s in state %d: %s\n",
		m.Name, abstract.Name, len(v.Path), v.Reason)
	formatPath(&b, m, v.Path)
	if abstract.Format != nil {
		fmt.Fprintf(&b, "      seen in %s:\n", abstract.Name)
		to := variables(abstract.Format(v.To))
		if len(v.Path) == 1 {
			for _, line := range to {
				fmt.Fprintf(&b, "        %s\n", line.line)
			}
		} else {
			before := variables(abstract.Format(v.From))
			for _, line := range before {
				fmt.Fprintf(&b, "        %s\n", line.line)
			}
			b.WriteString("      and then:\n")
			for _, change := range changes(before, to) {
				fmt.Fprintf(&b, "        %s\n", change)
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
