package verify

import (
	"context"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/sim/nodes"
	"github.com/viewstamp/viewstamp/impl/sim/seeds"
)

// Figures of benchmarks of the simulators.
const (
	// FigureTicksPerCPUSecond is how many ticks of virtual time pass in a second of CPU time.
	FigureTicksPerCPUSecond = "ticks_per_cpu_second"
	// FigureCommittedPerCPUSecond is how many requests are committed in one, FigureOpsPerCPUSecond
	// how many ops of the logs: several requests may share an op.
	FigureCommittedPerCPUSecond = "committed_per_cpu_second"
	FigureOpsPerCPUSecond       = "ops_per_cpu_second"
	// FigureChecksLeftOut is how many of the checks of a swarm the runs do without.
	FigureChecksLeftOut = "checks_left_out"
)

// The goals, in committed requests per second of CPU time.
const (
	benchCalmGoal  = 100_000
	benchSwarmGoal = 10_000
)

const (
	// benchSimSeeds is how many seeds of each simulator run in swarm mode, from 1 on, benchCalmSeeds
	// without faults.
	benchSimSeeds, benchCalmSeeds = 200, 4
	benchCalmTicks                = 4000
	reproduceBenchSim             = "viewstamp bench sim"
)

// BenchSim are the jobs that measure the simulators, of cores alone and of whole nodes: at three
// replicas without faults, nodes without reads too, and in swarm mode. The seeds are always the
// same. A run that fails, fails the job; the figures say whether the goal is met. They need the
// machine to themselves.
func BenchSim() []Job {
	return []Job{
		benchSimJob("sim-cores", benchCalmGoal, benchCores(sim.Options{
			Replicas: 3, Clients: 64, Faults: sim.FaultsNone, Ticks: benchCalmTicks,
		}, benchCalmSeeds)),
		benchSimJob("sim-cores-swarm", benchSwarmGoal,
			benchCores(sim.Options{Faults: sim.FaultsSwarm}, benchSimSeeds)),
		benchSimJob("sim-nodes", benchCalmGoal, benchNodes(nodes.Options{
			Replicas: 3, Groups: 2, Clients: 256, Calm: true, Writes: true, Ticks: benchCalmTicks,
		}, benchCalmSeeds)),
		benchSimJob("sim-nodes-swarm", benchSwarmGoal, benchNodes(nodes.Options{}, benchSimSeeds)),
	}
}

// simulated is what some runs came to.
type simulated struct {
	ticks, requests, ops, leftOut int
	failure                       string
}

func benchSimJob(
	name string, goal float64, run func(context.Context) (simulated, error),
) Job {
	job := Job{Name: "bench/" + name, Engine: EngineSim, Reproduce: reproduceBenchSim}
	job.Run = func(ctx context.Context) []Check {
		c := job.empty()
		c.Status = Passed
		before := cpuSeconds()
		done, err := run(ctx)
		cpu := cpuSeconds() - before
		if err == nil && done.failure != "" {
			c.fail("%s", done.failure)
		}
		speed := perSecond(done.requests, cpu)
		c.Figures[FigureTicks], c.Figures[FigureOperations] = float64(done.ticks),
			float64(done.requests)
		c.Figures[FigureTicksPerCPUSecond] = perSecond(done.ticks, cpu)
		c.Figures[FigureCommittedPerCPUSecond] = speed
		c.Figures[FigureOpsPerCPUSecond] = perSecond(done.ops, cpu)
		c.Figures[FigureChecksLeftOut] = float64(done.leftOut)
		c.Figures["goal"], c.Figures["goal_met"] = goal, 0
		if speed >= goal {
			c.Figures["goal_met"] = 1
		}
		return []Check{interrupted(ctx, c, err)}
	}
	return job
}

func benchCores(options sim.Options, n uint64) func(context.Context) (simulated, error) {
	return func(ctx context.Context) (simulated, error) {
		r, err := sim.Swarm(ctx, 1, n, options, nil)
		return sumOf(r, "operations", err)
	}
}

func benchNodes(options nodes.Options, n uint64) func(context.Context) (simulated, error) {
	return func(ctx context.Context) (simulated, error) {
		r, err := nodes.Swarm(ctx, 1, n, options, nil)
		done, err := sumOf(r, "requests", err)
		done.leftOut = len(options.LeavesOut())
		return done, err
	}
}

// sumOf reads a swarm's figures; requests is the name of the one that counts what clients asked.
func sumOf(r *seeds.Swarm, requests string, err error) (simulated, error) {
	if err != nil {
		return simulated{}, err
	}
	done := simulated{
		ticks: r.Figures["ticks"], requests: r.Figures[requests], ops: r.Figures["committed"],
	}
	if len(r.Failures) > 0 {
		done.failure = fmt.Sprintf("seed %d: %s", r.Failures[0].Seed, r.Failures[0].Failure)
	}
	return done, nil
}
