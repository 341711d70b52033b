package vsr

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// successor is a step and what everybody can see of the state after it.
type successor struct {
	label string
	after State
}

// successors lists the steps of a state whose first n ops are gone, by what an observer of
// the whole log sees.
func successors(c *Config, s *State, n Op) map[string]State {
	all := map[string]State{}
	Next(c, s, func(a Action, after State) {
		switch a.Kind {
		case ActionReceiveCommit, ActionRepairPrepare:
			a.Arg += int(n)
		}
		label := a.String()
		for r := range after.n {
			p := Project(after, r)
			for _, op := range []*uint64{&p.OpHead, &p.Contiguous, &p.CommitMin, &p.CommitMax} {
				*op += uint64(n)
			}
			for _, ops := range [][]uint64{p.Hollow, p.Pipeline} {
				for i := range ops {
					ops[i] += uint64(n)
				}
			}
			if head, ok := after.headers[r].At(after.headers[r].Head()); ok {
				p.HeadChecksum = head.Raised(n).String()
			}
			label += fmt.Sprintf(" %+v", p)
		}
		all[label] = after
	})
	return all
}

// pick chooses the next step; crashes and view changes are rare, so that logs grow.
func pick(random *rand.Rand, steps []successor) successor {
	chosen, total := steps[0], 0
	for _, step := range steps {
		weight := 40
		switch step.label[0:7] {
		case "Restart", "StartVi":
			weight = 1
		}
		if total += weight; random.IntN(total) < weight {
			chosen = step
		}
	}
	return chosen
}

func sorted(c *Config, s *State) []successor {
	var steps []successor
	Next(c, s, func(a Action, after State) { steps = append(steps, successor{a.String(), after}) })
	return steps
}

// same walks from both states alike and says where they can be told apart, or nothing. low
// has the ops above n only.
func same(c *Config, random *rand.Rand, full, low State, n Op, restarts bool) string {
	for range 60 {
		ofFull, ofLow := successors(c, &full, 0), successors(c, &low, n)
		steps := sorted(c, &full)
		if !restarts { // A restart is what low cannot take.
			kept := steps[:0]
			for _, step := range steps {
				if step.label[0:7] != "Restart" {
					kept = append(kept, step)
				}
			}
			steps = kept
		}
		if len(steps) == 0 {
			return ""
		}
		for label := range ofFull { //nolint:maporder // Any difference will do.
			if _, found := ofLow[label]; !found && (restarts || label[0:7] != "Restart") {
				return "only with the whole log: " + label
			}
		}
		for label := range ofLow { //nolint:maporder // Any difference will do.
			if _, found := ofFull[label]; !found && (restarts || label[0:7] != "Restart") {
				return "only without: " + label
			}
		}
		next := pick(random, steps)
		key := string(next.after.appendKey(nil))
		for label, after := range ofFull { //nolint:maporder // Only one has this key.
			if string(after.appendKey(nil)) == key {
				full, low = after, ofLow[label]
				break
			}
		}
	}
	return ""
}

// settledWalk walks until some ops are settled, and returns the state.
func settledWalk(c *Config, random *rand.Rand) (State, bool) {
	s := Init(*c)
	for range 400 {
		steps := sorted(c, &s)
		s = pick(random, steps).after
		if s.Settled() >= 2 && random.IntN(6) == 0 {
			return s, true
		}
	}
	return s, false
}

func TestAStateWithoutItsHistoryTakesTheSameSteps(t *testing.T) {
	t.Parallel()
	told, tried := 0, 0
	for seed := range uint64(100) {
		//nolint:forbidigo // Seeded: each walk is the same on every run.
		random := rand.New(rand.NewPCG(seed, 1))
		c := Config{
			N: 1 + int(seed%3), Drivers: Walk,
			MaxRequest: Unbounded, MaxView: Unbounded, MaxCrash: Unbounded,
		}
		s, found := settledWalk(&c, random)
		if !found {
			continue
		}
		tried++
		n := s.Settled()
		low := s.WithoutFirst(n)
		base := s.acknowledged.upTo(n)
		require.Empty(t, same(&c, random, s, low, n, false), "seed %d, without %d", seed, n)

		again := low.On(base)
		for r := range s.n {
			require.Equal(t, Project(s, r), Project(again, r), "seed %d", seed)
		}
		require.Empty(t, same(&c, random, s, again, 0, true), "seed %d, and with them again", seed)
		back := again.WithoutFirst(n)
		require.Equal(t, string(low.appendKey(nil)), string(back.appendKey(nil)))

		// One op more than is settled is one too many: the walks part now and then.
		if s.headers[0].Head() > n {
			told += min(1, len(same(&c, random, s, s.WithoutFirst(n+1), n+1, false)))
		}
	}
	assert.Greater(t, tried, 50)
	assert.Greater(t, told, 2, "a state that lost too much is told apart")
}
