package generate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// attemptsMax bounds the walks that are tried for one that reaches a goal. The rarest goal of
// the model is reached by one in fifty.
const attemptsMax = 5_000

// Towards returns a walk of at most the given number of steps that ends with the step which
// first reaches a goal of [GoalNames]. It is the first one of the seeds from seed on; its
// header has the seed.
//
// Errors: the constants are not valid; no such goal; no walk of 5,000 seeds reaches it.
func Towards(
	c vsr.Config, name string, seed uint64, steps int, o Options,
) (*traces.Trace, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("walk towards a goal: %w", err)
	}
	goals := goalsOf(c)
	at := slices.IndexFunc(goals, func(g goal) bool { return g.name == name })
	if at < 0 {
		return nil, fmt.Errorf("walk towards %q: no such goal, expected one of %s", name,
			strings.Join(GoalNames(c), "; "))
	}
	model := vsr.Model(c)
	for walkSeed := seed; walkSeed < seed+attemptsMax; walkSeed++ {
		path := explore.Walk(model, newRandom(walkSeed), steps, weight)
		if end := reachedAt(&c, goals[at], path); end > 0 {
			t := traceOf(c, o, path[:end+1])
			t.Header.Seed = walkSeed
			return t, nil
		}
	}
	return nil, fmt.Errorf("walk towards %q: no walk of %d seeds from %d on reaches it", name,
		attemptsMax, seed)
}
