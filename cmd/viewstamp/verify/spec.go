package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/spec"
)

// Manifest is the job that reads the manifest with all that hangs on it: the cfgs,
// the mutants and invariants of the modules, and which mutant breaks which invariant.
func Manifest() Job {
	job := Job{Name: "spec/manifest", Engine: EngineGo, Reproduce: "viewstamp check --golden"}
	job.Run = func(context.Context) []Check {
		c := Check{
			Name: job.Name, Engine: job.Engine, Status: Passed, Figures: Figures{},
			Reproduce: job.Reproduce,
		}
		manifest, err := spec.Read()
		if err != nil {
			c.fail("%v", err)
			return []Check{c}
		}
		c.Figures["cfgs"] = float64(len(manifest.Cfgs))
		counted := map[string]bool{}
		for _, module := range checkedModules(manifest) {
			mutants, err := spec.Mutants(module)
			if err == nil {
				if owner := spec.ModuleOfMutants(module); !counted[owner] {
					counted[owner] = true
					c.Figures[check.FigureMutants] += float64(len(mutants))
				}
				var invariants []spec.Invariant
				invariants, err = spec.Invariants(module)
				c.Figures["invariants"] += float64(len(invariants))
			}
			if err == nil {
				err = hasMutantCfgs(manifest, module, mutants)
			}
			if err != nil {
				c.fail("%v", err)
			}
		}
		return []Check{c}
	}
	return job
}

// checkedModules lists the modules that have cfgs, in the manifest's order.
func checkedModules(m *spec.Manifest) []string {
	var modules []string
	seen := map[string]bool{}
	for _, cfg := range m.Cfgs {
		if !seen[cfg.Module] {
			seen[cfg.Module] = true
			modules = append(modules, cfg.Module)
		}
	}
	return modules
}

// hasMutantCfgs returns an error for a mutant that no cfg switches on: it would never
// be caught, and nobody would know.
func hasMutantCfgs(m *spec.Manifest, module string, mutants []spec.Mutant) error {
	for _, mutant := range mutants {
		cfgs := m.Select(func(c spec.Cfg) bool {
			return spec.ModuleOfMutants(c.Module) == spec.ModuleOfMutants(module) &&
				c.Mutant == mutant.Name
		})
		if len(cfgs) == 0 {
			return fmt.Errorf("manifest.json: no cfg for mutant %s of module %s, expected one",
				mutant.Name, module)
		}
	}
	return nil
}

// GoldenFiles is the job that looks whether the golden files belong to the present
// text of the modules. It compares no graph.
func GoldenFiles() Job {
	job := Job{Name: "spec/golden", Engine: EngineGo, Reproduce: "viewstamp check --golden"}
	job.Run = func(context.Context) []Check {
		c := Check{
			Name: job.Name, Engine: job.Engine, Status: Passed, Figures: Figures{},
			Reproduce: job.Reproduce,
		}
		manifest, err := spec.Read()
		if err != nil {
			c.fail("%v", err)
			return []Check{c}
		}
		var wrong []string
		cfgs := manifest.GoldenCfgs()
		for _, cfg := range cfgs {
			if _, err := spec.ReadGolden(cfg); err != nil {
				wrong = append(wrong, err.Error())
			}
		}
		c.Figures["golden"] = float64(len(cfgs) - len(wrong))
		switch {
		case len(cfgs) == 0:
			c.fail("no cfg has a golden file, expected some")
		case len(wrong) > 0:
			c.fail("%d of %d golden files are of no use: %s", len(wrong), len(cfgs), wrong[0])
			c.Detail = strings.Join(wrong, "\n")
		}
		return []Check{c}
	}
	return job
}
