package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/sim/nodes"
)

// Nodes is the job that runs a range of seeds of the simulator of whole processes. With coverage
// it also demands that the range as a whole has seen everything that it should see. The detail
// is what it has seen. progress may be nil.
func Nodes(
	from, to uint64, options nodes.Options, coverage bool, progress func(done, failed int),
) Job {
	single := options
	single.Seed = from
	job := Job{
		Name: "sim/nodes", Engine: EngineSim,
		Reproduce: strings.Replace(single.Command(), fmt.Sprintf("%d..%d", from, from),
			fmt.Sprintf("%d..%d", from, to), 1),
	}
	job.Run = func(ctx context.Context) []Check {
		result, err := nodes.Swarm(ctx, from, to, options, progress)
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		checks := []Check{nodesCheck(ctx, job, result)}
		if coverage {
			checks = append(checks, nodesCoverage(job, result))
		}
		return checks
	}
	return job
}

func nodesCheck(ctx context.Context, job Job, r *nodes.SwarmResult) Check {
	c := job.empty()
	c.Status, c.Detail = Passed, nodesTable(r.Coverage)
	c.Figures = Figures{
		FigureSeeds: float64(r.Seeds), FigureTicks: float64(r.Ticks),
		FigureOperations: float64(r.Operations), "committed": float64(r.Committed),
		"crashes": float64(r.Crashes), "comparisons": float64(r.Comparisons),
		"frames": float64(r.Frames),
	}
	switch {
	case len(r.Failures) > 0:
		first := r.Failures[0]
		c.fail("%d of %d seeds failed; seed %d: %s", len(r.Failures), r.Seeds, first.Seed,
			first.Failure)
		c.Reproduce = first.Reproduce()
		c.Detail = ""
		for _, failed := range r.Failures {
			c.Detail += fmt.Sprintf("seed %d: %s\n  %s\n  chosen: %s\n", failed.Seed,
				failed.Failure, failed.Reproduce(), strings.Join(failed.Features, " "))
		}
	case len(r.Undecided) > 0:
		c.Status = Undecided
		c.Reason = fmt.Sprintf("the histories of %d seeds could not be decided, such as that of %d",
			len(r.Undecided), r.Undecided[0])
	case !r.Complete():
		c.Status = Undecided
		c.Reason = OneLine(fmt.Sprintf("%d of %d seeds ran: %v", r.Seeds, r.To-r.From+1,
			context.Cause(ctx)))
	}
	return c
}

func nodesCoverage(job Job, r *nodes.SwarmResult) Check {
	c := job.empty()
	c.Name, c.Status = "sim/nodes-coverage", Passed
	missing, total := r.Coverage.Missing(), 0
	for _, row := range r.Coverage {
		if row.Expected {
			total++
		}
	}
	c.Figures["covered"], c.Figures["expected"] = float64(total-len(missing)), float64(total)
	switch {
	case !r.Complete() && len(missing) > 0:
		c.Status = Undecided
		c.Reason = fmt.Sprintf("%d of %d seeds ran, which have not seen: %s", r.Seeds,
			r.To-r.From+1, strings.Join(missing, ", "))
	case len(missing) > 0:
		c.fail("never seen in %d seeds: %s", r.Seeds, strings.Join(missing, ", "))
	}
	return c
}

// nodesTable is the coverage for people: a group a line.
func nodesTable(rows nodes.Coverage) string {
	var text strings.Builder
	group := ""
	for _, row := range rows {
		if row.Group != group {
			if group != "" {
				text.WriteByte('\n')
			}
			group = row.Group
			fmt.Fprintf(&text, "%-10s", group)
		}
		fmt.Fprintf(&text, " %s=%d", row.Name, row.Count)
	}
	text.WriteByte('\n')
	return text.String()
}

// NodesRun is one run of whole processes as a check. Its detail says what the seed chose.
func NodesRun(r *nodes.Result) Check {
	c := Check{
		Name: fmt.Sprintf("sim/nodes-%d", r.Seed), Engine: EngineSim, Status: Passed,
		Reproduce: r.Reproduce(),
		Figures: Figures{
			FigureSeeds: 1, FigureTicks: float64(r.Ticks), FigureOperations: float64(r.Operations),
			"committed": float64(r.Committed), "crashes": float64(r.Crashes),
		},
		Detail: fmt.Sprintf("chosen: %s\n", strings.Join(r.Features, " ")),
	}
	if r.Failure != nil {
		c.fail("%s", r.Failure)
	}
	return c
}
