package explore

// Random is the source that [Walk] draws from; *math/rand/v2.Rand is one.
type Random interface {
	// IntN returns a number in [0,n), n > 0.
	IntN(n int) int
}

// Walk follows random steps from a random initial state, at most steps of them,
// and returns the path: its length is the number of steps taken plus one. The same
// source gives the same walk. It ends early in a state that has no step of
// positive weight. A nil weight counts every step alike.
func Walk[S any, A Action](
	m Model[S, A], random Random, steps int, weight func(A) int,
) []Step[S, A] {
	initial := m.Init()
	if len(initial) == 0 {
		return nil
	}
	path := []Step[S, A]{{State: initial[random.IntN(len(initial))]}}
	for range steps {
		var chosen Step[S, A]
		total := 0
		m.Next(path[len(path)-1].State, func(a A, s S) {
			w := 1
			if weight != nil {
				w = weight(a)
			}
			if w <= 0 {
				return
			}
			// Each step replaces the choice with probability w/total, so in the end each one
			// was kept with probability w/total of all: one pass, no list of successors.
			if total += w; random.IntN(total) < w {
				chosen = Step[S, A]{Action: a, State: s}
			}
		})
		if total == 0 {
			break
		}
		path = append(path, chosen)
	}
	return path
}
