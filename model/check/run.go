package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
)

// Options bound and observe one check. The zero value runs the cfg as it is.
type Options struct {
	// Workers is the number of threads: of the Go model, 0 for all cores; of TLC, 0
	// for one. With more than one, TLC's depth may exceed the manifest's, and it is
	// not judged.
	Workers int
	// Bug, if not empty, is the mutant to switch on in place of the cfg's own. The
	// run is still judged by the manifest, so a clean cfg fails where the mutant shows.
	Bug string
	// MaxStates ends the Go model's search at about that many states; 0 means no
	// bound.
	MaxStates int
	// MemoryMax ends the Go model's search when the process has that much memory, in
	// bytes; 0 means no bound.
	MemoryMax int64
	// SaveTo is the file that an undecided search of the Go model is saved to, ResumeFrom
	// that of one to go on with; empty means none.
	SaveTo, ResumeFrom string
	// NoTLC is why the tools are nil, for the reason of a skipped check.
	NoTLC string
	// Progress, if not nil, is called now and then during a search of the Go model,
	// from one goroutine.
	Progress func(Progress)
}

// Progress tells how far a search of the Go model has come.
type Progress struct {
	// Cfg is the name of the cfg.
	Cfg string
	explore.Progress
}

// bugs returns the bugs to switch on, and refuses one that the module has not.
func (o Options) bugs(cfg spec.Cfg) ([]string, error) {
	if o.Bug == "" {
		return cfg.Bugs(), nil
	}
	mutants, err := spec.Mutants(cfg.Module)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range mutants {
		names = append(names, m.Name)
	}
	if !slices.Contains(names, o.Bug) {
		return nil, fmt.Errorf("bug %q: not a mutant of %s, expected one of %s",
			o.Bug, cfg.Module, strings.Join(names, ", "))
	}
	return []string{o.Bug}, nil
}

// explore returns the options of the search.
func (o Options) explore(cfg spec.Cfg) explore.Options {
	options := explore.Options{
		Workers: o.Workers, MaxStates: o.MaxStates, MemoryMax: o.MemoryMax,
		SaveTo: o.SaveTo, ResumeFrom: o.ResumeFrom, Identity: identity(cfg, o.Bug),
	}
	if o.Progress != nil {
		options.Progress = func(p explore.Progress) {
			if o.Bug == "" && cfg.IsClean() {
				p.Estimate = cfg.Distinct // The manifest knows.
			}
			o.Progress(Progress{cfg.Name, p})
		}
	}
	return options
}

// identity says what a saved search belongs to: the cfg with its constants and bounds and
// the text of its module.
func identity(cfg spec.Cfg, bug string) string {
	bugs := cfg.Bugs()
	if bug != "" {
		bugs = []string{bug}
	}
	return fmt.Sprintf("cfg %s of module %s, bugs {%s}, spec sha256 %s, constants %s", cfg.Name,
		cfg.Module, strings.Join(bugs, ", "), spec.SHA256(cfg.Module),
		strings.Join(strings.Fields(cfg.Config.Constants.String()), " "))
}

// Go explores the Go model of cfg and judges it by the manifest.
//
// A clean cfg passes only if the search reached every goal that the model sets for
// its bounds. Temporal properties are checked after the invariants, on the whole state
// graph. Errors: an unknown bug, constants that the model refuses, a property that it has
// not, or a model that is not deterministic.
func Go(ctx context.Context, cfg spec.Cfg, o Options) (Outcome, error) {
	bugs, err := o.bugs(cfg)
	if err != nil {
		return Outcome{}, err
	}
	s, err := newSubject(cfg, bugs)
	if err != nil {
		return Outcome{}, err
	}
	f, err := s.search(ctx, o.explore(cfg))
	if err != nil {
		return Outcome{}, fmt.Errorf("check cfg %s: %w", cfg.Name, err)
	}
	vacuous := ""
	if f.counterexample == nil && f.complete && len(cfg.Config.Properties) > 0 {
		t, err := s.temporal(ctx, cfg, o.explore(cfg))
		switch {
		case ctx.Err() != nil:
			f.complete = false
		case err != nil:
			return Outcome{}, fmt.Errorf("check cfg %s: %w", cfg.Name, err)
		}
		f.counterexample, vacuous = t.counterexample, t.vacuous
	}
	outcome := outcomeOf("check", cfg, EngineGo, f)
	if o.ResumeFrom != "" { // The states of the runs before cost CPU time then.
		delete(outcome.Figures, FigureStatesPerCPUSecond)
	}
	outcome.Reproduce = reproduce(cfg, EngineGo, o.Bug)
	outcome.names = s.actionNames()
	if f.counterexample == nil {
		outcome.Detail = f.account
	}
	outcome.count(FigureActionsTotal, len(outcome.names))
	outcome.count(FigureActionsCovered, covered(f.actions, outcome.names))
	outcome.count(FigureSometimesTotal, len(f.goals))
	outcome.count(FigureSometimesHit, reached(f.goals))
	outcome.Status, outcome.Reason = judge(cfg, f, exact)
	if outcome.Status == Passed && f.counterexample == nil {
		outcome.Status, outcome.Reason = judgeSilence(f, vacuous)
	}
	outcome.tellSilentBug(cfg, o.Bug, f)
	return outcome, nil
}

// judgeSilence says whether a complete search without a violation means anything.
func judgeSilence(f found, vacuous string) (Status, string) {
	var missed []string
	for _, goal := range slices.Sorted(maps.Keys(f.goals)) {
		if !f.goals[goal] {
			missed = append(missed, goal)
		}
	}
	switch {
	case len(missed) > 0:
		return Failed, fmt.Sprintf("never reached: %s", strings.Join(missed, "; "))
	case vacuous != "":
		return Failed, vacuous
	}
	return Passed, ""
}

// outcomeOf is what any search has in common.
func outcomeOf(kind string, cfg spec.Cfg, engine string, f found) Outcome {
	o := Outcome{
		Name: kind + "/" + cfg.Name, Engine: engine, Figures: map[string]float64{},
		Counterexample: f.counterexample, actions: f.actions, goals: f.goals,
		overhead: f.overhead,
	}
	o.count(FigureDistinct, f.distinct)
	o.count(FigureTransitions, f.transitions)
	o.count(FigureDepth, f.depth)
	if f.cpuSeconds > 0 {
		o.Figures[FigureStatesPerCPUSecond] = float64(int(float64(f.distinct) / f.cpuSeconds))
	}
	if cfg.Mutant != "" {
		o.count(FigureMutants, 1)
		caught := 0
		if f.counterexample != nil && cfg.Accepts(f.counterexample.Property) {
			caught = 1
		}
		o.count(FigureMutantsCaught, caught)
	}
	return o
}

func (o *Outcome) count(figure string, n int) { o.Figures[figure] = float64(n) }

func reproduce(cfg spec.Cfg, engine, bug string) string {
	command := fmt.Sprintf("viewstamp check --cfg %s --engine %s", cfg.Name, engine)
	if bug != "" {
		command += " --bug " + bug
	}
	return command
}

func covered(actions map[string]int, names []string) int {
	n := 0
	for _, name := range names {
		if actions[name] > 0 {
			n++
		}
	}
	return n
}

func reached(goals map[string]bool) int {
	n := 0
	for _, hit := range goals { //nolint:maporder // a count: the order leaves no mark
		if hit {
			n++
		}
	}
	return n
}
