package sessions

import (
	"math/rand/v2"

	"github.com/viewstamp/viewstamp/model/explore"
	model "github.com/viewstamp/viewstamp/model/sessions"
)

// Bound is a configuration of the model by name.
type Bound struct {
	Name   string
	Config model.Config
}

// Graphs are bounds whose every edge can be taken: those of the cfgs sessions-graph-*, by what
// is behind the last hyphen.
func Graphs() []Bound {
	return []Bound{
		{"misuse", model.Config{
			N: 2, Clients: 1, Capacity: 1, Ring: 1, Window: 1, Shape: model.Numbered,
			MaxOp: 3, MaxRegister: 1, MaxRequest: 2, Misuse: true,
		}},
		{"evict", model.Config{
			N: 1, Clients: 2, Capacity: 1, Ring: 1, Window: 1, Shape: model.Numbered,
			MaxOp: 3, MaxRegister: 2, MaxRequest: 1,
		}},
		{"resize", model.Config{
			N: 1, Clients: 2, Capacity: 2, Ring: 1, Window: 1, Shape: model.Numbered,
			MaxOp: 4, MaxRegister: 1, MaxRequest: 1, MaxCapacity: 1,
		}},
		{"ring", model.Config{
			N: 1, Clients: 1, Capacity: 1, Ring: 2, Window: 2, Shape: model.Numbered,
			MaxOp: 4, MaxRegister: 1, MaxRequest: 2, MaxRestart: 1,
		}},
		{"transfer", model.Config{
			N: 2, Clients: 2, Capacity: 2, Ring: 1, Window: 1, Shape: model.Numbered,
			MaxOp: 3, MaxRegister: 1, MaxRestart: 1, Logouts: true, Transfers: true,
		}},
		{"upstream", model.Config{
			N: 2, Clients: 1, Capacity: 1, Ring: 1, Window: 1, Shape: model.Upstream,
			MaxOp: 4, MaxRegister: 2, MaxRequest: 2,
		}},
	}
}

// Large are bounds for walks, beyond what can be searched.
func Large() []Bound {
	return []Bound{
		{"three clients in two slots", model.Config{
			N: 3, Clients: 3, Capacity: 2, MaxCapacity: 3, Ring: 2, Window: 2, Shape: model.Numbered,
			MaxOp: 6, MaxRegister: 2, MaxRequest: 2, MaxRestart: 3, Logouts: true, Transfers: true,
		}},
		{"four requests in a ring of three", model.Config{
			N: 2, Clients: 1, Capacity: 1, Ring: 3, Window: 3, Shape: model.Numbered,
			MaxOp: 6, MaxRegister: 3, MaxRequest: 4, MaxRestart: 2, Transfers: true,
		}},
		{"strangers and second processes", model.Config{
			N: 2, Clients: 2, Capacity: 1, Ring: 2, Window: 1, Shape: model.Numbered,
			MaxOp: 5, MaxRegister: 2, MaxRequest: 2, MaxRestart: 2, Misuse: true, Intruders: true,
		}},
		{"upstream's", model.Config{
			N: 2, Clients: 2, Capacity: 1, MaxCapacity: 2, Ring: 2, Window: 2, Shape: model.Upstream,
			MaxOp: 6, MaxRegister: 3, MaxRequest: 2, MaxRestart: 2, Logouts: true, Transfers: true,
		}},
	}
}

// walkSteps is the length of a walk.
const walkSteps = 60

// Walk is the random walk of a seed.
func Walk(c model.Config, seed uint64) Path {
	random := rand.New(rand.NewPCG(seed, 18)) //nolint:forbidigo // The seeded source of this walk.
	return explore.Walk(model.Model(c), random, walkSteps, weight)
}

// Path is a path of the model: an initial state and then a step at a time.
type Path = []explore.Step[model.State, model.Action]

// FollowWalk follows the random walk of a seed; every other one sends each table through its
// snapshot after every op.
//
// Errors: a [*Mismatch].
func FollowWalk(b Bound, maker Maker, seed uint64) (Counts, error) {
	group := NewGroup(b.Config, maker)
	group.RoundTrip = seed%2 == 1
	err := group.Follow(Walk(b.Config, seed))
	return group.Counts, err
}

// Add adds what another group has counted.
func (c *Counts) Add(more Counts) {
	c.Steps += more.Steps
	c.Executed += more.Executed
	c.Restored += more.Restored
	c.Answers += more.Answers
	c.Rows += more.Rows
	c.Snapshots += more.Snapshots
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
