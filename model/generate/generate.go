package generate

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

// Path is a path of the model: an initial state and then a step at a time.
type Path = []explore.Step[vsr.State, vsr.Action]

// Options go into the header of each trace, or bound the work.
type Options struct {
	// Spec is the sha256, in hex, of the module files that the model follows.
	Spec string
	// Commit is the revision of the generating program; may be empty.
	Commit string
	// Limit bounds the states of a graph that Edges covers; 0 means no bound.
	Limit int
	// Coverage, unless nil, counts every path that becomes a trace.
	Coverage *Coverage
}

// Edges returns traces that together take every edge of the labelled state graph at
// the given constants, one trace per path. It holds the whole cover in memory: for a
// graph of more than some ten thousand states use [EachEdges].
//
// Errors: the constants are not valid or not bounded; the graph has more than
// Options.Limit states; the context ended.
func Edges(ctx context.Context, c vsr.Config, o Options) ([]*traces.Trace, error) {
	var all []*traces.Trace
	err := EachEdges(ctx, c, o, func(t *traces.Trace) error {
		all = append(all, t)
		return nil
	})
	return all, err
}

// EachEdges hands the traces of [Edges] to visit, one after the other. An error of
// visit ends it and is returned as it is. Other errors are those of [Edges].
func EachEdges(
	ctx context.Context, c vsr.Config, o Options, visit func(*traces.Trace) error,
) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("cover edges: %w", err)
	}
	if !c.Bounded() {
		return fmt.Errorf("cover edges of %v: expected bounds: its graph has no end", c)
	}
	return explore.EachCover(ctx, vsr.Model(c), o.Limit, func(path Path) error {
		if len(path) < 2 {
			return nil // A state without any edge: nothing happens in it.
		}
		return visit(traceOf(c, o, path))
	})
}

// Walks returns random walks of at most the given number of steps each. Walk i has the
// seed seed+i, which is in its header and gives the same walk again. A walk ends early
// only where no step is left within the bounds.
//
// Errors: the constants are not valid; count or steps is negative.
func Walks(c vsr.Config, seed uint64, count, steps int, o Options) ([]*traces.Trace, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("walk: %w", err)
	}
	if count < 0 || steps < 0 {
		return nil, fmt.Errorf("walk: %d walks of %d steps, expected none below 0", count, steps)
	}
	model := vsr.Model(c)
	walks := make([]*traces.Trace, count)
	for i := range walks {
		walkSeed := seed + uint64(i)
		walks[i] = traceOf(c, o, explore.Walk(model, newRandom(walkSeed), steps, weight))
		walks[i].Header.Seed = walkSeed
	}
	return walks, nil
}

// newRandom returns the source of one walk.
func newRandom(seed uint64) *rand.Rand {
	//nolint:forbidigo // The one constructor of this package: seeded by the caller.
	return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
}

// weight makes a walk see more of the protocol than chance would: what interrupts the
// others is damped, and what needs several others to have happened before is raised.
func weight(a vsr.Action) int {
	switch a.Kind {
	case vsr.ActionStartViewChange, vsr.ActionRestart:
		return 1
	case vsr.ActionClientRequest, vsr.ActionReceivePrepare, vsr.ActionPrimaryCommit,
		vsr.ActionReceiveCommit, vsr.ActionWalkExecute, vsr.ActionStallTruncate,
		vsr.ActionReceiveStartViewChange, vsr.ActionAnswerProbe:
		return 4
	case vsr.ActionPipelineExecute, vsr.ActionRepairPrepare, vsr.ActionSendDoViewChange,
		vsr.ActionMergeVotes, vsr.ActionBecomePrimary, vsr.ActionReceiveStartView,
		vsr.ActionRecover:
		return 12
	}
	return 1
}

// traceOf writes a path as a trace.
func traceOf(c vsr.Config, o Options, path Path) *traces.Trace {
	if o.Coverage != nil {
		o.Coverage.add(c, path)
	}
	t := &traces.Trace{Header: headerOf(c, o)}
	for i := 1; i < len(path); i++ {
		before, step := &path[i-1].State, &path[i]
		t.Events = append(t.Events, eventOf(i, before, step.Action, &step.State))
	}
	return t
}

func headerOf(c vsr.Config, o Options) traces.Header {
	quorums := c.Quorums()
	return traces.Header{
		Format: traces.Format, Version: traces.Version, Source: traces.SourceModel,
		Replicas: c.N,
		Quorum: traces.Quorum{
			Replication: quorums.Replication, ViewChange: quorums.ViewChange, Nack: quorums.Nack,
		},
		Spec: o.Spec, Commit: o.Commit, CommitDrivers: c.Drivers.String(),
		Groups: []traces.Group{{ID: groupID, Plane: "metadata", Durability: "persisted"}},
	}
}
