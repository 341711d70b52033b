package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
)

// temporal is what the check of a model's temporal properties found.
type temporal struct {
	counterexample *Counterexample
	// vacuous says why the verdict would prove too little, empty if it does not.
	vacuous string
}

// liveness are the temporal properties of a model that say what must come.
type liveness[S any, A explore.Action] struct {
	fairness   explore.Fairness[S, A]
	properties []explore.LeadsTo[S]
	// rounds says that fair steps may go round, and that no NoStall takes for granted that they
	// do not.
	rounds bool
}

// refinement checks that the model implements an abstract one, and returns the path to a
// step that is not allowed, nil if there is none.
type refinement[S any, A explore.Action] struct {
	name  string
	check func(ctx context.Context, o explore.Options) (*Counterexample, []explore.Step[S, A],
		string, error)
}

// isSafety reports whether a property of a cfg is broken by a step, so that the shortest
// counterexample is the same for both engines, and not by what never comes.
func isSafety(property string) bool { return property == Refines }

// Refines is the property of module Refinement: each behaviour of VSR is one of
// AtomicViewChange.
const Refines = "Refines"

// temporal checks properties of the whole state graph and of its behaviours. Errors: a
// property that the model has not; those of the search.
func (s *typed[S, A]) temporal(
	ctx context.Context, cfg spec.Cfg, o explore.Options,
) (temporal, error) {
	var live []explore.LeadsTo[S]
	for _, name := range cfg.Config.Properties {
		known := s.refinement.name == name
		for _, property := range s.liveness.properties {
			if property.Name == name {
				known = true
				live = append(live, property)
			}
		}
		if !known {
			return temporal{}, fmt.Errorf("cfg %s: lists property %s, which the Go model of %s "+
				"has not", cfg.Name, name, cfg.Module)
		}
	}
	if slices.Contains(cfg.Config.Properties, s.refinement.name) {
		counterexample, path, vacuous, err := s.refinement.check(ctx, o)
		if err != nil || counterexample != nil || vacuous != "" {
			if counterexample != nil {
				counterexample.Property = s.refinement.name
				s.keep(counterexample, path)
			}
			return temporal{counterexample, vacuous}, err
		}
	}
	if len(live) == 0 {
		return temporal{}, nil
	}
	return s.live(ctx, cfg, live)
}

// live checks properties that say what must come.
func (s *typed[S, A]) live(
	ctx context.Context, cfg spec.Cfg, properties []explore.LeadsTo[S],
) (temporal, error) {
	found, err := explore.CheckLiveness(ctx, s.model, s.liveness.fairness, properties, 0)
	if err != nil {
		return temporal{}, err
	}
	v := found.Violation
	switch {
	case v != nil:
		var text strings.Builder
		if err := explore.PrintLiveness(&text, s.model, v); err != nil {
			return temporal{}, fmt.Errorf("print counterexample: %w", err)
		}
		reason := "what it promises never comes: no fair step is left"
		if len(v.Cycle) > 0 {
			round := append([]explore.Step[S, A]{v.Path[len(v.Path)-1]}, v.Cycle...)
			reason = fmt.Sprintf("what it promises never comes: %s go round for ever",
				strings.Join(explore.Labels(round), ", "))
		}
		counterexample := &Counterexample{
			Property: v.Property, Reason: reason, States: len(v.Path), Text: text.String(),
			Steps: explore.Describe(s.model, v.Path),
			write: writerOf(s.module, s.model, v.Path),
		}
		s.keep(counterexample, v.Path)
		return temporal{counterexample: counterexample}, nil
	case found.Pending == 0:
		return temporal{vacuous: "nothing is ever owed: the temporal properties say nothing"}, nil
	case !cfg.IsClean(), s.liveness.rounds:
		return temporal{}, nil
	}
	// What NoStall takes for granted.
	cycle, err := explore.FairCycle(ctx, s.model, s.liveness.fairness, 0)
	if err != nil || len(cycle) == 0 {
		return temporal{}, err
	}
	return temporal{vacuous: fmt.Sprintf("fair steps make a cycle of %d, which NoStall cannot see",
		len(cycle))}, nil
}

// refinementOf is the check that a model implements an abstract one.
func refinementOf[S any, A explore.Action, T any, B explore.Action](
	name string, model explore.Model[S, A], abstract explore.Model[T, B], image func(S) T,
) refinement[S, A] {
	return refinement[S, A]{name: name, check: func(
		ctx context.Context, o explore.Options,
	) (*Counterexample, []explore.Step[S, A], string, error) {
		found, err := explore.Refine(ctx, model, abstract, image, o)
		if err != nil {
			return nil, nil, "", err
		}
		v := found.Violation
		switch {
		case v != nil:
			var text strings.Builder
			if err := explore.PrintRefinement(&text, model, abstract, v); err != nil {
				return nil, nil, "", fmt.Errorf("print counterexample: %w", err)
			}
			return &Counterexample{
				Reason: v.Reason, States: len(v.Path), Text: text.String(),
				Steps: explore.Describe(model, v.Path),
				write: writerOf(model.Name, model, v.Path),
			}, v.Path, "", nil
		case !found.Concrete.Complete:
			return nil, nil, "the search for a step that is not allowed did not end", nil
		case len(found.Steps) < 2:
			return nil, nil, fmt.Sprintf("only %v: the abstract model sees nothing", found.Steps), nil
		}
		return nil, nil, "", nil
	}}
}
