package verify

import (
	"context"
	"errors"
	"sync"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
)

// Models makes the jobs that check cfgs of the manifest.
type Models struct {
	// TLC is what runs TLC, or why nothing does.
	TLC Toolbox
	// Options go to each check: a bug, a bound, a function that watches. Without a number
	// of workers each check has one, since other jobs run beside it; the CPU time is then
	// that of all of them, and so no states per CPU second are reported.
	Options check.Options
	// Tell makes the detail of a counterexample a story, for [check.Story].
	Tell bool
	// TellAll has such a story show the whole initial state.
	TellAll bool

	mutex    sync.Mutex
	outcomes []check.Outcome // Of the Go model, for the coverage.
	found    map[string]*check.Counterexample
	refused  error
}

// Refused says why a saved search was not resumed, nil if it was or none was named. A job
// that was refused has no check.
func (m *Models) Refused() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.refused
}

func (m *Models) refuse(err error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.refused = err
}

// Counterexample is the violation that a job of this [Models] has found at a cfg with
// the Go model, nil if none.
func (m *Models) Counterexample(cfg string) *check.Counterexample {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.found[cfg]
}

func (m *Models) keep(cfg spec.Cfg, o check.Outcome) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.outcomes = append(m.outcomes, o)
	if o.Counterexample != nil {
		if m.found == nil {
			m.found = map[string]*check.Counterexample{}
		}
		m.found[cfg.Name] = o.Counterexample
	}
}

// What one core of TLC does at least; it only orders jobs.
const (
	statesPerSecondTLC = 6_000
	secondsToStartTLC  = 3
)

// costOf estimates the seconds that TLC takes for a cfg. A mutant's size is not in the
// manifest; the length of its counterexample tells the long ones apart.
func costOf(cfg spec.Cfg) float64 {
	states := float64(cfg.Distinct)
	if !cfg.IsClean() {
		states = 10
		for range cfg.Counterexample {
			states *= 1.75
		}
	}
	return secondsToStartTLC + states/statesPerSecondTLC
}

// Go is the job that checks a cfg with the Go model, on one core.
func (m *Models) Go(cfg spec.Cfg) Job {
	job := m.job(cfg, EngineGo)
	job.Run = func(ctx context.Context) []Check {
		o, err := check.Go(ctx, cfg, m.options())
		if errors.Is(err, explore.ErrNotResumable) {
			m.refuse(err)
			return nil
		}
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		m.keep(cfg, o)
		c := withCounterexample(FromOutcome(o), o)
		if m.Tell && o.Counterexample != nil {
			c.Detail, err = check.Story(cfg, cfg.Mutant, m.TellAll, o.Counterexample)
			if err != nil {
				return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
			}
		}
		if m.Options.Workers == 0 {
			delete(c.Figures, check.FigureStatesPerCPUSecond)
		}
		hit, total := c.Figures[check.FigureSometimesHit], c.Figures[check.FigureSometimesTotal]
		if c.Status == Passed && cfg.IsClean() && hit < total {
			c.fail("%.0f of %.0f goals reached: what is never reached is not checked", hit, total)
		}
		return []Check{c}
	}
	return job
}

// withCounterexample adds the length of the counterexample and its text.
func withCounterexample(c Check, o check.Outcome) Check {
	if o.Counterexample != nil {
		c.Figures[FigureCounterexample] = float64(o.Counterexample.States)
		c.Detail = o.Counterexample.Text
	}
	return c
}

func (m *Models) options() check.Options {
	options := m.Options
	if options.Workers == 0 {
		options.Workers = 1
	}
	return options
}

// ByTLC is the job that has TLC check a cfg, with one worker, so that depths are
// exact.
func (m *Models) ByTLC(cfg spec.Cfg) Job {
	job := m.job(cfg, EngineTLC)
	job.Run = func(ctx context.Context) []Check {
		if m.TLC.tools == nil {
			return []Check{m.TLC.without(job.Name, cfg)}
		}
		o, err := check.TLC(ctx, m.TLC.tools, cfg, check.Options{Bug: m.Options.Bug})
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		return []Check{withCounterexample(FromOutcome(o), o)}
	}
	return job
}

// Graphs is the job that compares TLC's labelled state graph of a cfg with the Go
// model's.
func (m *Models) Graphs(cfg spec.Cfg) Job {
	job := m.job(cfg, EngineTLC)
	job.Name = "graphs/" + cfg.Name
	job.Reproduce = "viewstamp check --graphs --cfg " + cfg.Name + m.bugFlag()
	job.Cost *= 3 // A dump, and a second run that compares wrapper and module.
	job.Run = func(ctx context.Context) []Check {
		if m.TLC.tools == nil {
			c := m.TLC.without(job.Name, cfg)
			c.Reproduce = job.Reproduce
			return []Check{c}
		}
		o, err := check.Graphs(ctx, m.TLC.tools, cfg, check.Options{Bug: m.Options.Bug})
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		return []Check{job.check(o.Outcome)}
	}
	return job
}

// Golden is the job that compares the Go model's graph of a cfg with its golden file.
func (m *Models) Golden(cfg spec.Cfg) Job {
	job := m.job(cfg, EngineGo)
	job.Name = "golden/" + cfg.Name
	job.Reproduce = "viewstamp check --golden --cfg " + cfg.Name + m.bugFlag()
	job.Run = func(ctx context.Context) []Check {
		o, err := check.Golden(ctx, cfg, check.Options{Bug: m.Options.Bug})
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		return []Check{job.check(o)}
	}
	return job
}

// Adequacy is the job that asks whether the golden cfgs would notice each mutant.
func (m *Models) Adequacy(cfgs []spec.Cfg) Job {
	job := Job{Name: "adequacy/golden", Engine: EngineGo, Reproduce: "viewstamp check --golden"}
	job.Run = func(ctx context.Context) []Check {
		o, err := check.Adequacy(ctx, cfgs, check.AdequacyOptions{First: true})
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		return []Check{job.check(o.Outcome)}
	}
	return job
}

// ClaimJobs are the jobs of [Models.Claims] for every module of the manifest.
func (m *Models) ClaimJobs(manifest *spec.Manifest) []Job {
	var jobs []Job
	for _, module := range checkedModules(manifest) {
		jobs = append(jobs, m.Claims(module))
	}
	return jobs
}

// Claims is the job that verifies what the comments of a module's invariants say:
// which mutants break them.
func (m *Models) Claims(module string) Job {
	job := Job{
		Name: "claims/" + module, Engine: EngineGo, Reproduce: "viewstamp check --mutants",
	}
	job.Run = func(ctx context.Context) []Check {
		o, err := check.Claims(ctx, module, m.options())
		if err != nil {
			return []Check{Errored(job.Name, job.Engine, job.Reproduce, err)}
		}
		return []Check{job.check(o)}
	}
	return job
}

// Coverage is the section that judges all Go jobs of this [Models] together. It must
// come after them.
func (m *Models) Coverage() Section {
	return Section{Finish: func(ctx context.Context, _ []Check) []Check {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		c := FromOutcome(check.Coverage(m.outcomes))
		c.Reproduce = "viewstamp check --all"
		c.vacuous = true // What is missing may have been interrupted.
		return []Check{interrupted(ctx, c, ctx.Err())}
	}}
}

// job is what all jobs about one cfg have in common.
func (m *Models) job(cfg spec.Cfg, engine string) Job {
	return Job{
		Name: "check/" + cfg.Name, Engine: engine,
		Reproduce: reproduceCfg(cfg, engine) + m.bugFlag(), Cost: costOf(cfg),
	}
}

func (m *Models) bugFlag() string {
	if m.Options.Bug == "" {
		return ""
	}
	return " --bug " + m.Options.Bug
}

// check is an outcome under the job's name and command.
func (j Job) check(o check.Outcome) Check {
	c := FromOutcome(o)
	c.Name, c.Engine, c.Reproduce = j.Name, j.Engine, j.Reproduce
	return c
}
