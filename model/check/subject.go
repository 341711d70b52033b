package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/spec"
)

// subject is the Go model of one cfg, whatever the types of its states and actions.
type subject interface {
	// search explores the model.
	search(ctx context.Context, o explore.Options) (found, error)
	// temporal checks the temporal properties that cfg lists.
	temporal(ctx context.Context, cfg spec.Cfg, o explore.Options) (temporal, error)
	// addGraph adds its labelled state graph to g.
	addGraph(ctx context.Context, g *explore.Graph) error
	// firstDifference looks for a step that only one of s and other can take, within about
	// so many states; 0 means all.
	firstDifference(ctx context.Context, other subject, states int) (*Sight, error)
	// calls lists every action with its parameters and how TLA+ calls it.
	calls() []tlc.WrappedAction
	// actionNames lists the action names, in the order of the module's Next.
	actionNames() []string
	// goalNames lists its goals; towards is a walk to one of them, or nil, shortest the
	// shortest way.
	goalNames() []string
	shortest(ctx context.Context, goal string) (*Way, error)
	towards(goal string, steps int, random explore.Random) *Way
}

// found is what a search found, by either engine.
type found struct {
	distinct, transitions, depth int
	complete, saved              bool
	stop                         explore.Stop // 0: TLC.
	waiting                      int
	cpuSeconds, overhead         float64
	actions                      map[string]int
	goals                        map[string]bool
	counterexample               *Counterexample
	account                      string // How the search went; empty for TLC.
}

// modelled are the modules that have a Go model.
var modelled = []string{
	"VSR",
	"Refinement",
	"AtomicViewChange",
	"PartitionLog",
	"Sessions",
	"Journal",
	"JournalGroups",
	"Reads",
	"Merge",
	"Transfer",
	"Retention",
	"ConsumerGroups",
	"LogSpace",
}

// newSubject returns the Go model of cfg with the given bugs in place of its own.
// It checks the invariants that the cfg lists, in the cfg's order.
//
// Errors: the constants do not fit the model, or the cfg lists what the model has
// no invariant for.
func newSubject(cfg spec.Cfg, bugs []string) (subject, error) {
	constants, err := cfg.Config.Constants.With("Bugs", bugs)
	if err != nil {
		return nil, fmt.Errorf("cfg %s: %w", cfg.Name, err)
	}
	cfg.Config.Constants = constants
	switch cfg.Module {
	case "VSR", "Refinement":
		return vsrSubject(cfg)
	case "AtomicViewChange":
		return atomicSubject(cfg)
	case "PartitionLog":
		config, err := PartitionConfig(cfg)
		if err != nil {
			return nil, err
		}
		s := &typed[storage.PartitionState, storage.PartitionAction]{
			model: storage.PartitionLog(config),
		}
		s.keep = func(
			c *Counterexample, path []explore.Step[storage.PartitionState, storage.PartitionAction],
		) {
			c.Partition = path
		}
		for _, call := range storage.PartitionLogActions(config) {
			s.actions = append(s.actions, tlc.WrappedAction(call))
		}
		return s, s.restrict(cfg)
	case "Sessions":
		return sessionsSubject(cfg)
	case "Reads":
		return readsSubject(cfg)
	case "Merge":
		return mergeSubject(cfg)
	case "Journal":
		return journalSubject(cfg)
	case "JournalGroups":
		return groupsSubject(cfg)
	case "Transfer":
		return transferSubject(cfg)
	case "Retention":
		return retentionSubject(cfg)
	case "ConsumerGroups":
		return membersSubject(cfg)
	case "LogSpace":
		return spaceSubject(cfg)
	}
	return nil, fmt.Errorf("cfg %s: module %s has no Go model, expected %s",
		cfg.Name, cfg.Module, strings.Join(modelled, ", "))
}

// VSRConfig returns the constants of a cfg of module VSR as the Go model takes them.
func VSRConfig(cfg spec.Cfg) (vsr.Config, error) {
	r := reader{constants: cfg.Config.Constants}
	config := vsr.Config{
		N:           r.number("N"),
		MaxRequest:  r.number("MaxRequest"),
		MaxView:     r.number("MaxView"),
		MaxCrash:    r.number("MaxCrash"),
		LazyLogView: r.truth("LazyLogView"),
		MergeAgain:  r.truth("MergeAgain"),
	}
	drivers, bugs := r.text("CommitDrivers"), r.bugs()
	if r.err != nil {
		return vsr.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	var err error
	if config.Drivers, err = vsr.ParseDrivers(drivers); err != nil {
		return vsr.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, err)
	}
	var mutants []vsr.Mutant
	for _, bug := range bugs {
		mutant, err := vsr.ParseMutant(bug)
		if err != nil {
			return vsr.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, err)
		}
		mutants = append(mutants, mutant)
	}
	config.Bugs = vsr.MutantSet(mutants...)
	if err := config.Validate(); err != nil {
		return vsr.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, err)
	}
	return config, nil
}

// PartitionConfig returns the constants of a cfg of module PartitionLog as the Go
// model takes them.
func PartitionConfig(cfg spec.Cfg) (storage.Config, error) {
	r := reader{constants: cfg.Config.Constants}
	config := storage.Config{
		N: r.number("N"), MaxOp: r.number("MaxOp"), MaxCrash: r.number("MaxCrash"),
	}
	for _, name := range read(&r, "Policies", r.constants.Set) {
		policy, err := storage.ParsePolicy(name)
		if r.err == nil {
			r.err = err
		}
		config.Policies = append(config.Policies, policy)
	}
	slices.Sort(config.Policies)
	for _, bug := range r.bugs() {
		config.Bugs = append(config.Bugs, storage.Bug(bug))
	}
	if r.err == nil {
		r.err = config.Validate()
	}
	if r.err != nil {
		return storage.Config{}, fmt.Errorf("cfg %s: %w", cfg.Name, r.err)
	}
	return config, nil
}

// reader reads constants and keeps the first error.
type reader struct {
	constants spec.Constants
	err       error
}

func (r *reader) number(name string) int  { return read(r, name, r.constants.Int) }
func (r *reader) truth(name string) bool  { return read(r, name, r.constants.Bool) }
func (r *reader) text(name string) string { return read(r, name, r.constants.Text) }
func (r *reader) bugs() []string          { return read(r, "Bugs", r.constants.Set) }

func read[T any](r *reader, name string, get func(name string) (T, error)) T {
	value, err := get(name)
	if r.err == nil {
		r.err = err
	}
	return value
}

// typed is the subject of one type of model.
type typed[S any, A explore.Action] struct {
	module  string
	model   explore.Model[S, A]
	actions []tlc.WrappedAction
	// liveness and refinement are the temporal properties; empty if there are none.
	liveness   liveness[S, A]
	refinement refinement[S, A]
	// keep stores a path in the field of Counterexample that has its type.
	keep func(c *Counterexample, path []explore.Step[S, A])
}

// restrict leaves the model the invariants that cfg lists, in cfg's order.
func (s *typed[S, A]) restrict(cfg spec.Cfg) error {
	s.module = cfg.Module
	var always []explore.Property[S]
	for _, name := range cfg.Config.Invariants {
		at := slices.IndexFunc(s.model.Always, func(p explore.Property[S]) bool {
			return p.Name == name
		})
		if at < 0 {
			return fmt.Errorf("cfg %s: lists invariant %s, which the Go model of %s has not",
				cfg.Name, name, cfg.Module)
		}
		always = append(always, s.model.Always[at])
	}
	s.model.Always = always
	return nil
}

func (s *typed[S, A]) search(ctx context.Context, o explore.Options) (found, error) {
	result, err := explore.Check(ctx, s.model, o)
	if err != nil {
		return found{}, err
	}
	f := found{
		distinct: result.Distinct, transitions: result.Transitions, depth: result.Depth,
		complete: result.Complete, cpuSeconds: result.CPUSeconds,
		actions: result.Actions, goals: result.Goals,
		stop: result.Stop, waiting: result.Waiting, saved: result.Saved,
		overhead: float64(int(result.OverheadPerState + 0.5)),
		account:  accountOf(result, s.actionNames()),
	}
	if v := result.Violation; v != nil {
		var text strings.Builder
		if err := explore.Print(&text, s.model, v); err != nil {
			return found{}, fmt.Errorf("print counterexample: %w", err)
		}
		f.counterexample = &Counterexample{
			Property: v.Property, Reason: v.Reason, States: len(v.Path), Text: text.String(),
			Steps: explore.Describe(s.model, v.Path),
			write: writerOf(s.module, s.model, v.Path),
		}
		s.keep(f.counterexample, v.Path)
	}
	return f, nil
}

func (s *typed[S, A]) addGraph(ctx context.Context, g *explore.Graph) error {
	return explore.AddModel(ctx, g, s.model, 0)
}

func (s *typed[S, A]) calls() []tlc.WrappedAction { return s.actions }

func (s *typed[S, A]) actionNames() []string {
	var names []string
	for _, action := range s.actions {
		name, _, _ := strings.Cut(action.Label, "(")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
