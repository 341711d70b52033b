package retention_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/retention"
	"github.com/viewstamp/viewstamp/traces/retention"
)

// none is no defect.
const none partition.Defect = 0

func everyKind() []model.Kind {
	return []model.Kind{model.Retain, model.Truncate, model.Purge, model.Store, model.Advance}
}

// graphs are bounds whose every edge is taken: those of the cfgs retention-graph-*.
func graphs() map[string]model.Config {
	return map[string]model.Config{
		"age": {N: 2, Segment: 1, Kinds: []model.Kind{model.Retain}, Age: 3, MaxOp: 4},
		"purge": {
			N: 1, Segment: 2, Kinds: []model.Kind{model.Purge}, MaxOp: 4, MaxPurge: 1, MaxRestart: 1,
		},
		"offsets": {
			N: 1, Segment: 1, Kinds: []model.Kind{model.Purge, model.Store, model.Advance},
			Consumers: 1, MaxOp: 3, MaxPurge: 1, MaxRestart: 1,
		},
	}
}

func TestTheMachineFollowsEveryEdgeOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for name, c := range graphs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sum retention.Counts
			err := explore.EachCover(context.Background(), model.Model(c), 20_000,
				func(p retention.Path) error {
					group, err := retention.NewGroup(c, none)
					if err != nil {
						return err
					}
					err = group.Follow(p)
					sum.Add(group.Counts)
					return err
				})
			require.NoError(t, err)
			t.Logf("%+v", sum)
			assert.Positive(t, sum.Executed)
			assert.Positive(t, sum.Polls)
			assert.Equal(t, c.MaxRestart > 0, sum.Restored > 0)
			assert.Equal(t, c.N > 1, sum.Checksums > 0)
		})
	}
}

// large is a bound for walks, beyond what can be searched.
func large() model.Config {
	return model.Config{
		N: 2, Segment: 2, Kinds: everyKind(), Age: 3, Size: 3, Hold: true, Consumers: 2,
		MaxOp: model.OpMax, MaxPurge: 2, MaxRestart: 2,
	}
}

// follow follows the random walk of a seed.
func follow(c model.Config, defect partition.Defect, seed uint64) (retention.Counts, error) {
	random := rand.New(rand.NewPCG(seed, 17)) //nolint:forbidigo // The seeded source of this walk.
	path := explore.Walk(model.Model(c), random, 40, func(a model.Action) int {
		switch {
		case a.Kind == model.Execute:
			return 20
		case a.Kind == model.CommitOp && a.Op.Kind == model.Send:
			return 20
		case a.Kind == model.CommitOp && a.Op.Kind == model.Retain:
			return 6
		}
		return 1
	})
	group, err := retention.NewGroup(c, defect)
	if err != nil {
		return retention.Counts{}, err
	}
	err = group.Follow(path)
	return group.Counts, err
}

func TestTheMachineFollowsRandomWalks(t *testing.T) {
	t.Parallel()
	const walks = 200
	for name, hold := range map[string]bool{"holding": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := large()
			c.Hold = hold
			var sum retention.Counts
			for seed := range uint64(walks) {
				counts, err := follow(c, none, seed)
				require.NoError(t, err, "seed %d", seed)
				sum.Add(counts)
			}
			t.Logf("%+v", sum)
			assert.Greater(t, sum.Executed, walks)
			assert.Greater(t, sum.Restored, walks/4)
			assert.Greater(t, sum.Checksums, walks)
		})
	}
}

// Each defect of the machine that shows in what is compared is noticed on some walk.
func TestWalksNoticeADefectOfTheMachine(t *testing.T) {
	t.Parallel()
	for _, defect := range []partition.Defect{
		partition.DefectRetainsByFiles, partition.DefectAdvanceLowers,
	} {
		t.Run(defect.String(), func(t *testing.T) {
			t.Parallel()
			c := large()
			c.Hold = false
			found := 0
			for seed := range uint64(300) {
				if _, err := follow(c, defect, seed); err != nil {
					var mismatch *retention.Mismatch
					require.ErrorAs(t, err, &mismatch)
					found++
				}
			}
			assert.Positive(t, found)
		})
	}
}
