package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/spec"
)

// Claims verifies with the Go model what the comments of the invariants say: that
// each mutant they name breaks that very invariant, at the bounds of the mutant's
// cfg, even if another invariant breaks earlier there. A comment that names the
// wrong mutant would leave the invariant unproven.
//
// The outcome has one line of Detail per claim. Errors: those of [Go].
func Claims(ctx context.Context, module string, o Options) (Outcome, error) {
	invariants, err := spec.Invariants(module)
	if err != nil {
		return Outcome{}, err
	}
	return verifyClaims(ctx, module, invariants, o)
}

func verifyClaims(
	ctx context.Context, module string, invariants []spec.Invariant, o Options,
) (Outcome, error) {
	outcome := Outcome{
		Name: "claims/" + module, Engine: EngineGo, Status: Passed, Figures: map[string]float64{},
		Reproduce: "viewstamp check --mutants",
	}
	manifest, err := spec.Read()
	if err != nil {
		return Outcome{}, err
	}
	var wrong []string
	var table strings.Builder
	claims := 0
	for _, invariant := range invariants {
		for _, mutant := range invariant.Mutants {
			claims++
			states, err := statesToBreak(ctx, manifest, module, invariant.Name, mutant, o)
			if ctx.Err() != nil {
				outcome.interrupt(ctx)
				return outcome, nil
			}
			if err != nil {
				return Outcome{}, fmt.Errorf("verify that %s breaks %s: %w", mutant, invariant.Name, err)
			}
			if states == 0 {
				wrong = append(wrong, fmt.Sprintf("%s:%d: mutant %s does not break %s",
					invariant.File, invariant.Line, mutant, invariant.Name))
				fmt.Fprintf(&table, "%-16s %-20s holds\n", invariant.Name, mutant)
				continue
			}
			fmt.Fprintf(&table, "%-16s %-20s broken in %d states\n", invariant.Name, mutant, states)
		}
	}
	outcome.Detail = table.String()
	outcome.count(FigureMutants, claims)
	outcome.count(FigureMutantsCaught, claims-len(wrong))
	switch {
	case claims == 0:
		outcome.Status, outcome.Reason = Failed, "no comment names a mutant, expected some"
	case len(wrong) > 0:
		outcome.Status, outcome.Reason = Failed, strings.Join(wrong, "; ")
	}
	return outcome, nil
}

// statesToBreak returns the length of the shortest behaviour of the mutant's cfgs
// that breaks the invariant, 0 if there is none within their bounds.
func statesToBreak(
	ctx context.Context, manifest *spec.Manifest, module, invariant, mutant string, o Options,
) (int, error) {
	cfgs := manifest.Select(func(c spec.Cfg) bool {
		return c.Module == module && c.Mutant == mutant
	})
	temporal := len(manifest.Select(func(c spec.Cfg) bool {
		return c.Module == module && slices.Contains(c.Config.Properties, invariant)
	})) > 0
	for _, cfg := range cfgs {
		cfg.Config.Invariants, cfg.Config.Properties = []string{invariant}, nil
		if temporal {
			cfg.Config.Invariants, cfg.Config.Properties = nil, []string{invariant}
		}
		s, err := newSubject(cfg, cfg.Bugs())
		if err != nil {
			return 0, err
		}
		f, err := s.search(ctx, o.explore(cfg))
		if err != nil {
			return 0, err
		}
		if f.counterexample == nil && len(cfg.Config.Properties) > 0 {
			t, err := s.temporal(ctx, cfg, o.explore(cfg))
			if err != nil {
				return 0, err
			}
			f.counterexample = t.counterexample
		}
		if f.counterexample != nil {
			return f.counterexample.States, nil
		}
	}
	return 0, nil
}
