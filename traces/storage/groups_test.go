package storage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	disk "github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
	model "github.com/viewstamp/viewstamp/model/storage"
	"github.com/viewstamp/viewstamp/traces/storage"
)

func TestTheCodeFollowsWalksOfSeveralGroups(t *testing.T) {
	t.Parallel()
	const walks = 200
	for _, b := range storage.GroupsBounds() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			var sum storage.Counts
			for seed := range uint64(walks) {
				counts, err := storage.FollowGroups(b, storage.ProductionGroups, seed)
				require.NoError(t, err)
				sum.Add(counts)
			}
			t.Logf("%+v", sum)
			assert.Greater(t, sum.Recoveries, walks)
			assert.Greater(t, sum.Releases, walks)
			assert.Greater(t, sum.Moves, walks/10)
			assert.Greater(t, sum.Doubts, walks/10)
		})
	}
}

// A defect of the model is told apart from the production code: what of all groups is needed, what
// each may forget. The others are about what a group says, or about how full the ring may get.
func TestEveryMutantOfGroupsIsToldApart(t *testing.T) {
	t.Parallel()
	const walks = 400
	for _, bug := range []model.Bug{
		"superblock_of_one_group", "release_by_lowest_of_one_group", "checkpoint_drops_other_state",
		"doubt_for_one_group_only",
	} {
		t.Run(string(bug), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(walks) {
				for _, b := range storage.GroupsBounds() {
					b.Config.Bugs = []model.Bug{bug}
					if _, err := storage.FollowGroups(b, storage.ProductionGroups, seed); err != nil {
						t.Log(err)
						return
					}
				}
			}
			assert.Fail(t, "no walk noticed")
		})
	}
}

// careless is a log with a defect.
type careless struct {
	storage.GroupsLog
	lazy, greedy bool
}

// Sync does nothing if it is lazy.
func (c careless) Sync() error {
	if c.lazy {
		return nil
	}
	return c.GroupsLog.Sync()
}

// Release goes by the checkpoint of one group if it is greedy.
func (c careless) Release(checkpoints map[wire.GroupID]wire.Op) (int, error) {
	if c.greedy {
		checkpoints[2] = max(checkpoints[1], checkpoints[2])
		checkpoints[1] = checkpoints[2]
	}
	return c.GroupsLog.Release(checkpoints)
}

// open opens a log with the defect.
func (c careless) open(
	d disk.Disk, boot storage.Boot,
) (storage.GroupsLog, storage.GroupsFound, error) {
	l, found, err := storage.ProductionGroups(d, boot)
	c.GroupsLog = l
	return c, found, err
}

func TestADefectOfTheLogIsNoticedByWalksOfGroups(t *testing.T) {
	t.Parallel()
	for name, defect := range map[string]careless{
		"it flushes nothing":                         {lazy: true},
		"it releases by the checkpoint of one group": {greedy: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noticed := 0
			for seed := range uint64(200) {
				_, err := storage.FollowGroups(storage.GroupsBounds()[0], defect.open, seed)
				if err != nil {
					noticed++
				}
			}
			assert.Positive(t, noticed)
		})
	}
}
