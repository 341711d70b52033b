package partitions

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/storage"
)

// Bound is a configuration of the model by name.
type Bound struct {
	Name   string
	Config model.Config
}

// Path is a path of the model: an initial state and then a step at a time.
type Path = []explore.Step[model.PartitionState, model.PartitionAction]

var both = []model.Policy{model.Persisted, model.Replicated}

// Graphs are bounds small enough for every edge to be followed.
func Graphs() []Bound {
	return []Bound{
		{"both groups", model.Config{N: 2, MaxOp: 2, MaxCrash: 1, Policies: both}},
		{"one of each of two crashes", model.Config{
			N: 2, MaxOp: 1, MaxCrash: 2, Policies: []model.Policy{model.Replicated},
		}},
	}
}

// Large are bounds for walks, beyond what can be searched.
func Large() []Bound {
	return []Bound{
		{"three replicas", model.Config{N: 3, MaxOp: 6, MaxCrash: 4, Policies: both}},
		{"two replicas", model.Config{N: 2, MaxOp: 8, MaxCrash: 6, Policies: both}},
		{"five replicas", model.Config{N: 5, MaxOp: 3, MaxCrash: 3, Policies: both}},
	}
}

// statesMax bounds the graphs that are followed.
const statesMax = 50_000

// FollowEdges follows paths that together take every edge of a graph, or every so manieth of
// these paths.
//
// Errors: a [*Mismatch]; a graph that is too large.
func FollowEdges(
	ctx context.Context, b Bound, recovery wal.Recovery, stride int,
) (Counts, error) {
	var sum Counts
	paths := 0
	err := explore.EachCover(ctx, model.PartitionLog(b.Config), statesMax, func(p Path) error {
		if paths++; (paths-1)%stride != 0 {
			return nil
		}
		c, err := NewCluster(b.Config, recovery)
		if err != nil {
			return err
		}
		err = c.Follow(p)
		sum.Add(c.Counts)
		return err
	})
	if err != nil {
		return sum, fmt.Errorf("edges of %s: %w", b.Name, err)
	}
	return sum, nil
}

// FollowWalk follows the random walk of a seed.
//
// Errors: a [*Mismatch].
func FollowWalk(b Bound, recovery wal.Recovery, seed uint64) (Counts, error) {
	c, err := NewCluster(b.Config, recovery)
	if err != nil {
		return Counts{}, err
	}
	if err := c.Follow(Walk(b.Config, seed)); err != nil {
		return c.Counts, fmt.Errorf("walk %d of %s: %w", seed, b.Name, err)
	}
	return c.Counts, nil
}

// Walk is the random walk of a seed.
func Walk(c model.Config, seed uint64) Path {
	const steps = 60
	random := rand.New(rand.NewPCG(seed, 3)) //nolint:forbidigo // The seeded source of this walk.
	return explore.Walk(model.PartitionLog(c), random, steps, weight)
}

// weight makes walks come to their crashes late: there are many ways to lose power.
func weight(a model.PartitionAction) int {
	switch a.Kind {
	case model.AppendPrepare, model.Replicate, model.WriteLog:
		return 800
	case model.Restart, model.ElectPrimary:
		return 400
	case model.PublishFrontier:
		return 80
	case model.PowerLoss:
		if a.Torn != 0 {
			return 8
		}
	case model.Kill:
	}
	return 2
}
