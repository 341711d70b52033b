package sessions

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	model "github.com/viewstamp/viewstamp/model/sessions"
)

// Mismatch is the first difference between model and table.
type Mismatch struct {
	// Step is the place in the path, from 0 for the initial state, Action its label.
	Step   int
	Action string
	// Replica is whose table differs, What in which respect.
	Replica int
	What    string
	// Model and Table are what the two say.
	Model, Table string
}

// Error is the difference on one line.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("step %d, %s: replica %d, %s: model %s, table %s",
		m.Step, m.Action, m.Replica, m.What, m.Model, m.Table)
}

func (m *Mismatch) at(step int, a model.Action) *Mismatch {
	m.Step, m.Action = step, a.String()
	if step == 0 {
		m.Action = "initial state"
	}
	return m
}

func differ(r int, what string, inModel, inTable any) *Mismatch {
	return &Mismatch{
		Replica: r, What: what, Model: fmt.Sprintf("%+v", inModel),
		Table: fmt.Sprintf("%+v", inTable),
	}
}

// describe is a value, with what is wrong about it.
func describe(value any, err error) string {
	if err != nil {
		return fmt.Sprintf("%+v, %v", value, err)
	}
	return fmt.Sprintf("%+v", value)
}

// compare looks for a difference between the tables and a state.
func (g *Group) compare(s *model.State) *Mismatch {
	for r, t := range g.tables {
		if m := g.compareRows(r, t, s.CommitMin[r], &s.Table[r]); m != nil {
			return m
		}
		if m := g.compareAnswers(r, t, s); m != nil {
			return m
		}
	}
	return g.compareSnapshots()
}

func (g *Group) compareRows(r int, t Table, op uint8, want *model.Table) *Mismatch {
	if got := uint64(t.Op()); got != uint64(op) {
		return differ(r, "op", op, got)
	}
	if got := t.Capacity(); got != int(want.Slots) {
		return differ(r, "capacity", want.Slots, got)
	}
	rows := [model.CapacityMax + 1]model.Row{}
	for slot, w := range t.Rows() {
		row, err := rowOf(w)
		if err != nil {
			return differ(r, fmt.Sprintf("slot %d", slot), want.Rows[slot], describe(row, err))
		}
		rows[slot] = row
	}
	for slot := range want.Slots {
		g.Rows++
		if rows[slot] != want.Rows[slot] {
			return differ(r, fmt.Sprintf("slot %d", slot), want.Rows[slot], rows[slot])
		}
	}
	return nil
}

func (g *Group) compareAnswers(r int, t Table, s *model.State) *Mismatch {
	var found *Mismatch
	g.observer.Sent(s, func(message model.Message) {
		if message.Kind == model.ResizeKind || found != nil {
			return // Nobody waits for a Resize.
		}
		g.Answers++
		want := g.observer.Answer(s, r, message)
		got, err := answerOf(t.Answer(messageOf(message)), message)
		if err != nil || got != want {
			found = differ(r, fmt.Sprintf("answer to %v", message), want, describe(got, err))
		}
	})
	return found
}

// compareSnapshots compares the tables of replicas at the same op.
func (g *Group) compareSnapshots() *Mismatch {
	for r, t := range g.tables {
		g.snapshots[r] = t.AppendSnapshot(g.snapshots[r][:0])
		for q, other := range g.tables[:r] {
			if other.Op() != t.Op() {
				continue
			}
			g.Snapshots++
			if !bytes.Equal(g.snapshots[q], g.snapshots[r]) {
				return differ(r, "snapshot", fmt.Sprintf("that of replica %d, %x", q, g.snapshots[q]),
					fmt.Sprintf("%x", g.snapshots[r]))
			}
		}
	}
	return nil
}

// sorted puts endings in the order of clients, as the model has them.
func sorted(endings []model.Ending) []model.Ending {
	slices.SortFunc(endings, func(a, b model.Ending) int {
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Session, b.Session),
			cmp.Compare(a.Why, b.Why))
	})
	return endings
}
