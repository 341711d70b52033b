package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// TLC has TLC check the module of cfg itself and judges the result by the manifest.
//
// A clean cfg is checked as its file says. A mutant's cfg is checked through the
// wrapper of package tlc, so that the steps of the counterexample name their
// arguments; [Graphs] has TLC compare the steps of wrapper and module. With several
// workers neither depth nor the length of a counterexample is exact: the
// depth is not judged, and the counterexample may be longer than the manifest says.
//
// Nil tools mean that TLC is not available: the outcome is Skipped. Where the
// context ends, it is Undecided. Errors: an unknown bug, constants that the model
// refuses, a module that TLC cannot run.
func TLC(ctx context.Context, tools *tlc.Tools, cfg spec.Cfg, o Options) (Outcome, error) {
	bugs, err := o.bugs(cfg)
	if err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{
		Name: "check/" + cfg.Name, Engine: EngineTLC, Figures: map[string]float64{},
		Reproduce: reproduce(cfg, EngineTLC, o.Bug),
	}
	if tools == nil {
		outcome.skip(o)
		return outcome, nil
	}
	run, err := runTLC(ctx, tools, cfg, bugs, o.Workers)
	if ctx.Err() != nil {
		outcome.interrupt(ctx)
		return outcome, nil
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("check cfg %s: %w", cfg.Name, err)
	}
	f := foundByTLC(run)
	reproduced := outcome.Reproduce
	outcome = outcomeOf("check", cfg, EngineTLC, f)
	outcome.Reproduce = reproduced
	p := exact
	if o.Workers > 1 || f.counterexample != nil && slices.ContainsFunc(cfg.Config.Properties,
		func(property string) bool {
			return property == f.counterexample.Property && !isSafety(property)
		}) {
		// What never comes has no shortest counterexample that both engines would find.
		p = loose
	}
	outcome.Status, outcome.Reason = judge(cfg, f, p)
	outcome.tellSilentBug(cfg, o.Bug, f)
	return outcome, nil
}

func (o *Outcome) skip(options Options) {
	o.Status = Skipped
	o.Reason = cmp.Or(options.NoTLC, "TLC is not available")
}

func (o *Outcome) interrupt(ctx context.Context) {
	o.Status, o.Reason = Undecided, fmt.Sprintf("ended before a verdict: %v", context.Cause(ctx))
}

func runTLC(
	ctx context.Context, tools *tlc.Tools, cfg spec.Cfg, bugs []string, workers int,
) (*tlc.Outcome, error) {
	job, err := newJob(cfg, bugs)
	if err != nil {
		return nil, err
	}
	job.Workers = workers
	if len(bugs) == 0 || len(cfg.Config.Properties) > 0 {
		config := cfg.Config
		config.Constants, err = config.Constants.With("Bugs", bugs)
		if err != nil {
			return nil, err
		}
		job.Config = config.String()
		return tools.Check(ctx, job)
	}
	s, err := newSubject(cfg, bugs)
	if err != nil {
		return nil, err
	}
	return tools.CheckLabelled(ctx, job, s.calls(), cfg.Config.Invariants)
}

// newJob returns a job for the module of cfg with constants only.
func newJob(cfg spec.Cfg, bugs []string) (tlc.Job, error) {
	files, err := spec.ModuleFiles(cfg.Module)
	if err != nil {
		return tlc.Job{}, err
	}
	constants, err := cfg.Config.Constants.With("Bugs", bugs)
	if err != nil {
		return tlc.Job{}, err
	}
	return tlc.Job{
		Files: files, Module: cfg.Module, Config: constants.String(),
		Short: cfg.Counterexample <= shortPathMax && cfg.Distinct <= shortStatesMax,
	}, nil
}

// A clean cfg of up to shortStatesMax distinct states is a short run of TLC, and so is a
// mutant's whose counterexample has up to shortPathMax states: its number of states is
// not in the manifest. Around 40,000 states of VSR both ways of running Java cost the same.
const (
	shortStatesMax = 20_000
	shortPathMax   = 20
)

func foundByTLC(run *tlc.Outcome) found {
	f := found{
		distinct: run.Distinct, transitions: max(run.Generated-1, 0), depth: run.Depth,
		complete: run.Status == tlc.Clean, cpuSeconds: run.CPUSeconds,
	}
	if run.Status == tlc.Violated {
		f.counterexample = &Counterexample{
			Property: run.Property, States: len(run.Trace), Text: traceText(run),
		}
	}
	return f
}

// traceText shows TLC's counterexample as package explore shows one: each step
// with the variables that it changed.
func traceText(run *tlc.Outcome) string {
	var text strings.Builder
	fmt.Fprintf(&text, "TLC: %s is violated in state %d\n", run.Property, len(run.Trace))
	before := map[string]string{}
	for i, step := range run.Trace {
		label := step.Action
		if i == 0 {
			label = "initial state"
		}
		fmt.Fprintf(&text, "%4d  %s\n", i+1, label)
		for key, value := range step.State.Pairs {
			name, ok := key.Text()
			if !ok {
				name = key.String()
			}
			if now := value.String(); before[name] != now {
				fmt.Fprintf(&text, "        %s = %s\n", name, now)
				before[name] = now
			}
		}
	}
	return text.String()
}

// Unavailable reports whether err, of [tlc.Locate], says that TLC cannot run on this
// machine, and why. The caller then goes on with nil tools and Options.NoTLC.
func Unavailable(err error) (reason string, ok bool) {
	var unavailable *tlc.Unavailable
	if errors.As(err, &unavailable) {
		return unavailable.Reason, true
	}
	return "", false
}
