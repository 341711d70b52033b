package nodes

import (
	"context"
	"fmt"

	lin "github.com/viewstamp/viewstamp/linearizability"
)

// history is what the clients saw, in steps: each call and each return is a step of its own.
type history struct {
	operations []lin.Operation
	clock      int64
}

// moment returns the next step, from 1.
func (h *history) moment() int64 {
	h.clock++
	return h.clock
}

func (h *history) add(o lin.Operation) { h.operations = append(h.operations, o) }

// historySteps bounds the search of one key, so that the verdict is the same on any machine.
const historySteps = 2_000_000

// judge returns what is wrong with the history, or why that could not be decided; both are
// empty if it is linearizable.
func (h *history) judge() (violation, undecided string, err error) {
	report, err := lin.Check(context.Background(),
		&lin.History{Model: lin.Register, Unit: lin.Steps, Operations: h.operations},
		lin.CheckOptions{Workers: 1, StepsMax: historySteps})
	if err != nil {
		return "", "", fmt.Errorf("check history: %w", err)
	}
	report.Seconds = 0 // the text must be the same each time
	switch report.Verdict {
	case lin.Violation:
		return report.Summary(), "", nil
	case lin.Undecided:
		return "", report.Summary(), nil
	case lin.Linearizable:
	}
	return "", "", nil
}
