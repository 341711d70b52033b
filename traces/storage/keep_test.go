package storage_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/traces/storage"
)

func TestTheCodeFollowsWalksWithCheckpoints(t *testing.T) {
	t.Parallel()
	const walks = 200
	for _, b := range storage.Kept() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			var sum storage.Counts
			for seed := range uint64(walks) {
				counts, err := storage.FollowKept(b, storage.Production(), seed)
				require.NoError(t, err)
				sum.Add(counts)
			}
			t.Logf("%+v", sum)
			assert.Greater(t, sum.Recoveries, walks)
			assert.Greater(t, sum.Snapshots, walks)
			assert.Greater(t, sum.Releases, walks)
			assert.Greater(t, sum.Discards, walks/10)
		})
	}
}

// ofCheckpoints are the mutants of checkpoints and releases that the log, or the order of its
// calls, tells apart. The others are about what a replica says or asks for.
var ofCheckpoints = []model.Bug{
	"pairing_before_snapshot", "release_before_pairing", "release_drops_adoption",
	"release_keeps_index",
}

// A defect of the model's checkpoints is told apart from the production code.
func TestEveryMutantOfCheckpointsIsToldApart(t *testing.T) {
	t.Parallel()
	const walks = 400
	for _, bug := range ofCheckpoints {
		t.Run(string(bug), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(walks) {
				for _, b := range storage.Kept() {
					c := b.Config
					c.Bugs = []model.Bug{bug}
					keeper, err := storage.NewKeeper(c, storage.Production())
					require.NoError(t, err)
					if err = keeper.Follow(storage.KeptWalk(c, seed)); err != nil {
						t.Log(err)
						return
					}
				}
			}
			assert.Fail(t, "the mutant was followed")
		})
	}
}

// releasing is a log whose releases have a defect.
type releasing struct {
	storage.Log
	// change changes the checkpoints that a release is told.
	change func(checkpoints map[wire.GroupID]wire.Op)
}

func (r releasing) Release(checkpoints map[wire.GroupID]wire.Op) (int, error) {
	checkpoints = maps.Clone(checkpoints)
	r.change(checkpoints)
	return r.Log.Release(checkpoints)
}

// A release that goes too far or not far enough is found on a walk, and the same wrapping without
// a defect is not.
func TestADefectOfReleasesIsFoundOnAWalk(t *testing.T) {
	t.Parallel()
	const walks = 200
	for name, change := range map[string]func(map[wire.GroupID]wire.Op){
		"none":                 func(map[wire.GroupID]wire.Op) {},
		"above the checkpoint": func(c map[wire.GroupID]wire.Op) { c[1]++ },
		"of another group":     func(c map[wire.GroupID]wire.Op) { c[1] = c[2] },
		"not to the checkpoint": func(c map[wire.GroupID]wire.Op) {
			c[1] = max(c[1], 1) - 1
		},
		"never": func(c map[wire.GroupID]wire.Op) { clear(c) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			maker := wrapping(func(l storage.Log) storage.Log { return releasing{l, change} })
			for seed := range uint64(walks) {
				for _, b := range storage.Kept() {
					if _, err := storage.FollowKept(b, maker, seed); err != nil {
						require.NotEqual(t, "none", name, err)
						t.Log(err)
						return
					}
				}
				if name == "none" && seed == walks/10 {
					return
				}
			}
			assert.Fail(t, "the defect was not found")
		})
	}
}
