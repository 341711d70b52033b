package verify

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/traces/mutants"
)

// FigureCPUSeconds is the key of Check.Figures for the time of processes that a check has run.
const FigureCPUSeconds = "cpu_seconds"

const codeMutants = "mutants/code"

// CodeMutants are the mutants of the production code, each of which must be caught as its patch
// says.
type CodeMutants struct {
	// Root is the source tree, Patches those of it.
	Root    string
	Patches []mutants.Patch
	runner  *mutants.Runner
	// verdict is the check where nothing can be tried.
	without Check
}

// FindCodeMutants looks for the source tree that the current folder lies in, its patches and the
// Go tool. Where one of them is missing [CodeMutants.Section] says so: a check that is skipped, or
// failed where the patches cannot be read.
func FindCodeMutants() *CodeMutants {
	m := &CodeMutants{without: Check{
		Name: codeMutants, Engine: EngineCore, Figures: Figures{}, Status: Skipped,
		Reproduce: "viewstamp check --code-mutants",
	}}
	err := m.find()
	var unavailable *mutants.Unavailable
	switch {
	case errors.As(err, &unavailable):
		m.without.Reason = OneLine(unavailable.Reason)
	case err != nil:
		m.without.fail("%v", err)
	}
	return m
}

func (m *CodeMutants) find() error {
	root, err := mutants.FindTree(".")
	if err != nil {
		return err
	}
	if m.Patches, err = mutants.Read(root); err != nil {
		return err
	}
	m.Root = root
	m.runner, err = mutants.NewRunner(root)
	return err
}

// Lookup returns the mutant of a name.
//
// Errors: there is none; it says which there are.
func (m *CodeMutants) Lookup(name string) (mutants.Patch, error) {
	var names []string
	for _, p := range m.Patches {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return mutants.Patch{}, fmt.Errorf("mutant %q: expected one of %q", name, names)
}

// Match returns what accepts the mutants of a pattern, as path.Match has it, or of several with
// commas between them. A name stands for itself.
//
// Errors: a pattern has no form; no mutant is of it.
func (m *CodeMutants) Match(patterns string) (func(mutants.Patch) bool, error) {
	all := strings.Split(patterns, ",")
	for _, pattern := range all {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("mutants %q: %w", pattern, err)
		}
		if !slices.ContainsFunc(m.Patches, isOf(pattern)) {
			_, err := m.Lookup(pattern)
			return nil, err
		}
	}
	return func(p mutants.Patch) bool {
		return slices.ContainsFunc(all, func(pattern string) bool { return isOf(pattern)(p) })
	}, nil
}

func isOf(pattern string) func(mutants.Patch) bool {
	return func(p mutants.Patch) bool {
		matches, err := path.Match(pattern, p.Name)
		return matches && err == nil
	}
}

// Section tries each mutant that keep accepts, and sums up what became of them. It can be used
// once: afterwards what was built is gone.
func (m *CodeMutants) Section(keep func(mutants.Patch) bool) Section {
	if m.runner == nil {
		job := Job{Name: codeMutants, Engine: EngineCore, Reproduce: m.without.Reproduce}
		job.Run = func(context.Context) []Check { return []Check{m.without} }
		return Section{Jobs: []Job{job}}
	}
	var s Section
	for _, p := range m.Patches {
		if keep(p) {
			s.Jobs = append(s.Jobs, m.job(p))
		}
	}
	s.Finish = func(_ context.Context, checks []Check) []Check {
		sum := Check{
			Name: codeMutants, Engine: EngineCore, Figures: Figures{},
			Reproduce: m.without.Reproduce,
		}
		m.sumUp(&sum, checks)
		return append([]Check{sum}, checks...)
	}
	return s
}

func (m *CodeMutants) job(p mutants.Patch) Job {
	job := Job{
		Name: codeMutants + "/" + p.Name, Engine: EngineCore,
		Reproduce: "viewstamp check --code-mutants --name " + p.Name,
	}
	job.Run = func(ctx context.Context) []Check {
		v := m.runner.Try(ctx, p)
		c := job.empty()
		c.Figures[FigureCPUSeconds] = float64(v.CPU.Milliseconds()) / 1000
		switch v.Outcome {
		case mutants.Caught:
			c.Status = Passed
		case mutants.Survived, mutants.Elsewhere, mutants.Broken:
			c.fail("%s", v.Reason)
			c.Detail = v.Output
		case mutants.Ended:
			c.Status, c.Reason, c.Detail = Undecided, OneLine(v.Reason), v.Output
		}
		return []Check{c}
	}
	return job
}

// sumUp sums up the mutants and removes what was built.
func (m *CodeMutants) sumUp(sum *Check, checks []Check) {
	caught := map[string]bool{}
	for i := range checks {
		sum.takeUp(&checks[i])
		caught[checks[i].Name] = checks[i].Status == Passed
	}
	delete(sum.Figures, check.FigureDistinct)
	delete(sum.Figures, check.FigureTransitions)
	sum.Figures[FigureCPUSeconds] = float64(m.runner.CPU().Milliseconds()) / 1000
	sum.judgeMutants(caught, slices.Clone(checks))
	if err := m.runner.Close(); err != nil {
		sum.fail("%v", err)
	}
}

// Seconds returns what each mutant took that was caught, by name, from the checks of a section.
func (m *CodeMutants) Seconds(checks []Check) map[string]float64 {
	seconds := map[string]float64{}
	for _, p := range m.Patches {
		for _, c := range checks {
			if c.Name == codeMutants+"/"+p.Name && c.Status == Passed {
				seconds[p.Name] = c.Figures[FigureCPUSeconds]
			}
		}
	}
	return seconds
}
