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
	// Event is the event in words.
	Event string
	// Last are the states that the replica may have been in before, in words: one unless the
	// trace leaves a choice.
	Last []string
	// Nearest are steps of the model and how each differs from the event, the nearest first.
	Nearest []string
}

// nearestMax bounds the steps that a mismatch lists.
const nearestMax = 4

// String is the mismatch for people, in a few lines.
func (m *Mismatch) String() string {
	var b strings.Builder
	place := fmt.Sprintf("line %d", m.Line)
	if m.Path != "" {
		place = fmt.Sprintf("%s:%d", m.Path, m.Line)
	}
	fmt.Fprintf(&b, "%s: no step of the model explains event %d: %s\n", place, m.Step, m.Event)
	fmt.Fprintf(&b, "  last explained state: %s", strings.Join(m.Last, "\n                    or: "))
	for _, n := range m.Nearest {
		fmt.Fprintf(&b, "\n  %s", n)
	}
	return b.String()
}

// lastMax bounds the states that a mismatch lists.
const lastMax = 4

// mismatch says how near the model comes to an event, from each explanation. boot is what is
// wrong with its incarnation, or empty.
func (c *checker) mismatch(e traces.Event, boot string) *Mismatch {
	m := &Mismatch{Step: e.Step, Line: e.Line(), Event: traces.Describe(e)}
	for _, x := range c.now {
		last := traces.Describe(traces.Event{
			Step: e.Step, Group: e.Group, Replica: e.Replica, Action: "state", Stutter: true,
			After: vsr.Project(x.state, e.Replica),
		})
		if !slices.Contains(m.Last, last) && len(m.Last) < lastMax {
			m.Last = append(m.Last, last)
		}
	}
	if boot != "" {
		m.Nearest = append(m.Nearest, boot)
		return m
	}
	for _, x := range c.now[:min(len(c.now), lastMax)] {
		own := ""
		if ofCheckpoints(e) {
			_, own = c.checkpoint(x, e)
		} else if e.Stutter {
			own = "a stutter changes nothing, but: " + texts(x.diff(e))
		} else if kind, err := vsr.ParseActionKind(e.Action); err == nil {
			own = c.why(x, kind, e)
		}
		if own != "" && !slices.Contains(m.Nearest, own) {
			m.Nearest = append(m.Nearest, own)
		}
	}
	m.Nearest = append(m.Nearest, c.nearest(e)...)
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

// near is a step of the model and in how many fields it differs from an event.
type near struct {
	text  string
	diffs int
}

// nearest lists the replica's other steps that are enabled, from all states that explain the
// trace so far, by how many fields differ from the event.
func (c *checker) nearest(e traces.Event) []string {
	var all []near
	for _, x := range c.now[:min(len(c.now), lastMax)] {
		for _, kind := range vsr.ActionKinds() {
			if kind.String() == e.Action {
				continue
			}
			vsr.Step(c.config, x.state, kind, e.Replica, func(a vsr.Action, s vsr.State) {
				diffs := x.at(s).diff(e)
				n := near{fmt.Sprintf("%v would differ: %s", a, texts(diffs)), len(diffs)}
				if !slices.Contains(all, n) {
					all = append(all, n)
				}
			})
		}
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
