package storage_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/traces/storage"
)

func bounds(c model.JournalConfig) model.JournalConfig {
	c.Twin, c.Misdirects, c.Mirror = true, true, true
	if c.Policy == 0 {
		c.Policy = model.Persisted
	}
	return c
}

var graphs = map[string]model.JournalConfig{
	"log": bounds(model.JournalConfig{
		MaxOp: 1, MaxView: 1, MaxBatch: 2, Slots: 2, MaxAhead: 2, MaxRecords: 1, MaxCrash: 1,
		MaxRot: 1,
	}),
	"superblock": bounds(model.JournalConfig{
		MaxOp: 0, MaxView: 1, MaxBatch: 2, Slots: 2, MaxAhead: 2, MaxRecords: 1, MaxCrash: 2,
		MaxDamage: 2,
	}),
	"replicated": bounds(model.JournalConfig{
		Policy: model.Replicated,
		MaxOp:  1, MaxView: 0, MaxBatch: 2, Slots: 2, MaxAhead: 2, MaxRecords: 1, MaxCrash: 2, MaxRot: 1,
	}),
	"three": bounds(model.JournalConfig{
		MaxOp: 1, MaxView: 0, MaxBatch: 3, Slots: 3, MaxAhead: 3, MaxRecords: 1, MaxCrash: 1,
		MaxRot: 1, OtherGroups: true,
	}),
}

func TestTheCodeFollowsEveryEdgeOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for name, c := range graphs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sum storage.Counts
			paths := 0
			err := explore.EachCover(context.Background(), storage.Followable(c), 100_000,
				func(p storage.Path) error {
					machine, err := storage.NewMachine(c, storage.Production())
					if err != nil {
						return err
					}
					paths++
					err = machine.Follow(p)
					sum.Add(machine.Counts)
					return err
				})
			require.NoError(t, err)
			t.Logf("%d paths, %+v", paths, sum)
			assert.Positive(t, sum.Batches)
			assert.Positive(t, sum.Discards)
			assert.Positive(t, sum.Doubts)
			assert.Equal(t, c.MaxDamage > 0, sum.Refusals > 0)
		})
	}
}

var large = map[string]model.JournalConfig{
	"three crashes": bounds(model.JournalConfig{
		MaxOp: 2, MaxView: 2, MaxBatch: 4, Slots: 4, MaxAhead: 4, MaxRecords: 2, MaxCrash: 3,
		MaxRot: 2, MaxDamage: 2, OtherGroups: true,
	}),
	"replicated": bounds(model.JournalConfig{
		Policy: model.Replicated,
		MaxOp:  2, MaxView: 2, MaxBatch: 4, Slots: 4, MaxAhead: 4, MaxRecords: 2, MaxCrash: 4,
		MaxRot: 2, MaxDamage: 1,
	}),
}

// walk is a random walk of the model; the same seed is the same walk.
func walk(c model.JournalConfig, seed uint64, steps int) storage.Path {
	random := rand.New(rand.NewPCG(seed, 6)) //nolint:forbidigo // The seeded source of this walk.
	return explore.Walk(storage.Followable(c), random, steps, weight)
}

// weight makes walks come to their crashes late.
func weight(a model.JournalAction) int {
	switch a.Kind {
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

func TestTheCodeFollowsRandomWalks(t *testing.T) {
	t.Parallel()
	const walks, steps = 300, 60
	for name, c := range large {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sum storage.Counts
			for seed := range uint64(walks) {
				machine, err := storage.NewMachine(c, storage.Production())
				require.NoError(t, err)
				require.NoError(t, machine.Follow(walk(c, seed, steps)), "seed %d", seed)
				sum.Add(machine.Counts)
			}
			t.Logf("%+v", sum)
			assert.Greater(t, sum.Recoveries, walks)
			assert.Greater(t, sum.Discards, walks/2)
			assert.Greater(t, sum.Doubts, walks/2)
		})
	}
}
