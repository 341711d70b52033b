package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/sim/seeds"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// Swarm is the job that runs a range of seeds of the simulator, whose kinds of fault
// each seed chooses. With coverage it also demands that the range as a whole has seen
// everything that a swarm should see. The detail is what it has seen. progress may be nil.
func Swarm(
	from, to uint64, options sim.Options, coverage bool, progress func(seeds.Progress),
) Job {
	job := Job{
		Name: "sim/swarm", Engine: EngineSim,
		Reproduce: fmt.Sprintf("viewstamp sim swarm --seeds %d..%d", from, to) + flagsOf(options),
	}
	return swarmJob(job, "sim/coverage", coverage, func(ctx context.Context) (*seeds.Swarm, error) {
		return sim.Swarm(ctx, from, to, options, progress)
	})
}

// flagsOf are the flags of a run or swarm whose options are not the usual ones.
func flagsOf(o sim.Options) string {
	text := ""
	add := func(flag string, value, usual int) {
		if value != 0 && value != usual {
			text += fmt.Sprintf(" --%s %d", flag, value)
		}
	}
	add("ticks", o.Ticks, sim.DefaultTicks)
	add("clients", o.Clients, 0)
	add("requests", o.Requests, 0)
	if o.Faults != sim.FaultsSwarm {
		text += fmt.Sprintf(" --faults %s", o.Faults)
	}
	if o.NoCheckpoints && o.Faults == sim.FaultsSwarm {
		text += " --checkpoints=false"
	}
	names, err := DefectNames()
	for _, name := range names {
		if defect, parseErr := vsr.ParseDefect(name); err == nil && parseErr == nil &&
			o.Defects.Has(defect) {
			text += " --defect " + name
		}
	}
	return text
}

// ReproduceRun is the command of one run with the given options.
func ReproduceRun(o sim.Options) string {
	return fmt.Sprintf("viewstamp sim run --seed %d%s", o.Seed, flagsOf(o))
}

// RunCheck is one run of the simulator as a check. Its detail says what the seed chose
// and what happened.
func RunCheck(r *sim.Result) Check {
	c := Check{
		Name: fmt.Sprintf("sim/seed-%d", r.Seed), Engine: EngineSim, Status: Passed,
		Reproduce: r.Reproduce(),
		Figures: Figures{
			FigureSeeds: 1, FigureTicks: float64(r.Ticks), FigureOperations: float64(r.Operations),
			"committed": float64(r.Committed), "view_changes": float64(r.ViewChanges),
			"crashes": float64(r.Crashes), "comparisons": float64(r.Comparisons),
		},
		Detail: fmt.Sprintf("chosen: %s\npackets: %d sent, %d lost, %d duplicated, %d corrupted\n",
			strings.Join(r.Features, " "), r.PacketsSent, r.PacketsLost, r.PacketsDuplicated,
			r.PacketsCorrupted),
	}
	switch {
	case !r.Passed:
		c.fail("%s", r.Failure)
	case r.Undecided != "":
		c.Status, c.Reason = Undecided, OneLine(r.Undecided)
	}
	return c
}
