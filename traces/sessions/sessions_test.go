package sessions_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/sessions"
	"github.com/viewstamp/viewstamp/traces/sessions"
)

type path = []explore.Step[model.State, model.Action]

func add(sum *sessions.Counts, c sessions.Counts) {
	sum.Steps += c.Steps
	sum.Executed += c.Executed
	sum.Restored += c.Restored
	sum.Answers += c.Answers
	sum.Rows += c.Rows
	sum.Snapshots += c.Snapshots
}

func TestTheTableFollowsEveryEdgeOfSmallGraphs(t *testing.T) {
	t.Parallel()
	for name, c := range graphs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sum sessions.Counts
			paths := 0
			err := explore.EachCover(context.Background(), model.Model(c), 20_000,
				func(p path) error {
					group := sessions.NewGroup(c, sessions.Production())
					group.RoundTrip = paths%2 == 1
					paths++
					err := group.Follow(p)
					add(&sum, group.Counts)
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

// weight makes walks spend their steps on what the table has to do with.
func weight(a model.Action) int {
	switch a.Kind {
	case model.Execute, model.SendRequest, model.TakeSession:
		return 8
	case model.CommitMessage:
		if a.Message.Kind == model.RequestKind {
			return 6
		}
		return 2
	case model.Register, model.CheckpointTable, model.InstallTable:
		return 3
	case model.ForeignRequest, model.IntruderRegister, model.Logout, model.RestartReplica,
		model.ProposeCapacity, model.LearnTaken, model.TakeAnswer, model.LearnOver:
	}
	return 1
}

// walk is a random walk of the model; the same seed is the same walk.
func walk(c model.Config, seed uint64, steps int) path {
	random := rand.New(rand.NewPCG(seed, 18)) //nolint:forbidigo // The seeded source of this walk.
	return explore.Walk(model.Model(c), random, steps, weight)
}

func TestTheTableFollowsRandomWalks(t *testing.T) {
	t.Parallel()
	const walks, steps = 300, 60
	for name, c := range large {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sum sessions.Counts
			for seed := range uint64(walks) {
				group := sessions.NewGroup(c, sessions.Production())
				group.RoundTrip = seed%2 == 1
				require.NoError(t, group.Follow(walk(c, seed, steps)), "seed %d", seed)
				add(&sum, group.Counts)
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
	const walks, steps = 400, 60
	for _, bug := range model.Bugs() {
		t.Run(string(bug), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(walks) {
				for _, c := range large {
					c.Bugs = []model.Bug{bug}
					err := sessions.NewGroup(c, sessions.Production()).Follow(walk(c, seed, steps))
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
