package explore

import (
	"context"
	"fmt"
	"runtime"
	"sync"
)

// GraphOf returns the whole labelled state graph of m, which needs a Canonical
// function. More than limit states are an error ([ErrTooLarge]); 0 means no limit.
// For a graph that keeps texts see [AddModel].
func GraphOf[S any, A Action](ctx context.Context, m Model[S, A], limit int) (*Graph, error) {
	g := NewGraph()
	if err := AddModel(ctx, g, m, limit); err != nil {
		return nil, err
	}
	return g, nil
}

// AddModel adds the whole labelled state graph of m to g. After an error, g is as
// it was.
//
// Two states of different key and equal canonical text are an error: one of the
// two functions is wrong, and the graph would hide it.
func AddModel[S any, A Action](
	ctx context.Context, g *Graph, m Model[S, A], limit int,
) error {
	if m.Canonical == nil {
		return fmt.Errorf("graph of model %q: Canonical is nil, expected a function that "+
			"writes a state's text", m.Name)
	}
	states, err := enumerate(ctx, m, limit)
	if err != nil {
		return fmt.Errorf("graph of model %q: %w", m.Name, err)
	}
	ids, texts := states.canonical(m, g.texts != nil)
	keyOf := make(map[StateID]int, len(ids))
	for i, id := range ids {
		if j, ok := keyOf[id]; ok {
			return fmt.Errorf("graph of model %q: states %d and %d (breadth first, from 0) have "+
				"different keys and the same canonical text: %s",
				m.Name, j, i, m.Canonical(nil, states.states[i]))
		}
		keyOf[id] = i
	}
	for i, id := range ids {
		g.addState(id, i < states.initial)
		if texts != nil {
			g.texts[id] = texts[i]
		}
	}
	labels := map[A]string{}
	for i, from := range ids {
		for e := states.first[i]; e < states.first[i+1]; e++ {
			edge := states.edges[e]
			label, ok := labels[edge.action]
			if !ok {
				label = edge.action.String()
				labels[edge.action] = label
			}
			g.AddEdge(from, ids[edge.to], label)
		}
	}
	return nil
}

// canonical computes the ids of all states, and their texts if asked, on all cores.
func (g *enumeration[S, A]) canonical(m Model[S, A], keep bool) (ids []StateID, texts []string) {
	ids = make([]StateID, len(g.states))
	if keep {
		texts = make([]string, len(g.states))
	}
	workers := min(runtime.GOMAXPROCS(0), len(ids))
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			var text []byte
			for i := w; i < len(ids); i += workers {
				text = m.Canonical(text[:0], g.states[i])
				ids[i] = stateID(text)
				if keep {
					texts[i] = string(text)
				}
			}
		})
	}
	group.Wait()
	return ids, texts
}
