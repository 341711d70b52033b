package members_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	model "github.com/viewstamp/viewstamp/model/consumergroups"
	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/traces/members"
)

// graphs are bounds whose every edge is taken: those of the cfgs members-graph-*.
func graphs() map[string]model.Config {
	return map[string]model.Config{
		"evict": {N: 1, Clients: 2, Capacity: 1, Partitions: 2, MaxOp: 3, MaxRestart: 1},
		"leave": {N: 1, Clients: 2, Capacity: 2, Partitions: 2, MaxOp: 4, Logouts: true},
	}
}

func TestTheCatalogueFollowsEveryEdgeOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for name, c := range graphs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sum members.Counts
			err := explore.EachCover(context.Background(), model.Model(c), 20_000,
				func(p members.Path) error {
					group := members.NewGroup(c, members.Production)
					err := group.Follow(p)
					sum.Add(group.Counts)
					return err
				})
			require.NoError(t, err)
			t.Logf("%+v", sum)
			assert.Positive(t, sum.Executed)
			assert.Positive(t, sum.Members)
			assert.Equal(t, c.MaxRestart > 0, sum.Restored > 0)
		})
	}
}

// follow follows the random walk of a seed, beyond what can be searched.
func follow(maker members.Maker, seed uint64) (members.Counts, error) {
	c := model.Config{
		N: 2, Clients: 3, Capacity: 2, Partitions: 3, MaxOp: model.OpMax, MaxRestart: 2,
		Logouts: true,
	}
	random := rand.New(rand.NewPCG(seed, 18)) //nolint:forbidigo // The seeded source of this walk.
	path := explore.Walk(model.Model(c), random, 30, func(a model.Action) int {
		switch {
		case a.Kind == model.Execute:
			return 12
		case a.Kind == model.CommitMessage && a.Message.Kind == model.JoinKind:
			return 8
		}
		return 2
	})
	group := members.NewGroup(c, maker)
	err := group.Follow(path)
	return group.Counts, err
}

func TestTheCatalogueFollowsRandomWalks(t *testing.T) {
	t.Parallel()
	const walks = 300
	var sum members.Counts
	for seed := range uint64(walks) {
		counts, err := follow(members.Production, seed)
		require.NoError(t, err, "seed %d", seed)
		sum.Add(counts)
	}
	t.Logf("%+v", sum)
	assert.Greater(t, sum.Executed, walks)
	assert.Greater(t, sum.Members, walks)
	assert.Greater(t, sum.Restored, walks/4)
	assert.Greater(t, sum.Checksums, walks)
}

// deaf is a catalogue that is not told of the ends of sessions: eviction_keeps_member and
// logout_keeps_member.
type deaf struct {
	statemachine.Machine
	statemachine.Snapshotter
}

func TestWalksNoticeACatalogueThatKeepsMembersWithoutSessions(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(100) {
		_, err := follow(func(m *metadata.Machine) statemachine.Machine { return deaf{m, m} }, seed)
		if err != nil {
			var mismatch *members.Mismatch
			require.ErrorAs(t, err, &mismatch)
			found++
		}
	}
	assert.Positive(t, found)
}
