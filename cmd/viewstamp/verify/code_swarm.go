package verify

import (
	"context"
	"fmt"

	"github.com/viewstamp/viewstamp/traces/mutants"
)

const codeSwarm = "mutants/swarm"

// Hunted is told what became of a mutant that seeds have hunted.
type Hunted func(name string, by mutants.Seeds, outcome mutants.Outcome)

// SwarmSection hunts each mutant that keep accepts, and that simulators run, with the seeds
// from 1 to seeds, and sums up what became of them. One whose patch says that no seed finds it
// is skipped with that reason, and fails if one does. It can be used once. hunted is called with
// what became of each mutant, by one job at a time if one runs at a time.
func (m *CodeMutants) SwarmSection(
	keep func(mutants.Patch) bool, seeds uint64, hunted Hunted,
) Section {
	reproduce := "viewstamp check --code-mutants --by-swarm"
	if m.runner == nil {
		without := m.without
		without.Name, without.Engine, without.Reproduce = codeSwarm, EngineSim, reproduce
		job := Job{Name: codeSwarm, Engine: EngineSim, Reproduce: reproduce}
		job.Run = func(context.Context) []Check { return []Check{without} }
		return Section{Jobs: []Job{job}}
	}
	var s Section
	for _, p := range mutants.Hunted(m.Patches) {
		if keep(p) {
			s.Jobs = append(s.Jobs, m.hunt(p, seeds, hunted))
		}
	}
	s.Finish = func(_ context.Context, checks []Check) []Check {
		sum := Check{Name: codeSwarm, Engine: EngineSim, Figures: Figures{}, Reproduce: reproduce}
		m.sumUp(&sum, checks)
		return append([]Check{sum}, checks...)
	}
	return s
}

// hunt is the job of one mutant.
func (m *CodeMutants) hunt(p mutants.Patch, seeds uint64, hunted Hunted) Job {
	job := Job{
		Name: codeSwarm + "/" + p.Name, Engine: EngineSim,
		Reproduce: fmt.Sprintf("viewstamp check --code-mutants --by-swarm --name %s", p.Name),
	}
	job.Run = func(ctx context.Context) []Check {
		v, by := m.runner.Hunt(ctx, p, seeds)
		hunted(p.Name, by, v.Outcome)
		c := job.empty()
		c.Figures[FigureSeeds] = float64(by.Ran)
		c.Figures[FigureCPUSeconds] = float64(v.CPU.Milliseconds()) / 1000
		switch {
		case v.Outcome == mutants.Caught && p.Unseen != "":
			c.fail("seed %d of %s finds it, expected none: %s; the patch says %q", by.Seed,
				by.Simulator, by.Failure, p.Unseen)
		case v.Outcome == mutants.Caught:
			c.Status = Passed
			c.Detail = fmt.Sprintf("seed %d of %s: %s\n", by.Seed, by.Simulator, by.Failure)
		case v.Outcome == mutants.Survived && p.Unseen != "":
			c.Status, c.Reason = Skipped, OneLine("no seed finds it: "+p.Unseen)
		case v.Outcome == mutants.Ended:
			c.Status, c.Reason, c.Detail = Undecided, OneLine(v.Reason), v.Output
		default:
			c.fail("%s", v.Reason)
			c.Detail = v.Output
		}
		return []Check{c}
	}
	return job
}
