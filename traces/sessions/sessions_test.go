package sessions_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/sessions"
	"github.com/viewstamp/viewstamp/traces/sessions"
)

func TestTheTableFollowsEveryEdgeOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for _, b := range sessions.Graphs() {
		c := b.Config
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			var sum sessions.Counts
			paths := 0
			err := explore.EachCover(context.Background(), model.Model(c), 20_000,
				func(p sessions.Path) error {
					group := sessions.NewGroup(c, sessions.Production())
					group.RoundTrip = paths%2 == 1
					paths++
					err := group.Follow(p)
					sum.Add(group.Counts)
					return err
				})
			require.NoError(t, err)
			t.Logf("%d paths, %+v", paths, sum)
			assert.Positive(t, sum.Answers)
			assert.Positive(t, sum.Rows)
			assert.Positive(t, sum.Restored)
			assert.Equal(t, c.MaxRequest > 0, sum.Executed > 0)
			assert.Equal(t, c.N > 1, sum.Snapshots > 0)
		})
	}
}

func TestTheTableFollowsRandomWalks(t *testing.T) {
	t.Parallel()
	const walks = 300
	for _, b := range sessions.Large() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			var sum sessions.Counts
			for seed := range uint64(walks) {
				counts, err := sessions.FollowWalk(b, sessions.Production(), seed)
				require.NoError(t, err, "seed %d", seed)
				sum.Add(counts)
			}
			t.Logf("%+v", sum)
			assert.Greater(t, sum.Executed, walks/2)
			assert.Greater(t, sum.Restored, walks/2)
			assert.Greater(t, sum.Snapshots, walks)
		})
	}
}

// ofClients are the mutants whose defect is a client's: what such a client sends is legal, so
// the table answers it as it answers anybody.
var ofClients = map[model.Bug]bool{
	model.GoneIsSuccess: true, model.WindowCountsOpen: true, model.OverIsRefusal: true,
	model.BirthIgnored: true, model.ReplyWithoutChecksum: true, model.ReplyMatchedByNumber: true,
	model.ClientSkipsNumber: true, model.NumbersStartAgain: true,
}

// A defect of the model's table is told apart from the production table, and a defect of its
// clients is not: the comparison sees the table, and all of it.
func TestEveryMutantOfTheTableIsToldApart(t *testing.T) {
	t.Parallel()
	const walks = 400
	for _, bug := range model.Bugs() {
		t.Run(string(bug), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(walks) {
				for _, b := range sessions.Large() {
					c := b.Config
					c.Bugs = []model.Bug{bug}
					err := sessions.NewGroup(c, sessions.Production()).Follow(sessions.Walk(c, seed))
					if ofClients[bug] {
						require.NoError(t, err)
						continue
					}
					if err != nil {
						t.Log(err)
						return
					}
				}
				if ofClients[bug] && seed == walks/20 {
					return
				}
			}
			assert.Fail(t, "the mutant was followed")
		})
	}
}
