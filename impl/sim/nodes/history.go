package nodes

import (
	"context"
	"fmt"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
	lin "github.com/viewstamp/viewstamp/linearizability"
)

// models are those of the histories, in the order in which they are judged.
var models = []lin.Model{lin.Register, lin.Partition, lin.Offsets, lin.Metadata}

// history is what the clients saw, in steps: each call and each return is a step of its own.
type history struct {
	operations map[lin.Model][]lin.Operation
	clock      int64
	// named are the ids that answers showed.
	named map[shownID]*shownName
}

// shownID is an id of a stream in the catalogue of a group.
type shownID struct {
	group wire.GroupID
	id    uint32
}

// shownName is the name that an id belongs to, and whether its creation was answered.
type shownName struct {
	name    string
	created bool
}

func newHistory() history {
	return history{
		operations: make(map[lin.Model][]lin.Operation), named: make(map[shownID]*shownName),
	}
}

// moment returns the next step, from 1.
func (h *history) moment() int64 {
	h.clock++
	return h.clock
}

// shows takes note of an id that an answer shows for a name, and returns what is wrong with it: an
// id belongs to one name and to one creation. Nothing else ties two names together: each has a
// history of its own, and together they are linearizable if each is.
func (h *history) shows(group wire.GroupID, id uint32, name string, creation bool) string {
	at := shownID{group, id}
	of := h.named[at]
	if of == nil {
		of = &shownName{name: name}
		h.named[at] = of
	}
	switch {
	case of.name != name:
		return fmt.Sprintf("the id %d is shown for %s and for %s", id, of.name, name)
	case of.created && creation:
		return fmt.Sprintf("a second creation was given the id %d", id)
	}
	of.created = of.created || creation
	return ""
}

func (h *history) add(model lin.Model, o lin.Operation) {
	of := h.operations[model]
	if len(of) == cap(of) { // Each is large, and there are many: twice the room at once.
		of = slices.Grow(of, max(64, len(of)))
	}
	h.operations[model] = append(of, o)
}

// historySteps bounds the search of one key, so that the verdict is the same on any machine.
const historySteps = 2_000_000

// judge returns what is wrong with the histories, or why that could not be decided; both are
// empty if all are linearizable.
func (h *history) judge() (violation, undecided string, err error) {
	for _, model := range models {
		if len(h.operations[model]) == 0 {
			continue
		}
		report, err := lin.Check(context.Background(),
			&lin.History{Model: model, Unit: lin.Steps, Operations: h.operations[model]},
			lin.CheckOptions{Workers: 1, StepsMax: historySteps})
		if err != nil {
			return "", "", fmt.Errorf("check history of model %s: %w", model, err)
		}
		report.Seconds = 0 // the text must be the same each time
		switch report.Verdict {
		case lin.Violation:
			return report.Summary(), "", nil
		case lin.Undecided:
			undecided = report.Summary()
		case lin.Linearizable:
		}
	}
	return "", undecided, nil
}
