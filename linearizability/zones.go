package linearizability

import (
	"cmp"
	"math"
	"slices"
)

// zonesFrom is the number of operations from which a partition is first given to the
// checker of zones. Below it Porcupine is fast, and shows a whole order besides.
const zonesFrom = 512

// zone is the time for which a register has to hold one value: from the first return
// to the last call of the operations that write or show it (its cluster).
type zone struct {
	write       *Operation // Nil for the initial value.
	early, late *Operation // Who bounds it: the first return, the last call.
	first, last int64
	shown       bool // Some answer shows the value.
}

// zones decides a partition of a register in O(n log n), by the zones of Gibbons and
// Korach (Testing Shared Memories, SIAM J. Computing 26(4), 1997). It is exact where
// applies is true: there is no compare and set, and every value is written once and is
// not null. Where it is false, somebody else has to decide.
//
// The value of a forward zone (first < last) is held from one end to the other, so two
// of them share at most an end. All operations of a backward zone overlap, so it needs
// one moment outside of all forward ones. If both hold, the clusters in the order of
// the forward zones, with the backward ones in the gaps, explain all answers.
//
// Open reads and those of unknown outcome say nothing. An open write whose value
// nobody shows need not have happened.
//
// The witness is nil for a linearizable partition, else at most six operations that
// are a violation by themselves: with each read that it holds, it holds the write.
func zones(operations []*Operation) (witness []*Operation, violated, applies bool) {
	all, byValue, ok := writtenZones(operations)
	if !ok {
		return nil, false, false
	}
	for _, o := range operations {
		if o.Kind != Read || !o.constrains() {
			continue
		}
		at := 0
		if v := o.Output.Value; v.Present {
			found, known := byValue[v.Text]
			if !known {
				return []*Operation{o}, true, true
			}
			at = int(found)
		}
		z := &all[at]
		if z.write != nil && o.Return < z.write.Call {
			return []*Operation{z.write, o}, true, true
		}
		z.take(o)
	}
	witness, violated = compareZones(all)
	return witness, violated, true
}

// writtenZones returns one zone for the initial value and one for each write, and where
// they stand by value; false if a value does not tell its write.
func writtenZones(operations []*Operation) ([]zone, map[string]int32, bool) {
	all := make([]zone, 1, 1+len(operations)/2)
	all[0] = zone{first: math.MinInt64, last: math.MinInt64}
	byValue := make(map[string]int32, len(operations)/2)
	for _, o := range operations {
		switch {
		case o.Kind == Read:
			continue
		case o.Kind != Write || !o.Input.Value.Present:
			return nil, nil, false
		}
		if _, twice := byValue[o.Input.Value.Text]; twice {
			return nil, nil, false
		}
		byValue[o.Input.Value.Text] = int32(len(all))
		all = append(all, zone{write: o, early: o, late: o, first: o.end(), last: o.Call})
	}
	return all, byValue, true
}

// take adds an answer that shows the value.
func (z *zone) take(o *Operation) {
	z.shown = true
	if o.Return < z.first {
		z.first, z.early = o.Return, o
	}
	if o.Call > z.last {
		z.last, z.late = o.Call, o
	}
}

// compareZones looks for two zones that exclude each other.
func compareZones(all []zone) ([]*Operation, bool) {
	var forward, backward []*zone
	for i := range all {
		z := &all[i]
		switch {
		case z.first < z.last:
			forward = append(forward, z)
		case z.write != nil && (z.shown || !z.write.Open):
			backward = append(backward, z)
		}
	}
	slices.SortFunc(forward, func(a, b *zone) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(forward); i++ {
		if forward[i].first < forward[i-1].last {
			return membersOf(forward[i-1], forward[i]), true
		}
	}
	for _, z := range backward {
		at, _ := slices.BinarySearchFunc(forward, z.last, func(f *zone, t int64) int {
			return cmp.Compare(f.first, t)
		})
		if at > 0 && z.first < forward[at-1].last {
			return membersOf(forward[at-1], z), true
		}
	}
	return nil, false
}

// membersOf returns the operations that bound two zones, with the writes, by call.
func membersOf(a, b *zone) []*Operation {
	var members []*Operation
	for _, o := range []*Operation{a.write, a.early, a.late, b.write, b.early, b.late} {
		if o != nil && !slices.Contains(members, o) {
			members = append(members, o)
		}
	}
	slices.SortStableFunc(members, func(x, y *Operation) int { return compareOperations(*x, *y) })
	return members
}
