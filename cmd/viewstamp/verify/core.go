package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/traces/refine"
)

// EngineCore is what drives real cores through all interleavings.
const EngineCore = "core"

// Core is the job that drives real cores through all interleavings within the bounds of a cfg
// and compares each step with the model. A number of replicas that the core does not take is
// skipped. progress may be nil.
func Core(cfg refine.Cfg, workers int, progress func(explore.Progress)) Job {
	job := Job{
		Name: "core/" + strings.TrimPrefix(cfg.Name, "core-"), Engine: EngineCore,
		Reproduce: "viewstamp check --core --cfg " + cfg.Name,
	}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		if err := refine.Supported(cfg.Bounds); err != nil {
			c.Status, c.Reason = Skipped, OneLine(err.Error())
			return []Check{c}
		}
		if cfg.Walks > 0 {
			return []Check{coreWalks(ctx, c, cfg)}
		}
		r, err := refine.Check(ctx, cfg.Bounds, explore.Options{
			Workers: workers, Progress: progress,
		})
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		c.Status = Passed
		c.Figures = Figures{
			"distinct": float64(r.Distinct), "transitions": float64(r.Transitions),
			"depth": float64(r.Depth), "replica_states": float64(r.Replicas),
			"messages": float64(r.Messages),
		}
		c.cover(r.Actions, r.Missing, r.Covered, r.Untaken)
		switch {
		case r.Violation != nil:
			c.Figures[FigureCounterexample] = float64(len(r.Violation.Path))
			c.Detail = r.Story
			c.fail("%s", r.Violation.Reason)
		case !r.Complete:
			c.Status = Undecided
			c.Reason = fmt.Sprintf("ended by %v with %d states waiting", r.Stop, r.Waiting)
		case len(r.Missing) > 0:
			c.fail("no core took %s", strings.Join(r.Missing, ", "))
		default:
			failUnexplained(&c, r.Untaken)
		}
		return []Check{c}
	}
	return job
}

// coreWalks drives real cores along random interleavings beyond the bounds of the searches.
func coreWalks(ctx context.Context, c Check, cfg refine.Cfg) Check {
	r, err := refine.Walk(ctx, cfg.Bounds, cfg.Walks, cfg.Steps)
	if err != nil {
		return Errored(c.Name, c.Engine, c.Reproduce, err)
	}
	c.Status = Passed
	c.Figures = Figures{FigureWalks: float64(r.Walks), "steps": float64(r.Steps)}
	c.cover(r.Actions, r.Missing, r.Covered, r.Untaken)
	switch {
	case r.Reason != "":
		c.Detail = r.Story
		c.fail("seed %d: %s", r.Seed, r.Reason)
	case r.Walks < cfg.Walks:
		c.Status = Undecided
		c.Reason = fmt.Sprintf("ended after %d of %d walks", r.Walks, cfg.Walks)
	case len(r.Missing) > 0:
		c.fail("no core took %s", strings.Join(r.Missing, ", "))
	default:
		failUnexplained(&c, r.Untaken)
	}
	return c
}

// cover says what the cores have done, in figures, for programs and for people.
func (c *Check) cover(actions int, missing, covered []string, untaken []refine.Untaken) {
	c.Figures[check.FigureActionsTotal] = float64(actions)
	c.Figures[check.FigureActionsCovered] = float64(actions - len(missing))
	c.Coverage = &Coverage{Taken: covered, NotTaken: []NotTaken{}}
	for _, u := range untaken {
		c.Coverage.NotTaken = append(c.Coverage.NotTaken, NotTaken{Branch: u.Branch, Reason: u.Why})
	}
	c.Detail = coreDetail(covered, untaken)
}

func coreDetail(covered []string, untaken []refine.Untaken) string {
	var b strings.Builder
	fmt.Fprintf(&b, "taken: %s\n", strings.Join(covered, ", "))
	var reasons []string
	byReason := map[string][]string{}
	for _, u := range untaken {
		if byReason[u.Why] == nil {
			reasons = append(reasons, u.Why)
		}
		byReason[u.Why] = append(byReason[u.Why], u.Branch)
	}
	for _, why := range reasons {
		if why == "" {
			fmt.Fprintf(&b, "not taken, and no reason is known: %s\n", strings.Join(byReason[why], ", "))
			continue
		}
		fmt.Fprintf(&b, "not taken, as %s: %s\n", why, strings.Join(byReason[why], ", "))
	}
	return b.String()
}

// failUnexplained fails a check that did not take a branch and nobody can say why.
func failUnexplained(c *Check, untaken []refine.Untaken) {
	for _, u := range untaken {
		if u.Why == "" {
			c.fail("no core took %s, and nobody knows why", u.Branch)
			return
		}
	}
}
