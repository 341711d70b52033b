package linearizability

import (
	"cmp"
	"slices"
	"sort"
)

// Cuts take away the end or the beginning of a history at once, however much one
// operation there sees of another. Like all that the shrinker does they keep the
// meaning: an order of the history gives one of what is left of it.
//
// That is so whatever else was there, so a cut may also leave any operation that it
// could take away. It leaves the changes that explain answers (origins): a read of
// a value that was overwritten should not look like a read of one that nobody wrote.

// endsAt returns the history up to the moment t: what was called by then, without
// the answers that came later. No successful compare and set may run at t.
//
// In an order of the whole, everything behind the first operation called after t
// takes effect after t. What of the cut stands there is still running at t, so it is
// an open operation or a plain change, both possible in whatever state.
func (s *shrinker) endsAt(operations []*Operation, t int64) []*Operation {
	cut := func(o *Operation) bool {
		_, mutates := o.written()
		return o.Call <= t && (mutates || o.end() <= t)
	}
	kept := filter(operations, cut)
	// Who wrote what was shown before t is usually before t, too.
	later := filter(operations, func(o *Operation) bool { return o.Call > t })
	origins := s.origins(kept, later, func(*Operation) bool { return true })
	return filter(operations, func(o *Operation) bool { return cut(o) || origins[o] })
}

// endsOpenAt is endsAt for the models with shapes, whose answered changes are not possible in
// whatever state: those that were still running at t are open.
//
// In an order of the whole, what was answered by t comes before the first operation called after
// t. What of the cut stands behind that one is open, and need not have happened.
func endsOpenAt(operations []*Operation, t int64) []*Operation {
	var kept []*Operation
	for _, o := range operations {
		_, mutates := o.written()
		switch {
		case o.Call > t, o.end() > t && !mutates:
		case o.end() <= t || o.Open:
			kept = append(kept, o)
		default:
			open := *o
			open.Open, open.Return, open.Output = true, 0, Output{}
			kept = append(kept, &open)
		}
	}
	return kept
}

// beginsWith returns the history from an answered write or put w on: without the
// answered operations that returned before w was called, and without the answers of
// those that overlap w. No successful compare and set may overlap w.
//
// In an order of the whole, what is taken away from before w comes before w. Of
// what is left, only open operations and plain changes can come before w, which are
// possible in whatever state; and w sets the object whatever it held.
func (s *shrinker) beginsWith(operations []*Operation, w *Operation) []*Operation {
	cut := func(o *Operation) bool {
		_, mutates := o.written()
		return o.Open || o.Call > w.Return || o.Return >= w.Call && mutates
	}
	kept := filter(operations, cut)
	earlier := filter(operations, func(o *Operation) bool { return o.end() < w.Call })
	slices.Reverse(earlier)
	// An open operation may have written what was shown, but whoever did so for
	// certain explains more.
	origins := s.origins(kept, earlier, func(o *Operation) bool { return !o.Open })
	return filter(operations, func(o *Operation) bool { return cut(o) || origins[o] })
}

// origins chooses from the others, nearest first, changes that explain what the
// kept operations show, as far as no counting kept operation wrote it.
func (s *shrinker) origins(
	kept, others []*Operation, counts func(*Operation) bool,
) map[*Operation]bool {
	var shown []Value
	want := func(o *Operation) {
		switch {
		case o.Kind == CAS && o.constrains() && o.Output.OK:
			shown = append(shown, o.Input.From)
		case o.Kind != CAS && o.constrains():
			shown = append(shown, o.Output.Value)
		}
	}
	for _, o := range kept {
		want(o)
	}
	explain := func(o *Operation) bool {
		v, mutates := o.written()
		matches := func(answer Value) bool { return s.spec.explains(answer, v) }
		if !mutates || !slices.ContainsFunc(shown, matches) {
			return false
		}
		if s.spec.once {
			shown = slices.DeleteFunc(shown, matches)
		}
		return true
	}
	for _, o := range kept {
		if counts(o) {
			explain(o)
		}
	}
	chosen := make(map[*Operation]bool)
	for _, o := range others {
		if explain(o) {
			chosen[o] = true
			want(o)
		}
	}
	return chosen
}

// cut takes away as much of the end, and then of the beginning, as it can.
func (s *shrinker) cut(operations []*Operation) []*Operation {
	times := cutTimes(operations)
	if s.spec.shapes != nil { // A beginning there explains too much of what follows.
		return s.longest(operations, len(times), func(i int) []*Operation {
			return endsOpenAt(operations, times[i])
		})
	}
	operations = s.longest(operations, len(times), func(i int) []*Operation {
		return s.endsAt(operations, times[i])
	})
	writes := cutWrites(operations)
	return s.longest(operations, len(writes), func(i int) []*Operation {
		return s.beginsWith(operations, writes[i])
	})
}

// cutTimes returns when the answers that say something came, in order, where the
// history can be cut.
func cutTimes(operations []*Operation) []int64 {
	running := swapsOf(operations)
	var times []int64
	for _, o := range operations {
		if o.constrains() && !running.any(o.Return+1, o.Return) {
			times = append(times, o.Return)
		}
	}
	slices.Sort(times)
	return slices.Compact(times)
}

// cutWrites returns the writes and puts with which a history can begin, the last
// first.
func cutWrites(operations []*Operation) []*Operation {
	running := swapsOf(operations)
	writes := filter(operations, func(o *Operation) bool {
		plain := o.Kind == Write || o.Kind == Put
		return plain && !o.Open && !running.any(o.Call, o.Return)
	})
	slices.Reverse(writes)
	return writes
}

// swaps are the successful compare and sets of a history, by call.
type swaps struct {
	calls []int64
	// returns has, for each of them, the last return up to there.
	returns []int64
}

func swapsOf(operations []*Operation) swaps {
	found := filter(operations, func(o *Operation) bool {
		return o.Kind == CAS && !o.Open && o.Output.OK
	})
	slices.SortStableFunc(found, func(a, b *Operation) int { return cmp.Compare(a.Call, b.Call) })
	var s swaps
	for i, o := range found {
		s.calls = append(s.calls, o.Call)
		s.returns = append(s.returns, o.Return)
		if i > 0 {
			s.returns[i] = max(s.returns[i], s.returns[i-1])
		}
	}
	return s
}

// any says whether one of them is called by the moment to and returns at the moment
// from or later.
func (s swaps) any(from, to int64) bool {
	called := sort.Search(len(s.calls), func(i int) bool { return s.calls[i] > to })
	return called > 0 && s.returns[called-1] >= from
}

// longest looks for the first of n cuts, the one that takes away most first, that
// leaves a violation, and returns what it leaves; the uncut operations if it finds
// none. Longer cuts are, by and large, cuts of what shorter ones leave, so behind
// the first all others leave a violation too, and it need not look at all. It goes
// from small histories to large ones, since those are cheap.
func (s *shrinker) longest(
	uncut []*Operation, n int, cut func(i int) []*Operation,
) []*Operation {
	from, size := 0, 1
	for from < n && s.goesOn() {
		last := min(from+size, n) - 1
		if !s.violates(cut(last)) {
			from, size = last+1, 2*size
			continue
		}
		at := sort.Search(last-from, func(i int) bool { return s.violates(cut(from + i)) })
		return cut(from + at)
	}
	return uncut
}

const (
	// windowEnds is how many ends of windows are tried from each moment on,
	// windowWrites with how many writes at most before its end a window begins.
	windowEnds   = 8
	windowWrites = 64
)

// window looks for a short piece of history that is a violation, behind the moments
// at which a search got stuck (order.stuck). Most violations are local, and a window
// shows them with little effort where to search all of the history would take for
// ever.
func (s *shrinker) window(operations []*Operation, stuck []int64) ([]*Operation, bool) {
	times := cutTimes(operations)
	for _, moment := range stuck {
		from, _ := slices.BinarySearch(times, moment)
		for _, t := range times[from:min(from+windowEnds, len(times))] {
			ended := s.endsAt(operations, t)
			writes := cutWrites(ended)
			for back := 1; back <= min(windowWrites, len(writes)); back *= 2 {
				if cut := s.beginsWith(ended, writes[back-1]); s.violates(cut) {
					return cut, true
				}
			}
		}
	}
	return nil, false
}
