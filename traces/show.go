package traces

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// AllReplicas as Filter.Replica shows the events of every replica.
const AllReplicas = -1

// Filter chooses events of a trace. [Everything] keeps all.
type Filter struct {
	// Op, unless 0, keeps the events that concern this op: it is their argument, or
	// it came into or left the log, the hollow ops, the pipeline or what is committed
	// or executed, or it is the head and its identity changed.
	Op uint64
	// Replica, unless [AllReplicas], keeps the events of this replica.
	Replica int
	// View, unless nil, keeps the events that speak for this view, and those after or
	// before which their replica is in it.
	View *uint32
	// Group, unless nil, keeps the events of the group with this ID.
	Group *string
}

// Everything is the filter that keeps all events.
func Everything() Filter { return Filter{Replica: AllReplicas} }

// Show prints a trace for reading: the header, then for each event what it changed
// in the state of its replica since that replica's previous event:
//
//	12 r1 BecomePrimary quorum={1,2}   status view_change -> normal, log_view 0 -> 1
//
// The first event of a replica shows the state in short instead, and the event that
// a correct system must refuse is marked. Errors are w's.
func Show(w io.Writer, t *Trace, filter Filter) error {
	out := bufio.NewWriter(w)
	showHeader(out, t)
	shown := 0
	EachChange(t, filter, func(e Event, change string) {
		shown++
		mark := ""
		if e.Step == t.Header.RefusedAt {
			mark = "   <- must be refused"
		}
		fmt.Fprintf(out, "%4d %s   %s%s\n", e.Step, describeStep(e), change, mark)
	})
	if shown < len(t.Events) {
		fmt.Fprintf(out, "%d of %d events\n", shown, len(t.Events))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write listing: %w", err)
	}
	return nil
}

// EachChange hands the events that a filter keeps to visit, in order, each with what it
// changed in its replica as [Show] prints it.
func EachChange(t *Trace, filter Filter, visit func(e Event, change string)) {
	type place struct {
		group   string
		replica int
	}
	before := make(map[place]ReplicaState)
	for _, e := range t.Events {
		at := place{e.Group, e.Replica}
		previous, known := before[at]
		before[at] = e.After
		viewBefore := previous.View
		if !known {
			viewBefore = e.After.View
		}
		if !filter.keeps(e, previous, viewBefore) {
			continue
		}
		change := "-> " + describeState(e.After)
		if known {
			change = describeChange(previous, e.After)
		}
		visit(e, change)
	}
}

// showHeader prints the run, the sizes and, for a counterexample, what it is one of.
func showHeader(out io.Writer, t *Trace) {
	h := t.Header
	name := t.Path
	if name == "" {
		name = "trace"
	}
	fmt.Fprintf(out, "%s: source=%s seed=%d", name, token(h.Source), h.Seed)
	if h.CommitDrivers != "" {
		fmt.Fprintf(out, " commit_drivers=%s", token(h.CommitDrivers))
	}
	fmt.Fprintf(out, " events=%d\nreplicas=%d replication=%d view_change=%d nack=%d\n",
		len(t.Events), h.Replicas, h.Quorum.Replication, h.Quorum.ViewChange, h.Quorum.Nack)
	if h.Mutant == "" && h.Violates == "" {
		return
	}
	fmt.Fprint(out, "counterexample:")
	if h.Mutant != "" {
		fmt.Fprintf(out, " mutant=%s", token(h.Mutant))
	}
	if h.Violates != "" {
		fmt.Fprintf(out, " violates=%s", token(h.Violates))
	}
	fmt.Fprintln(out)
}

func describeChange(previous, after ReplicaState) string {
	diffs := Diff(previous, after)
	if len(diffs) == 0 {
		return "no change"
	}
	changes := make([]string, len(diffs))
	for i, d := range diffs {
		changes[i] = d.Field + " " + d.Want + " -> " + d.Got
	}
	return strings.Join(changes, ", ")
}

func (f Filter) keeps(e Event, previous ReplicaState, viewBefore uint32) bool {
	switch {
	case f.Replica != AllReplicas && f.Replica != e.Replica,
		f.Group != nil && *f.Group != e.Group,
		f.View != nil && *f.View != e.After.View && *f.View != viewBefore &&
			(e.Args.View == 0 || *f.View != e.Args.View):
		return false
	}
	return f.Op == 0 || f.Op == e.Args.Op || concerns(f.Op, previous, e.After)
}

// concerns reports whether the step between two states of a replica changed the
// standing of op.
func concerns(op uint64, a, b ReplicaState) bool {
	atHead := op == a.OpHead && op == b.OpHead
	return (op <= a.OpHead) != (op <= b.OpHead) ||
		atHead && a.HeadChecksum != b.HeadChecksum ||
		slices.Contains(a.Hollow, op) != slices.Contains(b.Hollow, op) ||
		inPipeline(op, a) != inPipeline(op, b) ||
		(op <= a.CommitMin) != (op <= b.CommitMin) ||
		(op <= a.CommitMax) != (op <= b.CommitMax)
}

func inPipeline(op uint64, s ReplicaState) bool {
	return len(s.Pipeline) == 2 && s.Pipeline[0] <= op && op <= s.Pipeline[1]
}
