package check

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/spec"
)

const (
	// walkAttemptsMax bounds the walks that are tried for one that reaches a goal.
	walkAttemptsMax = 300
	// waySearchMax bounds the states of the search where none does.
	waySearchMax = 3_000_000
)

// Way is a path of a model to one of its goals.
type Way struct {
	// Goal is the goal's name, Seed that of the walk, Steps how many were taken.
	Goal  string
	Seed  uint64
	Steps int
	// Actions counts the steps by action.
	Actions map[string]int
	write   func(w io.Writer, f Format) error
}

// Write saves the path in a format. Errors: those of w.
func (w *Way) Write(to io.Writer, f Format) error {
	if err := w.write(to, f); err != nil {
		return fmt.Errorf("save way to %q: %w", w.Goal, err)
	}
	return nil
}

// GoalNames lists the goals that the constants of a cfg allow, whatever its module: the
// situations that a search of it must meet. Taking an action is none of them.
//
// Errors: the cfg's module has no Go model, or not with these constants.
func GoalNames(cfg spec.Cfg) ([]string, error) {
	s, err := newSubject(cfg, nil)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.goalNames(), func(name string) bool {
		return strings.HasPrefix(name, "take ")
	}), nil
}

// ActionNames lists the actions of a cfg's module, in the order of its Next. Errors: as of
// [GoalNames].
func ActionNames(cfg spec.Cfg) ([]string, error) {
	s, err := newSubject(cfg, nil)
	if err != nil {
		return nil, err
	}
	return s.actionNames(), nil
}

// Towards returns a walk of at most so many steps that ends where it reaches a goal: the first
// one of 300 seeds from seed on; or, where none does, the shortest way, whose Seed is 0. random
// makes the source of a seed.
//
// Errors: as of [GoalNames]; no such goal; the context ended; three million states and no way.
func Towards(
	ctx context.Context, cfg spec.Cfg, goal string, seed uint64, steps int,
	random func(seed uint64) explore.Random,
) (*Way, error) {
	s, err := newSubject(cfg, nil)
	if err != nil {
		return nil, err
	}
	if names := s.goalNames(); !slices.Contains(names, goal) {
		return nil, fmt.Errorf("walk towards %q: no such goal of cfg %s, expected one of %s", goal,
			cfg.Name, strings.Join(names, "; "))
	}
	for at := seed; at < seed+walkAttemptsMax; at++ {
		if way := s.towards(goal, steps, random(at)); way != nil {
			way.Seed = at
			return way, nil
		}
	}
	return s.shortest(ctx, goal)
}

func (s *typed[S, A]) goalNames() []string {
	var names []string
	for _, g := range s.model.Sometimes {
		names = append(names, g.Name)
	}
	return names
}

func (s *typed[S, A]) towards(goal string, steps int, random explore.Random) *Way {
	reached := s.reached(goal)
	path, found := explore.WalkTowards(s.model, random, steps, func(state S) int {
		if reached(state) {
			return 0
		}
		return 1
	})
	if !found {
		return nil
	}
	return s.way(goal, path)
}

func (s *typed[S, A]) shortest(ctx context.Context, goal string) (*Way, error) {
	path, err := explore.ShortestTo(ctx, s.model, s.reached(goal),
		explore.Options{MaxStates: waySearchMax})
	if err != nil {
		return nil, fmt.Errorf("way to %q: %w", goal, err)
	}
	return s.way(goal, path), nil
}

// reached is the test of one of its goals.
func (s *typed[S, A]) reached(goal string) func(S) bool {
	at := slices.IndexFunc(s.model.Sometimes, func(g explore.Goal[S]) bool {
		return g.Name == goal
	})
	return s.model.Sometimes[at].Reached
}

func (s *typed[S, A]) way(goal string, path []explore.Step[S, A]) *Way {
	way := &Way{
		Goal: goal, Steps: len(path) - 1, Actions: map[string]int{},
		write: writerOf(s.module, s.model, path),
	}
	for _, step := range path[1:] {
		way.Actions[step.Action.Name()]++
	}
	return way
}
