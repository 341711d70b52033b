package verify

import (
	"context"
	"fmt"

	"github.com/viewstamp/viewstamp/traces/mutants"
)

// FigureFailed counts the seeds that fail with a mutant.
const FigureFailed = "failed_seeds"

// RateSection runs all the seeds from 1 to seeds with each mutant that keep accepts, and says how
// many of them fail. Without the mutant none may. It can be used once.
func (m *CodeMutants) RateSection(keep func(mutants.Patch) bool, seeds uint64) Section {
	if m.runner == nil {
		return m.SwarmSection(keep, seeds, nil) // which says why it is skipped
	}
	var s Section
	for _, p := range mutants.Hunted(m.Patches) {
		if keep(p) {
			s.Jobs = append(s.Jobs, m.rate(p, seeds))
		}
	}
	s.Finish = func(_ context.Context, checks []Check) []Check {
		if err := m.runner.Close(); err != nil && len(checks) > 0 {
			checks[0].fail("%v", err)
		}
		return checks
	}
	return s
}

// rate is the job of one mutant.
func (m *CodeMutants) rate(p mutants.Patch, seeds uint64) Job {
	job := Job{
		Name: "mutants/rate/" + p.Name, Engine: EngineSim,
		Reproduce: fmt.Sprintf(
			"viewstamp check --code-mutants --by-swarm --rate --name %s --seeds %d", p.Name, seeds),
	}
	job.Run = func(ctx context.Context) []Check {
		v, by := m.runner.Rate(ctx, p, seeds)
		c := job.empty()
		c.Figures[FigureSeeds] = float64(by.Ran)
		c.Figures[FigureFailed] = float64(by.Failed)
		c.Figures[FigureCPUSeconds] = float64(v.CPU.Milliseconds()) / 1000
		switch v.Outcome {
		case mutants.Caught:
			c.Status = Passed
			c.Detail = fmt.Sprintf("%d of %d seeds fail with it, none without; the first is %d of %s: "+
				"%s\n", by.Failed, by.Ran, by.Seed, by.Simulator, by.Failure)
		case mutants.Ended:
			c.Status, c.Reason, c.Detail = Undecided, OneLine(v.Reason), v.Output
		case mutants.Survived, mutants.Elsewhere, mutants.Broken:
			c.fail("%s", v.Reason)
			c.Detail = v.Output
		}
		return []Check{c}
	}
	return job
}
