package check

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
)

// AdequacyOutcome tells which mutants a set of cfgs can see in the state graphs.
type AdequacyOutcome struct {
	Outcome
	// Mutants has one entry for each mutant, in the modules' order.
	Mutants []MutantSeen
}

// MutantSeen is one mutant and the cfgs that it changes.
type MutantSeen struct {
	Module string
	Mutant string
	// At lists where it shows, in the order of the set of cfgs; only one of them, that
	// shows it soon, if the check was told to stop there.
	At []Sight
}

// Sight is the first sign of a mutant in the state graph of a cfg.
type Sight struct {
	// Cfg is the name of the cfg.
	Cfg string
	// Steps is the number of steps from the initial state to the nearest state that
	// has other successors with the mutant than without.
	Steps int
	// Change says what is different there, for example "also StallTruncate(1)".
	Change string
}

// AdequacyOptions say how thorough an adequacy check is.
type AdequacyOptions struct {
	// First ends the search for a mutant at the first cfg where it is seen, which is
	// enough for the verdict and many times faster.
	First bool
	// Progress, if not nil, is called after each mutant, with the numbers of mutants
	// done and in all.
	Progress func(done, total int)
}

// Adequacy finds out with the Go model at which cfgs each mutant of their modules
// changes the state graph, and so its digest. A comparison of graphs is only as
// sharp as its cfgs: if some mutant changes none of them, the set is inadequate
// (Failed), for a model with that very defect would pass.
//
// The cfgs must be clean. Where the context ends, the outcome is Undecided. Errors:
// a cfg that is not clean, constants that the model refuses.
//
// Source: the definition of adequacy in design.md section 5.
func Adequacy(
	ctx context.Context, cfgs []spec.Cfg, o AdequacyOptions,
) (AdequacyOutcome, error) {
	outcome := AdequacyOutcome{Outcome: Outcome{
		Name: "adequacy/golden", Engine: EngineGo, Figures: map[string]float64{},
		Reproduce: "viewstamp check --mutants",
	}}
	if err := outcome.list(cfgs); err != nil {
		return AdequacyOutcome{}, fmt.Errorf("adequacy: %w", err)
	}
	for i := range outcome.Mutants {
		err := outcome.Mutants[i].look(ctx, cfgs, o.First)
		if ctx.Err() != nil {
			outcome.interrupt(ctx)
			return outcome, nil
		}
		if err != nil {
			return AdequacyOutcome{}, fmt.Errorf("adequacy: %w", err)
		}
		if o.Progress != nil {
			o.Progress(i+1, len(outcome.Mutants))
		}
	}
	outcome.judge(cfgs)
	return outcome, nil
}

// list enters the mutants of the cfgs' modules.
func (o *AdequacyOutcome) list(cfgs []spec.Cfg) error {
	for _, cfg := range cfgs {
		if !cfg.IsClean() {
			return fmt.Errorf("cfg %s is a mutant's, expected clean ones", cfg.Name)
		}
		if slices.ContainsFunc(o.Mutants, func(s MutantSeen) bool { return s.Module == cfg.Module }) {
			continue
		}
		mutants, err := spec.Mutants(cfg.Module)
		if err != nil {
			return err
		}
		for _, m := range mutants {
			o.Mutants = append(o.Mutants, MutantSeen{Module: cfg.Module, Mutant: m.Name})
		}
	}
	return nil
}

// glanceStates bounds the first look at a cfg: nearly every mutant shows within some
// thousand states of one of the cfgs, and the others need not be searched to their end.
const glanceStates = 5_000

// look fills in the cfgs at which the mutant shows. Where the first one is enough, it
// glances at all of them before it searches any to its end.
func (s *MutantSeen) look(ctx context.Context, cfgs []spec.Cfg, first bool) error {
	if first {
		if err := s.search(ctx, cfgs, first, glanceStates); err != nil || len(s.At) > 0 {
			return err
		}
	}
	return s.search(ctx, cfgs, first, 0)
}

// search is look, with at most so many states of each cfg; 0 means all.
func (s *MutantSeen) search(
	ctx context.Context, cfgs []spec.Cfg, first bool, states int,
) error {
	for _, cfg := range cfgs {
		if cfg.Module != s.Module {
			continue
		}
		clean, err := newSubject(cfg, nil)
		if err != nil {
			return err
		}
		mutated, err := newSubject(cfg, []string{s.Mutant})
		if err != nil {
			return err
		}
		sight, err := clean.firstDifference(ctx, mutated, states)
		if err != nil {
			return err
		}
		if sight != nil {
			sight.Cfg = cfg.Name
			s.At = append(s.At, *sight)
			if first {
				return nil
			}
		}
	}
	return nil
}

// firstDifference searches the states of s for a nearest one from which other
// takes other steps; nil if there is none. The two graphs differ if and only if
// there is one, or the initial states differ: from equal initial states, equal steps
// from every state that s reaches reach the same states. It ends at about the given number
// of states, if that is not 0.
func (s *typed[S, A]) firstDifference(
	ctx context.Context, other subject, states int,
) (*Sight, error) {
	mutated, ok := other.(*typed[S, A])
	if !ok {
		return nil, fmt.Errorf("compare model %s: the other one has states of another type",
			s.model.Name)
	}
	if !slices.EqualFunc(s.model.Init(), mutated.model.Init(), func(a, b S) bool {
		return bytes.Equal(s.model.Key(nil, a), mutated.model.Key(nil, b))
	}) {
		return &Sight{Change: "other initial states"}, nil
	}
	search := s.model
	search.Sometimes = nil
	search.Always = []explore.Property[S]{{
		Name: "SameSteps",
		Check: func(state S) error {
			if change := changedSteps(s.model, mutated.model, state); change != "" {
				return fmt.Errorf("%s", change)
			}
			return nil
		},
	}}
	result, err := explore.Check(ctx, search, explore.Options{MaxStates: states})
	if err != nil {
		return nil, err
	}
	if v := result.Violation; v != nil {
		return &Sight{Steps: len(v.Path) - 1, Change: v.Reason}, nil
	}
	return nil, ctx.Err()
}

// changedSteps says which step out of a state only one of two models has, "" if
// they have the same.
func changedSteps[S any, A explore.Action](clean, mutated explore.Model[S, A], state S) string {
	before, after := stepsOf(clean, state), stepsOf(mutated, state)
	if before.equal(after) { // As nearly always; the sets need no look.
		return ""
	}
	for i := range after.actions {
		if !before.has(after.actions[i], after.key(i)) {
			return "also " + label(after.actions[i], before)
		}
	}
	for i := range before.actions {
		if !after.has(before.actions[i], before.key(i)) {
			return "no " + before.actions[i].String()
		}
	}
	return ""
}

// steps are the steps out of one state: actions, and the keys of the states that
// they lead to, end to end.
type steps[A explore.Action] struct {
	actions []A
	keys    []byte
	ends    []int // Where the key of each step ends.
}

func stepsOf[S any, A explore.Action](m explore.Model[S, A], state S) steps[A] {
	var s steps[A]
	m.Next(state, func(action A, next S) {
		s.actions = append(s.actions, action)
		s.keys = m.Key(s.keys, next)
		s.ends = append(s.ends, len(s.keys))
	})
	return s
}

func (s steps[A]) equal(other steps[A]) bool {
	return slices.Equal(s.actions, other.actions) && slices.Equal(s.ends, other.ends) &&
		bytes.Equal(s.keys, other.keys)
}

// key is the key of the state that step i leads to.
func (s steps[A]) key(i int) []byte {
	if i == 0 {
		return s.keys[:s.ends[0]]
	}
	return s.keys[s.ends[i-1]:s.ends[i]]
}

func (s steps[A]) has(action A, key []byte) bool {
	for i := range s.actions {
		if s.actions[i] == action && bytes.Equal(s.key(i), key) {
			return true
		}
	}
	return false
}

// label names a step, and says so if others know its action with another result.
func label[A explore.Action](action A, others steps[A]) string {
	text := action.String()
	if slices.Contains(others.actions, action) {
		text += " with another result"
	}
	return text
}

// judge sums up and writes the table.
func (o *AdequacyOutcome) judge(cfgs []spec.Cfg) {
	var unseen []string
	var table strings.Builder
	for _, seen := range o.Mutants {
		if len(seen.At) == 0 {
			unseen = append(unseen, seen.Mutant)
			fmt.Fprintf(&table, "%-20s (none)\n", seen.Mutant)
		}
		for _, sight := range seen.At {
			fmt.Fprintf(&table, "%-20s %-16s after %d steps: %s\n",
				seen.Mutant, sight.Cfg, sight.Steps, sight.Change)
		}
	}
	o.Detail = table.String()
	o.count(FigureMutants, len(o.Mutants))
	o.count(FigureMutantsCaught, len(o.Mutants)-len(unseen))
	o.Status = Passed
	switch {
	case len(o.Mutants) == 0:
		o.Status, o.Reason = Failed, "no cfg and so no mutant to look for, expected some"
	case len(unseen) > 0:
		o.Status = Failed
		var names []string
		for _, cfg := range cfgs {
			names = append(names, cfg.Name)
		}
		o.Reason = fmt.Sprintf("inadequate: %s change no digest at %s",
			strings.Join(unseen, ", "), strings.Join(names, ", "))
	}
}
