package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/viewstamp/viewstamp/model/explore"
	"github.com/viewstamp/viewstamp/model/tlc"
	"github.com/viewstamp/viewstamp/spec"
)

// wrapperStatesMax is the largest cfg, in distinct states, at which TLC compares the
// steps of wrapper and module, which costs it several times the graph. The list of
// steps is generated the same way above it.
const wrapperStatesMax = 10_000

// GraphOutcome compares the labelled state graph that TLC wrote for a cfg with that
// of the Go model.
type GraphOutcome struct {
	Outcome
	// Equal says that both have the same states, initial states and labelled edges.
	Equal bool
	// Go and TLC identify the two graphs.
	Go, TLC spec.GoldenGraph
}

// Graphs has TLC write the labelled state graph of cfg and compares it with the Go
// model's. TLC explores a wrapper of the module; up to a size it first shows that the
// steps of the wrapper are those of the module's Next. Options.Bug switches a mutant
// on in the Go model only: a comparison that must fail wherever the mutant shows.
//
// The outcome has Passed if the graphs are equal, and as large as the manifest says;
// Failed with the first difference in Detail if not; Skipped for nil tools; Undecided
// where the context ends. Errors are those of [TLC].
func Graphs(
	ctx context.Context, tools *tlc.Tools, cfg spec.Cfg, o Options,
) (GraphOutcome, error) {
	bugs, err := o.bugs(cfg)
	if err != nil {
		return GraphOutcome{}, err
	}
	outcome := GraphOutcome{Outcome: Outcome{
		Name: "graph/" + cfg.Name, Engine: EngineTLC, Figures: map[string]float64{},
		Reproduce: reproduce(cfg, "both", o.Bug),
	}}
	if tools == nil {
		outcome.skip(o)
		return outcome, nil
	}
	byTLC, err := graphByTLC(ctx, tools, cfg, o.Workers)
	var byGo *explore.Graph
	if err == nil {
		byGo, err = graphByGo(ctx, cfg, bugs, true)
	}
	if ctx.Err() != nil {
		outcome.interrupt(ctx)
		return outcome, nil
	}
	if err != nil {
		return GraphOutcome{}, fmt.Errorf("compare graphs of cfg %s: %w", cfg.Name, err)
	}
	outcome.compare(byGo, byTLC)
	if outcome.Equal && outcome.Go.States != cfg.Distinct && o.Bug == "" {
		outcome.Status = Failed
		outcome.Reason = fmt.Sprintf("%d distinct states in both graphs, the manifest says %d",
			outcome.Go.States, cfg.Distinct)
	}
	return outcome, nil
}

// compare fills in everything that the two graphs decide.
func (o *GraphOutcome) compare(byGo, byTLC *explore.Graph) {
	o.Go, o.TLC = identify(byGo), identify(byTLC)
	o.count(FigureDistinct, o.Go.States)
	o.count(FigureTransitions, o.Go.Edges)
	difference := explore.Compare(byGo, byTLC)
	o.Equal = difference == nil
	if o.Equal {
		o.Status = Passed
		return
	}
	o.Status = Failed
	o.Reason = "the state graphs differ: " + graphDifference(o.Go, o.TLC, "TLC")
	o.Detail = "A is the Go model, B is TLC.\n" + difference.String()
}

// graphByTLC returns TLC's graph, after TLC has compared wrapper and module where
// that is affordable.
func graphByTLC(
	ctx context.Context, tools *tlc.Tools, cfg spec.Cfg, workers int,
) (*explore.Graph, error) {
	s, err := newSubject(cfg, cfg.Bugs())
	if err != nil {
		return nil, err
	}
	job, err := newJob(cfg, cfg.Bugs())
	if err != nil {
		return nil, err
	}
	job.Workers, job.KeepText = workers, true
	if cfg.Distinct <= wrapperStatesMax {
		if err := tools.CheckWrapper(ctx, job, s.calls()); err != nil {
			return nil, err
		}
	}
	graph, _, err := tools.Graph(ctx, job, s.calls())
	return graph, err
}

// graphByGo returns the Go model's graph, with the states' texts if asked.
func graphByGo(
	ctx context.Context, cfg spec.Cfg, bugs []string, keepText bool,
) (*explore.Graph, error) {
	s, err := newSubject(cfg, bugs)
	if err != nil {
		return nil, err
	}
	graph := explore.NewGraph()
	if keepText {
		graph.KeepText()
	}
	if err := s.addGraph(ctx, graph); err != nil {
		return nil, err
	}
	return graph, nil
}

// identify sums up a graph.
func identify(g *explore.Graph) spec.GoldenGraph {
	states, edges, perAction := g.Counts()
	return spec.GoldenGraph{
		States: states, Edges: edges, PerAction: perAction, Digest: g.Digest(),
	}
}

// graphDifference says in one line how two graphs of different digest differ in
// their counts.
func graphDifference(a, b spec.GoldenGraph, nameB string) string {
	const nameA = "Go"
	var parts []string
	differ := func(what string, countA, countB int) {
		if countA != countB {
			parts = append(parts, fmt.Sprintf("%s: %s %d, %s %d",
				what, nameA, countA, nameB, countB))
		}
	}
	differ("states", a.States, b.States)
	differ("edges", a.Edges, b.Edges)
	actions := map[string]bool{}
	for _, counts := range []map[string]int{a.PerAction, b.PerAction} {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			actions[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(actions)) {
		differ(name, a.PerAction[name], b.PerAction[name])
	}
	if len(parts) == 0 {
		return "all counts are equal, the digests are not"
	}
	return strings.Join(parts, "; ")
}
