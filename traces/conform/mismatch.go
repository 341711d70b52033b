package conform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// Mismatch is an event that no model state explains.
type Mismatch struct {
	Path string // of the trace
	Step int    // the event's number, 1-based
	Line int    // in the trace's file
	// Event is the event in words, Last the replica's state that was last explained.
	Event, Last string
	// Nearest are steps of the model and how each differs from the event, the nearest first.
	Nearest []string
}

// nearestMax bounds the steps that a mismatch lists.
const nearestMax = 4

// String is the mismatch for people, in a few lines.
func (m *Mismatch) String() string {
	var b strings.Builder
	if m.Path != "" {
		fmt.Fprintf(&b, "%s: ", m.Path)
	}
	fmt.Fprintf(&b, "line %d: no step of the model explains event %d: %s\n", m.Line, m.Step, m.Event)
	fmt.Fprintf(&b, "  last explained state: %s", m.Last)
	for _, n := range m.Nearest {
		fmt.Fprintf(&b, "\n  %s", n)
	}
	return b.String()
}

// mismatch says how near the model comes to an event, from the first explanation. boot is what
// is wrong with its incarnation, or empty.
func (c *checker) mismatch(e traces.Event, boot string) *Mismatch {
	x := c.now[0]
	before := traces.Event{
		Step: e.Step, Group: e.Group, Replica: e.Replica, Action: "state", Stutter: true,
		After: vsr.Project(x.state, e.Replica),
	}
	m := &Mismatch{
		Step: e.Step, Line: e.Line(), Event: traces.Describe(e), Last: traces.Describe(before),
	}
	if boot != "" {
		m.Nearest = append(m.Nearest, boot)
		return m
	}
	if e.Stutter {
		m.Nearest = append(m.Nearest, "a stutter changes nothing, but: "+texts(x.diff(e)))
	} else if kind, err := vsr.ParseActionKind(e.Action); err == nil {
		m.Nearest = append(m.Nearest, c.why(x, kind, e))
	}
	m.Nearest = append(m.Nearest, c.nearest(x, e)...)
	return m
}

// why says what is wrong with the event's own action.
func (c *checker) why(x explanation, kind vsr.ActionKind, e traces.Event) string {
	best := ""
	fewest := -1
	vsr.Step(c.config, x.state, kind, e.Replica, func(a vsr.Action, s vsr.State) {
		after, agrees := x.at(s).agrees(a, e)
		diffs := after.diff(e)
		text := fmt.Sprintf("%v is enabled, but differs: %s", a, texts(diffs))
		n := len(diffs)
		if !agrees {
			text = fmt.Sprintf("%v is enabled, but with other parameters than the event's", a)
			n += len(e.After.Status) // parameters weigh more than any field
		}
		if fewest < 0 || n < fewest {
			best, fewest = text, n
		}
	})
	if best != "" {
		return best
	}
	a := vsr.Action{Kind: kind, Replica: e.Replica, Arg: argument(kind, e.Args)}
	return fmt.Sprintf("%v is not enabled: %s", a, vsr.Refuse(c.config, x.state, a))
}

// argument is the action's second parameter as the event gives it.
func argument(kind vsr.ActionKind, args traces.Args) int {
	switch kind { //nolint:exhaustive // The others have no second parameter.
	case vsr.ActionReceiveCommit:
		return int(args.Commit)
	case vsr.ActionRepairPrepare:
		return int(args.Op)
	case vsr.ActionReceiveStartViewChange, vsr.ActionReceiveStartView, vsr.ActionRecover:
		return int(args.View)
	case vsr.ActionAnswerProbe:
		if args.To != nil {
			return *args.To
		}
	case vsr.ActionMergeVotes:
		set := vsr.ReplicaSet(0)
		for _, r := range args.Quorum {
			set |= 1 << r
		}
		return int(set)
	}
	return 0
}

// nearest lists the replica's enabled steps by how many fields differ from the event.
func (c *checker) nearest(x explanation, e traces.Event) []string {
	type near struct {
		text  string
		diffs int
	}
	var all []near
	for _, kind := range vsr.ActionKinds() {
		if kind.String() == e.Action {
			continue
		}
		vsr.Step(c.config, x.state, kind, e.Replica, func(a vsr.Action, s vsr.State) {
			diffs := x.at(s).diff(e)
			all = append(all, near{fmt.Sprintf("%v would differ: %s", a, texts(diffs)), len(diffs)})
		})
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.diffs, b.diffs) })
	var out []string
	for i := range min(len(all), nearestMax) {
		out = append(out, all[i].text)
	}
	return out
}

func texts(diffs []traces.FieldDiff) string {
	if len(diffs) == 0 {
		return "nothing in the projection"
	}
	var out []string
	for _, d := range diffs {
		out = append(out, d.String())
	}
	return strings.Join(out, ", ")
}
