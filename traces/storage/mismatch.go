package storage

import "fmt"

// Mismatch is the first difference between model and code.
type Mismatch struct {
	// Step is the place in the path, from 0 for the initial state, Action its label.
	Step   int
	Action string
	// What says in which respect they differ, Model and Code what the two say.
	What, Model, Code string
}

// Error is the difference on one line.
func (m *Mismatch) Error() string {
	text := fmt.Sprintf("%s: model %s, code %s", m.What, m.Model, m.Code)
	if m.Action == "" { // Of no path.
		return text
	}
	return fmt.Sprintf("step %d, %s: %s", m.Step, m.Action, text)
}

func differ(what string, inModel, inCode any) *Mismatch {
	return &Mismatch{What: what, Model: fmt.Sprintf("%+v", inModel), Code: fmt.Sprintf("%+v", inCode)}
}

func failed(what string, err error) *Mismatch { return differ(what, "success", err.Error()) }
