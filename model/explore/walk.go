package explore

import "cmp"

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

// boldness is how many of ten steps of [WalkTowards] go nearer, if they can.
const boldness = 8

// WalkTowards follows steps, mostly to states that are nearer to a goal, until it is there
// or has taken so many steps; it reports whether it is there. The distance of a state is 0
// at the goal and greater elsewhere; it may mislead, since states that the walk has been in
// less often come first, and some steps are drawn from all. The same source gives the same
// walk.
//
// It keeps the states of its path only: it serves models that are too large for [Check]
// and [ShortestTo]. The path is seldom a shortest one.
func WalkTowards[S any, A Action](
	m Model[S, A], random Random, steps int, distance func(S) int,
) (path []Step[S, A], reached bool) {
	initial := m.Init()
	if len(initial) == 0 {
		return nil, false
	}
	path = []Step[S, A]{{State: initial[random.IntN(len(initial))]}}
	been := map[string]int{}
	var key []byte
	for range steps {
		from := path[len(path)-1].State
		if distance(from) == 0 {
			return path, true
		}
		key = m.Key(key[:0], from)
		been[string(key)]++
		var nearest, other draw[Step[S, A]]
		m.Next(from, func(a A, s S) {
			step := Step[S, A]{Action: a, State: s}
			other.offer(random, step, 0, 0)
			key = m.Key(key[:0], s)
			nearest.offer(random, step, been[string(key)], distance(s))
		})
		switch {
		case other.count == 0:
			return path, false
		case random.IntN(10) < boldness:
			path = append(path, nearest.chosen)
		default:
			path = append(path, other.chosen)
		}
	}
	return path, distance(path[len(path)-1].State) == 0
}

// draw keeps one of the best offers, each with the same probability: those of the states
// that the walk has been in least often, and of these the nearest.
type draw[T any] struct {
	chosen      T
	been, least int // Of the best offers.
	count       int // Of the best offers.
}

func (d *draw[T]) offer(random Random, value T, been, distance int) {
	order := cmp.Or(cmp.Compare(been, d.been), cmp.Compare(distance, d.least))
	switch {
	case d.count > 0 && order > 0:
		return
	case d.count == 0 || order < 0:
		d.been, d.least, d.count = been, distance, 0
	}
	if d.count++; random.IntN(d.count) == 0 {
		d.chosen = value
	}
}
