package verify

import (
	"context"
	"fmt"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/spec"
)

// MutantSection is the section that checks cfgs of mutants, each with the job that is
// made of it, and sums them up under one name, such as "mutants/go": each mutant must
// be caught at all its cfgs. The jobs' own checks are minor ones.
func MutantSection(name, engine string, cfgs []spec.Cfg, job func(spec.Cfg) Job) Section {
	var section Section
	mutantOf := map[string]string{} // By the name of the job.
	for _, cfg := range cfgs {
		section.Jobs = append(section.Jobs, job(cfg))
		name := section.Jobs[len(section.Jobs)-1].Name
		mutantOf[name] = spec.ModuleOfMutants(cfg.Module) + "." + cfg.Mutant
	}
	section.Finish = func(_ context.Context, checks []Check) []Check {
		sum := Check{
			Name: name, Engine: engine, Figures: Figures{},
			Reproduce: "viewstamp check --mutants --engine " + engine,
		}
		caught := map[string]bool{}
		for i := range checks {
			c := &checks[i]
			sum.takeUp(c)
			mutant := mutantOf[c.Name]
			before, known := caught[mutant]
			caught[mutant] = c.Status == Passed && (before || !known)
		}
		sum.judgeMutants(caught, checks)
		return append([]Check{sum}, checks...)
	}
	return section
}

// takeUp adds the figures of one of the checks that the receiver sums up.
func (c *Check) takeUp(one *Check) {
	one.Minor = true
	c.Seconds += one.Seconds
	for _, key := range []string{check.FigureDistinct, check.FigureTransitions} {
		c.Figures[key] += one.Figures[key]
	}
	if one.Status == Passed {
		one.Detail = "" // An expected counterexample is no news.
	}
}

// judgeMutants gives the verdict on mutants, each of which was caught or not.
func (c *Check) judgeMutants(caught map[string]bool, checks []Check) {
	count := 0
	for _, yes := range caught { // A count: the order leaves no mark.
		if yes {
			count++
		}
	}
	c.Figures[check.FigureMutants] = float64(len(caught))
	c.Figures[check.FigureMutantsCaught] = float64(count)
	c.Status = Judge(checks)
	switch {
	case len(checks) == 0:
		c.failVacuous("mutants")
	case c.Status != Passed:
		c.Reason = fmt.Sprintf("%d of %d mutants caught as the manifest says; %s",
			count, len(caught), firstReason(checks))
	}
}

// firstReason names the first check that is not passed and says why.
func firstReason(checks []Check) string {
	worst := Judge(checks)
	for _, c := range checks {
		if c.Status == worst {
			return c.Name + ": " + c.Reason
		}
	}
	return "there is none"
}
