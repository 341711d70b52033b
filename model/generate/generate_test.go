package generate

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/vsr"
	"github.com/viewstamp/viewstamp/traces"
)

func bound(maxRequest, maxView, maxCrash int, drivers vsr.Drivers) vsr.Config {
	return vsr.Config{
		N: 3, MaxRequest: maxRequest, MaxView: maxView, MaxCrash: maxCrash, Drivers: drivers,
	}
}

func of(replicas int, c vsr.Config) vsr.Config {
	c.N = replicas
	return c
}

var options = Options{Spec: "abc", Commit: "def"}

// edge is a labelled edge of the state graph, by keys of its states.
type edge struct{ from, label, to string }

// edgesOf enumerates the graph without package explore.
func edgesOf(c vsr.Config) map[edge]bool {
	key := vsr.Model(c).Key
	edges := map[edge]bool{}
	states := []vsr.State{vsr.Init(c)}
	seen := map[string]bool{string(key(nil, states[0])): true}
	for i := 0; i < len(states); i++ {
		from := string(key(nil, states[i]))
		vsr.Next(&c, &states[i], func(a vsr.Action, s vsr.State) {
			to := string(key(nil, s))
			edges[edge{from, a.String(), to}] = true
			if !seen[to] {
				seen[to] = true
				states = append(states, s)
			}
		})
	}
	return edges
}

// follow finds, for each event, the model's steps that it can stand for, and returns
// every edge that a trace takes for certain: those where only one is left.
func follow(t *testing.T, c vsr.Config, trace *traces.Trace) []edge {
	t.Helper()
	key := vsr.Model(c).Key
	s := vsr.Init(c)
	var edges []edge
	for i, event := range trace.Events {
		kind, err := vsr.ParseActionKind(event.Action)
		require.NoError(t, err)
		next := map[string]vsr.State{}
		label := ""
		vsr.Step(c, s, kind, event.Replica, func(a vsr.Action, after vsr.State) {
			if sameEvent(eventOf(i+1, &s, a, &after), event) {
				next[string(key(nil, after))] = after
				label = a.String()
			}
		})
		require.Len(t, next, 1, "step %d, %s: an event leaves no choice", i+1, event.Action)
		for to, after := range next {
			edges = append(edges, edge{string(key(nil, s)), label, to})
			s = after
		}
	}
	return edges
}

func TestEdgesTakeEveryEdge(t *testing.T) {
	t.Parallel()
	for _, c := range []vsr.Config{
		bound(1, 1, 0, vsr.Walk), bound(1, 1, 0, vsr.WalkAndPipeline), bound(1, 0, 1, vsr.Walk),
		of(1, bound(2, 2, 2, vsr.Walk)), of(2, bound(1, 1, 1, vsr.Walk)),
	} {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			all, err := Edges(context.Background(), c, options)
			require.NoError(t, err)
			missing := edgesOf(c)
			require.Greater(t, len(missing), 500)
			for _, trace := range all {
				for _, e := range follow(t, c, trace) {
					delete(missing, e)
				}
			}
			assert.Empty(t, missing, "edges that no trace takes")
		})
	}
}

func TestHeaderAndFormat(t *testing.T) {
	t.Parallel()
	c := bound(1, 1, 1, vsr.WalkAndPipeline)
	walks, err := Walks(c, 5, 3, 40, options)
	require.NoError(t, err)
	require.Len(t, walks, 3)
	assert.Equal(t, traces.Header{
		Format: "viewstamp.trace", Version: 1, Source: "model", Replicas: 3,
		Quorum: traces.Quorum{Replication: 2, ViewChange: 2, Nack: 2},
		Seed:   7, Spec: "abc", Commit: "def", CommitDrivers: "walk_and_pipeline",
		Groups: []traces.Group{{ID: "0", Plane: "metadata", Durability: "persisted"}},
	}, walks[2].Header)

	for _, walk := range walks { // The format accepts it and returns it unchanged.
		var text bytes.Buffer
		writer, err := traces.NewWriter(&text, walk.Header)
		require.NoError(t, err)
		for _, event := range walk.Events {
			require.NoError(t, writer.Write(event))
		}
		require.NoError(t, writer.Close())
		reader, err := traces.NewReader(&text, "walk")
		require.NoError(t, err)
		assert.Equal(t, walk.Header, reader.Header())
		for _, want := range walk.Events {
			got, err := reader.Next()
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	}
}

func TestEventsCarryTheProjection(t *testing.T) {
	t.Parallel()
	c := bound(3, 3, 3, vsr.Walk)
	path := explore.Walk(vsr.Model(c), newRandom(11), 200, weight)
	trace := traceOf(c, options, path)
	require.Len(t, trace.Events, len(path)-1)
	for i, event := range trace.Events {
		step := path[i+1]
		assert.Equal(t, i+1, event.Step)
		assert.Equal(t, step.Action.Name(), event.Action)
		assert.Equal(t, step.Action.Replica, event.Replica)
		assert.Equal(t, vsr.Project(step.State, event.Replica), event.After)
	}
}

func TestWalksAreReproducible(t *testing.T) {
	t.Parallel()
	c := bound(3, 3, 3, vsr.Walk)
	first, err := Walks(c, 40, 5, 60, options)
	require.NoError(t, err)
	again, err := Walks(c, 40, 5, 60, options)
	require.NoError(t, err)
	assert.Equal(t, first, again)

	third, err := Walks(c, first[2].Header.Seed, 1, 60, options)
	require.NoError(t, err)
	assert.Equal(t, first[2], third[0], "the header's seed gives the walk again")
	assert.NotEqual(t, first[0].Events, first[1].Events)
}

// Chance alone takes the rare actions a few times in a thousand walks.
func TestWalksTakeEveryActionOften(t *testing.T) {
	t.Parallel()
	for _, drivers := range []vsr.Drivers{vsr.Walk, vsr.WalkAndPipeline} {
		c := bound(3, 3, 3, drivers)
		walks, err := Walks(c, 1, 300, 80, options)
		require.NoError(t, err)
		taken := map[string]int{}
		for _, walk := range walks {
			for _, event := range walk.Events {
				taken[event.Action]++
			}
		}
		for _, kind := range vsr.LiveActions(c) {
			assert.Greater(t, taken[kind.String()], 20, kind.String())
		}
		assert.Zero(t, taken[traces.ActionStallTruncate])
	}
}

func TestWalksOfAnUnboundedModel(t *testing.T) {
	t.Parallel()
	c := bound(vsr.Unbounded, vsr.Unbounded, vsr.Unbounded, vsr.Walk)
	walks, err := Walks(c, 3, 2, 500, options)
	require.NoError(t, err)
	for _, walk := range walks {
		assert.Len(t, walk.Events, 500)
	}
}

func TestWhatCannotBeGenerated(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	good := bound(1, 1, 0, vsr.Walk)
	_, err := Edges(ctx, vsr.Config{N: 3, MaxRequest: 1}, options)
	assert.EqualError(t, err,
		"cover edges: Drivers is Drivers(0), expected walk or walk_and_pipeline")
	_, err = Edges(ctx, bound(1, vsr.Unbounded, 0, vsr.Walk), options)
	assert.EqualError(t, err,
		"cover edges of vsr (1,unbounded,0) walk: expected bounds: its graph has no end")
	_, err = Edges(ctx, good, Options{Limit: 100})
	assert.ErrorIs(t, err, explore.ErrTooLarge)
	_, err = Walks(vsr.Config{N: 3}, 1, 1, 1, options)
	assert.ErrorContains(t, err, "walk: Drivers is Drivers(0)")
	_, err = Walks(good, 1, -1, 1, options)
	assert.EqualError(t, err, "walk: -1 walks of 1 steps, expected none below 0")
	_, err = Counterexample(good, nil, options)
	assert.EqualError(t, err, "write counterexample of vsr (1,1,0) walk: 0 bugs, expected one")
	good.Bugs = vsr.MutantSet(vsr.NoNonce)
	_, err = Counterexample(good, nil, options)
	assert.EqualError(t, err, "write counterexample: expected a violation with a step")
	good.Drivers = 9
	_, err = Counterexample(good, nil, options)
	assert.ErrorContains(t, err, "write counterexample: Drivers is Drivers(9)")
}

func TestAnErrorOfTheVisitorEndsTheCover(t *testing.T) {
	t.Parallel()
	visits := 0
	err := EachEdges(context.Background(), bound(1, 1, 0, vsr.Walk), options,
		func(*traces.Trace) error {
			visits++
			return assert.AnError
		})
	require.ErrorIs(t, err, assert.AnError)
	assert.Equal(t, 1, visits)
}
