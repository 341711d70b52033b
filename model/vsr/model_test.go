package vsr

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
)

// bound returns the clean protocol within bounds.
func bound(maxRequest, maxView, maxCrash int, drivers Drivers) Config {
	return Config{
		N: 3, MaxRequest: maxRequest, MaxView: maxView, MaxCrash: maxCrash, Drivers: drivers,
	}
}

func lazy(c Config) Config {
	c.LazyLogView = true
	return c
}

// of returns the same constants for another number of replicas.
func of(replicas int, c Config) Config {
	c.N = replicas
	return c
}

func again(c Config) Config {
	c.MergeAgain = true
	return c
}

func with(c Config, m Mutant) Config {
	c.Bugs = MutantSet(m)
	return c
}

// The figures are TLC's for the same constants.
func TestCleanProtocolHasTheGraphOfTheSpec(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name            string
		config          Config
		distinct, depth int
	}{
		{"one request, one view change", bound(1, 1, 0, Walk), 2321, 19},
		{"... and a restart", bound(1, 1, 1, Walk), 13503, 20},
		{"... or a second view change", bound(1, 2, 0, Walk), 40796, 26},
		{"... or a second request", bound(2, 1, 0, Walk), 37894, 26},
		{"... with lazy log views", lazy(bound(2, 1, 0, Walk)), 36600, 26},
		{"two drivers", bound(1, 1, 0, WalkAndPipeline), 1268, 18},
		{"two drivers and a restart", bound(1, 1, 1, WalkAndPipeline), 8363, 20},
		{"two drivers and two view changes", bound(1, 2, 0, WalkAndPipeline), 21726, 24},
		{"two drivers and two requests", bound(2, 1, 0, WalkAndPipeline), 15577, 25},
		{"a second merge", again(bound(2, 1, 0, Walk)), 37906, 26},
		{"one replica, two restarts", of(1, bound(2, 2, 2, Walk)), 1020, 17},
		{"two replicas and a restart", of(2, bound(2, 1, 1, Walk)), 2264, 20},
		{"four replicas", of(4, bound(1, 1, 0, Walk)), 27200, 25},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			result, err := explore.Check(context.Background(), Model(tc.config), explore.Options{})
			require.NoError(t, err)
			require.Nil(t, result.Violation)
			assert.True(t, result.Complete)
			assert.Equal(t, tc.distinct, result.Distinct)
			assert.Equal(t, tc.depth, result.Depth)
			assert.Empty(t, result.Unreached(), "goals that no state reached")

			taken := 0
			for _, kind := range ActionKinds() {
				if result.Actions[kind.String()] > 0 {
					taken++
				}
			}
			assert.Len(t, LiveActions(tc.config), taken, "live actions are those that are taken")
		})
	}
}

// The goals name what the constants allow, no more and no less.
func TestGoalsAreThoseWithinReach(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		bound(0, 1, 0, Walk), bound(0, 0, 1, Walk), bound(0, 1, 1, Walk),
		bound(1, 0, 0, Walk), bound(1, 0, 1, Walk), bound(2, 0, 1, Walk),
		bound(1, 1, 1, Walk), bound(1, 1, 1, WalkAndPipeline),
		of(1, bound(1, 0, 1, Walk)), of(1, bound(2, 2, 2, WalkAndPipeline)),
		of(2, bound(1, 2, 1, Walk)), of(2, bound(2, 1, 1, WalkAndPipeline)),
		bound(2, 0, 0, WalkAndPipeline), bound(1, 1, 0, WalkAndPipeline),
		lazy(bound(1, 1, 1, Walk)), lazy(bound(2, 0, 1, Walk)),
	} {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			m := Model(c)
			wanted := map[string]bool{}
			for _, goal := range m.Sometimes {
				wanted[goal.Name] = true
			}
			m.Sometimes = everyGoal(&c)
			result, err := explore.Check(context.Background(), m, explore.Options{})
			require.NoError(t, err)
			require.True(t, result.Complete)
			for _, goal := range m.Sometimes {
				assert.Equal(t, wanted[goal.Name], result.Goals[goal.Name], goal.Name)
			}
		})
	}
}

// everyGoal is what Goals could return if the constants allowed all.
func everyGoal(c *Config) []explore.Goal[State] {
	var goals []explore.Goal[State]
	for _, kind := range ActionKinds() {
		goals = append(goals, explore.Goal[State]{
			Name:    "take " + kind.String(),
			Reached: func(s State) bool { return canStep(c, &s, kind) },
		})
	}
	for _, situation := range situations {
		goals = append(goals, explore.Goal[State]{
			Name:    situation.name,
			Reached: func(s State) bool { return situation.reached(c, s) },
		})
	}
	return goals
}

// Keys decide what the search takes for one state, canonical texts what TLC and the
// search are compared by: they must agree on which states are equal.
func TestKeyAndCanonicalTextIdentifyTheSameStates(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		bound(1, 1, 1, Walk), bound(1, 1, 0, WalkAndPipeline),
		with(bound(1, 1, 0, WalkAndPipeline), StallIsPipeline), lazy(bound(1, 1, 1, Walk)),
	} {
		texts, keys := map[string]string{}, map[string]string{}
		for _, s := range reachable(t, c, 8000) {
			key, text := string(s.appendKey(nil)), string(Canonical(nil, c, s))
			if other, found := texts[key]; found {
				require.Equal(t, other, text, "one key, two texts")
			}
			if other, found := keys[text]; found {
				require.Equal(t, other, key, "one text, two keys")
			}
			texts[key], keys[text] = text, key
		}
		assert.Len(t, texts, len(keys))
	}
}

// reachable returns the first states of a breadth-first search, each once by its
// canonical text, so that it does not rest on keys.
func reachable(t *testing.T, c Config, limit int) []State {
	t.Helper()
	states := []State{Init(c)}
	seen := map[string]bool{string(Canonical(nil, c, states[0])): true}
	for i := 0; i < len(states) && len(states) < limit; i++ {
		Next(&c, &states[i], func(_ Action, s State) {
			if text := string(Canonical(nil, c, s)); !seen[text] {
				seen[text] = true
				states = append(states, s)
			}
		})
	}
	require.Greater(t, len(states), 40)
	return states
}

// States share slices, so an action that wrote into one would change the past.
func TestStatesDoNotChangeOnceYielded(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{
		bound(2, 2, 1, Walk), bound(2, 2, 1, WalkAndPipeline), lazy(bound(2, 2, 1, Walk)),
		{N: 3, MaxRequest: 2, MaxView: 2, MaxCrash: 1, Drivers: WalkAndPipeline, Bugs: AllMutants()},
	} {
		states := reachable(t, c, 6000)
		keys := make([]string, len(states))
		for i := range states {
			keys[i] = string(states[i].appendKey(nil))
		}
		for i := range states {
			Next(&c, &states[i], func(Action, State) {})
		}
		for i := range states {
			require.Equal(t, keys[i], string(states[i].appendKey(nil)), "state %d", i)
		}
	}
}

// A view without messages and an order of members are no part of a state, so no
// successor may have either.
func TestNetworkHasOneRepresentation(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{bound(1, 2, 1, Walk), with(bound(1, 2, 1, Walk), VolatileView)} {
		for _, s := range reachable(t, c, 8000) {
			for i, m := range s.network {
				require.False(t, m.empty(), "view %d holds nothing", m.view)
				require.True(t, i == 0 || s.network[i-1].view < m.view, "views ascend")
			}
		}
	}
}
