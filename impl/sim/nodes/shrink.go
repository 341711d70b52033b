package nodes

import (
	"context"
	"errors"
	"slices"
)

// ErrPasses says that a run does not fail, so that there is nothing to be shrunk.
var ErrPasses = errors.New("the run passes, expected one that fails")

// Shrink looks for the smallest run that fails like the given one: fewer kinds of fault, groups,
// clients, processes and ticks. Each step keeps the kind of failure, though not its text. tried is
// called after each run, if it is not nil. If ctx ends, the smallest so far is returned.
//
// Errors: ErrPasses; options out of range.
func Shrink(ctx context.Context, options Options, tried func(runs int)) (*Result, error) {
	first, err := Run(options)
	if err != nil {
		return nil, err
	}
	if first.Failure == nil {
		return nil, ErrPasses
	}
	s := &shrinker{ctx: ctx, best: first, options: options, kind: first.Failure.Kind, tried: tried}
	for changed := true; changed && s.err == nil; {
		changed = s.dropFaults()
		changed = s.lower(func(o *Options) *int { return &o.Groups }, s.best.Chosen.Groups) || changed
		changed = s.lower(func(o *Options) *int { return &o.Clients }, s.best.Chosen.Clients) || changed
		changed = s.lower(func(o *Options) *int { return &o.Replicas },
			s.best.Chosen.Replicas) || changed
		changed = s.lowerTicks() || changed
	}
	return s.best, s.err
}

// shrinker is the search: what fails so far, and what it was asked for.
type shrinker struct {
	ctx     context.Context //nolint:containedctx // of one search
	best    *Result
	options Options
	kind    string
	tried   func(int)
	runs    int
	err     error
}

// try runs smaller options and keeps them if they fail alike.
func (s *shrinker) try(o Options) bool {
	if s.err != nil || s.ctx.Err() != nil {
		return false
	}
	r, err := Run(o)
	if err != nil {
		s.err = err
		return false
	}
	s.runs++
	if s.tried != nil {
		s.tried(s.runs)
	}
	if r.Failure == nil || r.Failure.Kind != s.kind {
		return false
	}
	s.best, s.options = r, o
	return true
}

// dropFaults leaves out one kind of fault after the other.
func (s *shrinker) dropFaults() bool {
	if s.options.Calm {
		return false
	}
	o := s.options
	o.Calm = true
	if s.try(o) {
		return true
	}
	changed := false
	for _, name := range s.best.Chosen.Faults {
		if len(s.best.Chosen.Faults) == 1 {
			break
		}
		o := s.options
		o.Only = slices.DeleteFunc(slices.Clone(s.best.Chosen.Faults),
			func(other string) bool { return other == name })
		changed = s.try(o) || changed
	}
	return changed
}

// lower tries the numbers below the one that failed, the smallest first.
func (s *shrinker) lower(field func(*Options) *int, failed int) bool {
	for n := 1; n < failed; n++ {
		o := s.options
		*field(&o) = n
		if s.try(o) {
			return true
		}
	}
	return false
}

// lowerTicks ends the phase with faults right after the failure, or halves it.
func (s *shrinker) lowerTicks() bool {
	changed := false
	for {
		ticks := s.best.HealedAt
		if ticks == 0 || ticks > s.best.Failure.Tick {
			ticks = s.best.Failure.Tick + 1
		}
		o := s.options
		o.Ticks = ticks
		if ticks >= s.ticks() || !s.try(o) {
			o.Ticks = s.ticks() / 2
			if o.Ticks == 0 || !s.try(o) {
				return changed
			}
		}
		changed = true
	}
}

func (s *shrinker) ticks() int {
	if s.options.Ticks == 0 {
		return DefaultTicks
	}
	return s.options.Ticks
}
