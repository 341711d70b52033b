package refine

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/model/explore"
)

// walksTogether is how many walks share what is remembered of replicas and messages: memory
// stays bounded, and a walk still finds most of its states known.
const walksTogether = 20

// WalkResult is what walks have seen.
type WalkResult struct {
	// Walks and Steps are how many were done.
	Walks, Steps int
	// Covered are the branches of the core that were taken; Missing are actions of the
	// specification that the bounds allow and no walk took.
	Covered, Missing []string
	// Actions is how many actions of the specification the bounds allow.
	Actions int
	// Untaken are the branches of the core that no walk took, with the reason if one is known: no
	// number of walks takes all.
	Untaken []Untaken
	// Seed is that of the walk which a violation ended, Reason says what is wrong, Story how it
	// came about; all empty if nothing is.
	Seed          uint64
	Reason, Story string
}

// Walk drives real cores along random interleavings, which may go far beyond the bounds of any
// search, and holds each step against the model like [Check]. Walk number i has the seed i, from
// 1 on, and at most so many steps. It ends with the first violation, or early with ctx. The
// error is a core that cannot be configured so.
func Walk(ctx context.Context, bounds Bounds, walks, steps int) (*WalkResult, error) {
	r := &WalkResult{}
	covered := map[string]bool{}
	for r.Walks < walks && ctx.Err() == nil && r.Reason == "" {
		s, err := newSystem(bounds)
		if err != nil {
			return nil, err
		}
		for range min(walksTogether, walks-r.Walks) {
			r.Walks++
			if err := r.walk(s, uint64(r.Walks), steps); err != nil {
				return nil, err
			}
			if r.Reason != "" {
				break
			}
		}
		maps.Copy(covered, s.covered)
	}
	r.Covered = slices.Sorted(maps.Keys(covered))
	r.Untaken = untakenByWalks(bounds, covered)
	for _, action := range expected(bounds) {
		r.Actions++
		if !covered[action] {
			r.Missing = append(r.Missing, action)
		}
	}
	return r, nil
}

// weight makes walks patient where checkpoints are fetched: at even chances hardly a fetch would
// come to its end. Nil counts all steps alike.
func (s *system) weight() func(Action) int {
	if s.bounds.Checkpoints == 0 {
		return nil
	}
	return func(a Action) int {
		switch {
		case a.kind == kindExpire && a.timer == vsr.TimerTransfer, a.kind == kindCrash,
			a.kind == kindLeave:
			return 1
		case a.kind == kindPart:
			return 4 * patience
		}
		return patience
	}
}

const patience = 5

// walk is one walk; it leaves what is wrong with its last state, if anything is, in r.
func (r *WalkResult) walk(s *system, seed uint64, steps int) error {
	m := s.model()
	random := rand.New(rand.NewPCG(seed, 21)) //nolint:forbidigo // The seeded source of this walk.
	path := explore.Walk(m, random, steps, s.weight())
	r.Steps += len(path) - 1
	last := path[len(path)-1].State
	if r.Reason = last.wrong(); r.Reason == "" {
		return nil
	}
	r.Seed = seed
	var b strings.Builder
	fmt.Fprintf(&b, "walk of seed %d: %s\n", seed, r.Reason)
	if err := explore.PrintStory(&b, m, path, Action.String); err != nil {
		return fmt.Errorf("print story: %w", err)
	}
	r.Story = b.String()
	return nil
}
