package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
)

// accountOf tells people how a search went, beside its figures: the shape of the graph,
// what it cost in memory, and how often each of the module's actions was taken.
func accountOf[S any, A explore.Action](
	result *explore.Result[S, A], actions []string,
) string {
	var b strings.Builder
	d := result.Degrees
	fmt.Fprintf(&b, "successors of a state: %.1f on average, %d at 95 of 100, %d at most; "+
		"%d states have none\n", d.Mean, d.Percentile95, d.Max, d.Final)
	fmt.Fprintf(&b, "memory: %.0f bytes a state, %.0f of them beyond the state itself; "+
		"states taken for one another: %.1e expected\n", result.BytesPerState,
		result.OverheadPerState, result.CollisionEstimate)
	var taken, never []string
	for _, name := range actions {
		if n := result.Actions[name]; n > 0 {
			taken = append(taken, fmt.Sprintf("%s %d", name, n))
			continue
		}
		never = append(never, name)
	}
	b.WriteString("taken: " + strings.Join(taken, ", ") + "\n")
	if len(never) > 0 {
		b.WriteString("never taken: " + strings.Join(never, ", ") + "\n")
	}
	if goals := result.Unreached(); len(goals) > 0 {
		slices.Sort(goals)
		b.WriteString("not reached: " + strings.Join(goals, ", ") + "\n")
	}
	return b.String()
}
