package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/impl/sim"
	"github.com/viewstamp/viewstamp/impl/vsr"
)

// Swarm is the job that runs a range of seeds of the simulator, whose kinds of fault
// each seed chooses. With coverage it also demands that the range as a whole has seen
// everything that a swarm should see. The detail is what it has seen. progress may be nil.
func Swarm(
	from, to uint64, options sim.Options, coverage bool, progress func(sim.Progress),
) Job {
	job := Job{
		Name: "sim/swarm", Engine: EngineSim,
		Reproduce: fmt.Sprintf("viewstamp sim swarm --seeds %d..%d", from, to) + flagsOf(options),
	}
	job.Run = func(ctx context.Context) []Check {
		result, err := sim.Swarm(ctx, from, to, options, progress)
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		checks := []Check{swarmCheck(ctx, job, result)}
		if coverage {
			checks = append(checks, coverageCheck(job, result))
		}
		return checks
	}
	return job
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

func swarmCheck(ctx context.Context, job Job, r *sim.SwarmResult) Check {
	c := job.empty()
	c.Status, c.Detail = Passed, coverageTable(r.Coverage)
	c.Figures = Figures{
		FigureSeeds: float64(r.Seeds), FigureTicks: float64(r.Ticks),
		FigureOperations: float64(r.Operations), "committed": float64(r.Committed),
		"view_changes": float64(r.ViewChanges), "crashes": float64(r.Crashes),
	}
	switch {
	case len(r.Failures) > 0:
		first := r.Failures[0]
		c.fail("%d of %d seeds failed; seed %d: %s", len(r.Failures), r.Seeds, first.Seed,
			first.Failure)
		c.Reproduce = first.Reproduce()
		c.Detail = ""
		for _, failed := range r.Failures {
			c.Detail += fmt.Sprintf("seed %d: %s\n  %s\n", failed.Seed, failed.Failure,
				failed.Reproduce())
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

func coverageCheck(job Job, r *sim.SwarmResult) Check {
	c := job.empty()
	c.Name = "sim/coverage"
	c.Status = Passed
	missing := r.Missing()
	total := 0
	for _, row := range r.Coverage {
		if row.Expected {
			total++
		}
	}
	c.Figures["covered"] = float64(total - len(missing))
	c.Figures["expected"] = float64(total)
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

// coverageTable is the swarm's coverage for people: a group a line.
func coverageTable(rows sim.Coverage) string {
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
	if group != "" {
		text.WriteByte('\n')
	}
	return text.String()
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
