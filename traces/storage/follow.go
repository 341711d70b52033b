package storage

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/storage"
)

// Bound is a configuration of the model by name.
type Bound struct {
	Name   string
	Config model.JournalConfig
}

// bound has what the code has.
func bound(name string, c model.JournalConfig) Bound {
	c.Twin, c.Misdirects, c.Mirror = true, true, true
	if c.Policy == 0 {
		c.Policy = model.Persisted
	}
	return Bound{name, c}
}

// Graphs are bounds small enough for every edge to be followed.
func Graphs() []Bound {
	return []Bound{
		bound("log", model.JournalConfig{
			MaxOp: 1, MaxView: 1, MaxBatch: 2, Slots: 2, MaxAhead: 2, MaxRecords: 1,
			MaxCrash: 1, MaxRot: 1,
		}),
		bound("superblock", model.JournalConfig{
			MaxView: 1, MaxBatch: 2, Slots: 2, MaxAhead: 2, MaxRecords: 1, MaxCrash: 2, MaxDamage: 2,
		}),
		bound("replicated", model.JournalConfig{
			Policy: model.Replicated, MaxOp: 1, MaxBatch: 2, Slots: 2, MaxAhead: 2, MaxRecords: 1,
			MaxCrash: 2, MaxRot: 1,
		}),
		bound("three batches", model.JournalConfig{
			MaxOp: 1, MaxBatch: 3, Slots: 3, MaxAhead: 3, MaxRecords: 1, MaxCrash: 1, MaxRot: 1,
			OtherGroups: true,
		}),
	}
}

// Deep are bounds whose graphs are large: whoever follows them takes a stride.
func Deep() []Bound {
	return []Bound{
		bound("log twice", model.JournalConfig{
			MaxOp: 1, MaxView: 1, MaxBatch: 2, Slots: 2, MaxAhead: 2, MaxRecords: 1,
			MaxCrash: 2, MaxRot: 1,
		}),
	}
}

// Large are bounds for walks, beyond what can be searched.
func Large() []Bound {
	return []Bound{
		bound("persisted", model.JournalConfig{
			MaxOp: 2, MaxView: 2, MaxBatch: 4, Slots: 4, MaxAhead: 4, MaxRecords: 2, MaxCrash: 3,
			MaxRot: 2, MaxDamage: 2, OtherGroups: true,
		}),
		bound("replicated", model.JournalConfig{
			Policy: model.Replicated, MaxOp: 2, MaxView: 2, MaxBatch: 4, Slots: 4, MaxAhead: 4,
			MaxRecords: 2, MaxCrash: 4, MaxRot: 2, MaxDamage: 1,
		}),
	}
}

// statesMax bounds the graphs that are followed.
const statesMax = 100_000

// FollowEdges follows paths that together take every edge of a graph; with a stride above 1 only
// every so manieth of these paths. Counts.Edges are the distinct edges followed.
//
// Errors: a [*Mismatch]; a graph that is too large.
func FollowEdges(ctx context.Context, b Bound, maker Maker, stride int) (Counts, error) {
	m := Followable(b.Config)
	var sum Counts
	edges := map[string]bool{}
	n := 0
	err := explore.EachCover(ctx, m, statesMax, func(p Path) error {
		if n++; (n-1)%stride != 0 {
			return nil
		}
		for i := range p[1:] {
			edges[string(m.Key([]byte(p[i+1].Action.String()), p[i].State))] = true
		}
		machine, err := NewMachine(b.Config, maker)
		if err != nil {
			return err
		}
		err = machine.Follow(p)
		sum.Add(machine.Counts)
		return err
	})
	sum.Edges = len(edges)
	if err != nil {
		return sum, fmt.Errorf("edges of %s: %w", b.Name, err)
	}
	return sum, nil
}

// FollowWalk follows the random walk of a seed.
//
// Errors: a [*Mismatch].
func FollowWalk(b Bound, maker Maker, seed uint64) (Counts, error) {
	machine, err := NewMachine(b.Config, maker)
	if err != nil {
		return Counts{}, err
	}
	if err := machine.Follow(Walk(b.Config, seed)); err != nil {
		return machine.Counts, fmt.Errorf("walk %d of %s: %w", seed, b.Name, err)
	}
	return machine.Counts, nil
}

// Walk is the random walk of a seed.
func Walk(c model.JournalConfig, seed uint64) Path {
	const steps = 60
	random := rand.New(rand.NewPCG(seed, 6)) //nolint:forbidigo // The seeded source of this walk.
	return explore.Walk(Followable(c), random, steps, weight)
}

// weight makes walks come to their crashes late.
func weight(a action) int {
	switch a.Kind { //nolint:exhaustive // The others are many, or end what walks are to reach.
	case model.JournalWriteBatch, model.JournalSyncWAL, model.JournalBoot:
		return 200
	case model.JournalAppendPrepare, model.JournalRepairPrepare, model.JournalWriteSuperblock,
		model.JournalMirrorSuperblock, model.JournalSyncSuperblock:
		return 100
	case model.JournalAdopt, model.JournalEnterView:
		return 20
	case model.JournalRot, model.JournalMisdirect, model.JournalDamageSuperblock:
		return 10
	}
	return 1
}
