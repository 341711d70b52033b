package partial

import (
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/traces"
)

// Rejection is an event that breaks an invariant.
type Rejection struct {
	Invariant Invariant
	Step      int
	Line      int // Of the event in the trace's file.
	// Place is where the event was recorded: the log and its line if the trace was imported,
	// else the trace's own.
	Place string
	// Event and Before are the event and the last event's place of the same replica.
	Event, Before string
	// Field refuses: Want was expected, Got is there, Because of what was known.
	Field, Want, Got, Because string
}

// String is the rejection for people, in a few lines.
func (r *Rejection) String() string {
	return fmt.Sprintf("%s: %s: %s expected %s, got %s\n  event:  %s\n  before: %s\n  known:  %s",
		r.Place, r.Invariant, r.Field, r.Want, r.Got, r.Event, r.Before, r.Because)
}

func (s *step) reject(i Invariant, field, want, because string) *Rejection {
	before := "the replica's first event in this group"
	if s.r.last != "" {
		before = "the replica's last event in this group is at " + s.r.last
	}
	return &Rejection{
		Invariant: i, Step: s.e.Step, Line: s.e.Line(), Place: s.place(),
		Event: describe(s.e), Before: before, Field: field, Want: want,
		Got: s.value(field), Because: because,
	}
}

// describe is an event in words: what it says, and a question mark for what it leaves open.
func describe(e traces.Event) string {
	what, _, _ := strings.Cut(traces.Describe(e), " -> ")
	said := func(field string, value any) string {
		if !e.Says(field) {
			return "?"
		}
		return fmt.Sprint(value)
	}
	return fmt.Sprintf("%s -> %s view=%s log_view=%s commit_max=%s",
		strings.Replace(what, " (stutter)", "", 1), said("status", e.After.Status),
		said("view", e.After.View), said("log_view", e.After.LogView),
		said("commit_max", e.After.CommitMax))
}

// place is where the event was recorded.
func (s *step) place() string {
	o := s.e.Origin
	if o != nil && o.File < len(s.c.header.Files) {
		return fmt.Sprintf("%s:%d", s.c.header.Files[o.File], o.Line)
	}
	return fmt.Sprintf("%s:%d", s.c.path, s.e.Line())
}

// value is what the event says in a field.
func (s *step) value(field string) string {
	args, after := s.e.Args, s.e.After
	values := map[string]any{
		"view": after.View, "log_view": after.LogView, "commit_max": after.CommitMax,
		"status": after.Status, "role": args.Role, "replica": s.e.Replica,
		"args.op": args.Op, "args.checksum": args.Checksum, "args.parent": args.Parent,
		"args.acknowledged": args.Acknowledged, "args.needed": args.Needed,
		"args.reached": args.Reached, "args.client": args.Client, "args.request": args.Request,
		"args.operation": args.Operation, "args.view": args.View, "args.old_view": args.OldView,
		"args.commit": args.Commit,
	}
	switch {
	case field == "args.from" && args.From != nil:
		return fmt.Sprint(*args.From)
	case field == "args.to" && args.To != nil:
		return fmt.Sprint(*args.To)
	}
	return fmt.Sprint(values[field])
}

// Count is how often one invariant was checked.
type Count struct {
	Invariant Invariant
	Held      int // Checks that held.
	Open      int // Checks that the trace does not allow.
}

// Verdict says how far a trace was checked.
type Verdict struct {
	Events    int // Accepted.
	Groups    int
	Gaps      int // Places where lines are lost.
	Said      int // Fields of the state that the events said,
	Fields    int // of so many.
	Counts    []Count
	Rejection *Rejection
}

// Verdict returns the verdict about the events so far.
func (c *Checker) Verdict() Verdict {
	v := Verdict{
		Events: c.events, Groups: len(c.groups), Gaps: c.gaps, Said: c.said,
		Fields: c.events * traces.FieldsOfState, Rejection: c.rejection,
	}
	for _, i := range Invariants() {
		v.Counts = append(v.Counts, Count{Invariant: i, Held: c.held[i], Open: c.open[i]})
	}
	return v
}

// Held is the number of checks that held.
func (v Verdict) Held() int {
	sum := 0
	for _, c := range v.Counts {
		sum += c.Held
	}
	return sum
}

// String is the verdict's table for people.
func (v Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d fields of the state are said", v.Said, v.Fields)
	if v.Gaps > 0 {
		fmt.Fprintf(&b, "; %d gaps where lines are lost", v.Gaps)
	}
	fmt.Fprintf(&b, "\n%-14s  %8s  %s\n", "invariant", "held", "could not be checked")
	for _, c := range v.Counts {
		fmt.Fprintf(&b, "%-14s  %8d  %d\n", c.Invariant, c.Held, c.Open)
	}
	b.WriteString("what the trace cannot show:\n")
	for _, why := range Unseen() {
		b.WriteString("  " + why + "\n")
	}
	return b.String()
}

// openOfState is the number of fields of the state that an event leaves open.
func openOfState(e traces.Event) int {
	n := 0
	for _, field := range e.Open {
		if !strings.HasPrefix(field, "args.") {
			n++
		}
	}
	return n
}
