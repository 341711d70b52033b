package verify

import (
	"context"

	"github.com/viewstamp/viewstamp/model/check"
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/generate"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/spec"
	"github.com/viewstamp/viewstamp/traces"
)

// What traces of a cfg cover.
const (
	CoverEdges   = "edges"
	CoverWalks   = "walks"
	CoverMutants = "mutants"
	CoverGoals   = "goals"
)

// walkStepsMax is the length of a random walk, in steps.
const walkStepsMax = 150

// EachEdgeTrace hands traces to visit which together take every edge of the state graph
// of a cfg of module VSR. An error of visit ends it and is returned as it is.
func EachEdgeTrace(ctx context.Context, cfg spec.Cfg, visit func(*traces.Trace) error) error {
	return EachEdgeCounted(ctx, cfg, nil, visit)
}

// EachEdgeCounted is [EachEdgeTrace] that counts in coverage, unless that is nil.
func EachEdgeCounted(
	ctx context.Context, cfg spec.Cfg, coverage *generate.Coverage,
	visit func(*traces.Trace) error,
) error {
	config, err := check.VSRConfig(cfg)
	if err != nil {
		return err
	}
	options := traceOptions()
	options.Coverage = coverage
	return generate.EachEdges(ctx, config, options, visit)
}

// EachWalk hands count random walks of the model to visit, of the seeds from seed on.
// They have the shape of a cfg of module VSR (drivers, log view, bugs) and bounds far
// beyond those that can be searched. An error of visit ends it and is returned as it is.
func EachWalk(cfg spec.Cfg, seed uint64, count int, visit func(*traces.Trace) error) error {
	return EachWalkCounted(cfg, seed, count, nil, visit)
}

// EachWalkCounted is [EachWalk] that counts in coverage, unless that is nil.
func EachWalkCounted(
	cfg spec.Cfg, seed uint64, count int, coverage *generate.Coverage,
	visit func(*traces.Trace) error,
) error {
	shape, err := WalkShape(cfg)
	if err != nil {
		return err
	}
	options := traceOptions()
	options.Coverage = coverage
	for i := range uint64(count) {
		walks, err := generate.Walks(shape, seed+i, 1, walkStepsMax, options)
		if err != nil {
			return err
		}
		if err := visit(walks[0]); err != nil {
			return err
		}
	}
	return nil
}

// WalkShape is a cfg of module VSR with the bounds of walks.
func WalkShape(cfg spec.Cfg) (vsr.Config, error) {
	shape, err := check.VSRConfig(cfg)
	shape.MaxRequest, shape.MaxView, shape.MaxCrash = 8, 6, 4
	return shape, err
}

// EachGoalWalk hands walks to visit that end where they reach a goal: each goal of the
// model in turn, or those given, count walks for each, with the seeds from seed on. An
// error of visit ends it and is returned as it is.
func EachGoalWalk(
	cfg spec.Cfg, goals []string, seed uint64, count int, coverage *generate.Coverage,
	visit func(goal string, t *traces.Trace) error,
) error {
	shape, err := WalkShape(cfg)
	if err != nil {
		return err
	}
	if len(goals) == 0 {
		goals = generate.GoalNames(shape)
	}
	options := traceOptions()
	options.Coverage = coverage
	for _, goal := range goals {
		next := seed
		for range count {
			t, err := generate.Towards(shape, goal, next, walkStepsMax, options)
			if err != nil {
				return err
			}
			if err := visit(goal, t); err != nil {
				return err
			}
			next = t.Header.Seed + 1
		}
	}
	return nil
}

// EachCounterexample hands the counterexamples to visit that mutants have within the
// bounds of a cfg of module VSR: of a mutant's cfg its own, else one for each mutant of
// the module. It returns the mutants that have none there. An error of visit ends it
// and is returned as it is.
func EachCounterexample(
	ctx context.Context, cfg spec.Cfg, visit func(*traces.Trace) error,
) (silent []string, err error) {
	mutants := []spec.Mutant{{Name: cfg.Mutant}}
	if cfg.IsClean() {
		if mutants, err = spec.Mutants(cfg.Module); err != nil {
			return nil, err
		}
	}
	for _, mutant := range mutants {
		outcome, err := check.Go(ctx, cfg, check.Options{Bug: mutant.Name})
		switch {
		case err != nil:
			return silent, err
		case ctx.Err() != nil:
			return silent, context.Cause(ctx)
		case outcome.Counterexample == nil:
			silent = append(silent, mutant.Name)
			continue
		}
		t, err := CounterexampleTrace(outcome.Counterexample)
		if err != nil {
			return silent, err
		}
		if err := visit(t); err != nil {
			return silent, err
		}
	}
	return silent, nil
}

// CounterexampleTrace writes a violation of module VSR as a trace.
func CounterexampleTrace(found *check.Counterexample) (*traces.Trace, error) {
	return generate.Counterexample(found.VSRConfig, &explore.Violation[vsr.State, vsr.Action]{
		Property: found.Property, Reason: found.Reason, Path: found.VSR,
	}, traceOptions())
}

// traceOptions are those of traces that this program generates.
func traceOptions() generate.Options {
	return generate.Options{Spec: spec.SHA256("VSR"), Commit: Revision()}
}
