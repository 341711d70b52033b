package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/sim/nodes"
	"github.com/viewstamp/viewstamp/impl/sim/seeds"
	"github.com/viewstamp/viewstamp/traces"
	"github.com/viewstamp/viewstamp/traces/conform"
)

// Nodes is the job that runs a range of seeds of the simulator of whole processes. With coverage
// it also demands that the range as a whole has seen everything that it should see. The detail
// is what it has seen. progress may be nil.
func Nodes(
	from, to uint64, options nodes.Options, coverage bool, progress func(seeds.Progress),
) Job {
	options.Judge = JudgeNodes
	single := options
	single.Seed = from
	job := Job{
		Name: "sim/nodes", Engine: EngineSim,
		Reproduce: strings.Replace(single.Command(), fmt.Sprintf("%d..%d", from, from),
			fmt.Sprintf("%d..%d", from, to), 1),
	}
	return swarmJob(job, "sim/nodes-coverage", coverage,
		func(ctx context.Context) (*seeds.Swarm, error) {
			return nodes.Swarm(ctx, from, to, options, progress)
		})
}

// JudgeNodes holds the events of a run of whole processes against the model.
func JudgeNodes(h traces.Header) (nodes.Judge, error) {
	c, err := conform.New(h, "")
	if err != nil {
		return nil, err
	}
	return c.Judge, nil
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
