package partitionlog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// fault is a contradiction in words, and the offsets that it is about: from 0 on, to an offset
// below 0, if that cannot be said.
type fault struct {
	text     string
	from, to int64
}

func faultf(format string, args ...any) *fault {
	return &fault{text: fmt.Sprintf(format, args...), to: -1}
}

// about says which offsets the contradiction is about, both included.
func (f *fault) about(from, to int64) *fault {
	f.from, f.to = min(from, to), max(from, to)
	return f
}

// sweep decides a history whose appended values are unique, in three parts.
//
// Contents: offset and value tell each other, over all answers.
//
// Order: an append whose value was seen has its offset. The offsets below the highest
// that nobody saw were filled by open appends whose values nobody saw: earliest call
// first, for exchanging two of them never delays the earlier slot; as they have no end,
// the one that moves back is never too late. Those that are left over did not happen.
//
// Time: walk the offsets with the earliest moment at which the log can have the length.
// It is the maximum of the append's call, of the moment of the length before, of the
// calls of polls that saw exactly that length before, and of polls that saw nothing at
// this offset. Everybody who needs a length at latest at its return must not return
// before that moment. Moments that are the earliest for each length are so for all.
//
// A stale poll proves of the time only that what it saw was there when it returned. That
// it does not go back is checked before (goesBack).
type sweep struct {
	name    func(uint64) string
	offsets byValue[int64] // Of each value seen, and one more.
	at      []*Operation   // The append of each offset.
	exact   [][]*Operation // Polls by the length that they prove.
	empty   []int64        // By offset: last call of a poll that saw nothing there.
	full    []*Operation   // Polls that prove a length at least.
	free    []*Operation   // Open appends that nobody saw.
}

// unique says whether all appended values differ.
func unique(operations []*Operation) bool {
	seen := newByValue[bool](operations)
	for _, o := range operations {
		if o.Kind != Append {
			continue
		}
		if seen.get(o.Value) {
			return false
		}
		seen.put(o.Value, true)
	}
	return true
}

// decide returns what contradicts, or nil for a linearizable history.
func decide(operations []*Operation, name func(uint64) string) *fault {
	s := &sweep{offsets: newByValue[int64](operations), name: name}
	for _, part := range []func([]*Operation) *fault{
		bounds, goesBack, s.contents, s.order, s.time,
	} {
		if f := part(operations); f != nil {
			return f
		}
	}
	return nil
}

// contents fills offsets and at, as far as answers show them.
func (s *sweep) contents(operations []*Operation) *fault {
	appends, sent := newByValue[*Operation](operations), int64(0)
	size := int64(0)
	for _, o := range operations {
		switch {
		case o.Kind == Append:
			appends.put(o.Value, o)
			sent++
			if !o.Open {
				size = max(size, o.Offset+1)
			}
		case !o.Open && len(o.Records) > 0:
			size = max(size, o.Offset+int64(len(o.Records)))
		}
	}
	if f := s.neverSent(operations, &appends); f != nil {
		return f
	}
	if size > sent {
		return faultf("offset %d was shown, but only %d records were sent", size-1, sent)
	}
	s.at = make([]*Operation, size)
	for _, o := range operations {
		if o.Open {
			continue
		}
		if o.Kind == Append {
			if f := s.put(o.Offset, o); f != nil {
				return f
			}
		}
		for i, value := range o.Records {
			if f := s.put(o.Offset+int64(i), appends.get(value)); f != nil {
				return f
			}
		}
	}
	return nil
}

// neverSent looks for records out of nowhere.
func (s *sweep) neverSent(operations []*Operation, appends *byValue[*Operation]) *fault {
	for _, o := range operations {
		if o.Open {
			continue
		}
		for i, value := range o.Records {
			if appends.get(value) == nil {
				at := o.Offset + int64(i)
				return faultf("record %s at offset %d was never sent", s.name(value), at).about(at, at)
			}
		}
	}
	return nil
}

func (s *sweep) put(offset int64, o *Operation) *fault {
	if other := s.at[offset]; other != nil && other != o {
		return faultf("offset %d holds record %s and record %s", offset, s.name(other.Value),
			s.name(o.Value)).about(offset, offset)
	}
	if s.at[offset] == o {
		return nil
	}
	if other := s.offsets.get(o.Value); other > 0 {
		return faultf("record %s stands at offset %d and at offset %d", s.name(o.Value), other-1,
			offset).about(other-1, offset)
	}
	s.at[offset] = o
	s.offsets.put(o.Value, offset+1)
	return nil
}

// order fills the holes and sorts the polls.
func (s *sweep) order(operations []*Operation) *fault {
	size := int64(len(s.at))
	s.exact, s.empty = make([][]*Operation, size+1), make([]int64, size)
	for i := range s.empty {
		s.empty[i] = math.MinInt64
	}
	for _, o := range operations {
		seen := o.Kind == Append && s.offsets.get(o.Value) > 0
		switch got := int64(len(o.Records)); {
		case o.Kind == Append && !seen:
			s.free = append(s.free, o)
		case o.Kind == Append, o.Open:
		case got > int64(o.Max):
			return faultf("a poll of at most %d records returned %d", o.Max, got).about(
				o.Offset, o.Offset+got-1)
		case got == int64(o.Max), o.Stale && got > 0:
			s.full = append(s.full, o)
		case got > 0:
			s.exact[o.Offset+got] = append(s.exact[o.Offset+got], o)
		case o.Offset < size && !o.Stale:
			s.empty[o.Offset] = max(s.empty[o.Offset], o.Call)
		}
	}
	slices.SortStableFunc(s.free, func(a, b *Operation) int { return cmp.Compare(a.Call, b.Call) })
	for i := range s.at {
		if s.at[i] != nil {
			continue
		}
		if len(s.free) == 0 {
			return faultf("no append is left that can have filled offset %d", i)
		}
		s.at[i], s.free = s.free[0], s.free[1:]
	}
	return nil
}

// time walks the offsets.
func (s *sweep) time([]*Operation) *fault {
	earliest := make([]int64, len(s.at)+1)
	moment := int64(math.MinInt64)
	for length := range earliest {
		if length > 0 {
			o := s.at[length-1]
			moment = max(moment, o.Call, s.empty[length-1])
			if moment > o.end() {
				return faultf("the append of record %s at offset %d returned at %d, before what "+
					"precedes it could take effect, at %d", s.name(o.Value), length-1, o.end(),
					moment).about(s.source(length), int64(length-1))
			}
		}
		earliest[length] = moment
		for _, poll := range s.exact[length] {
			if earliest[length] > poll.Return {
				return faultf("a poll from offset %d returned at %d and saw length %d, which "+
					"was there at %d at the earliest", poll.Offset, poll.Return, length,
					earliest[length]).about(s.source(length), int64(length-1))
			}
			moment = max(moment, poll.Call)
		}
	}
	for _, poll := range s.full {
		length := poll.Offset + int64(len(poll.Records))
		if earliest[length] > poll.Return {
			return faultf("a poll from offset %d returned %d records at %d, the last of which "+
				"was there at %d at the earliest", poll.Offset, len(poll.Records), poll.Return,
				earliest[length]).about(s.source(int(length)), length-1)
		}
	}
	return nil
}

// source is the lowest offset of what makes the earliest moment of a length what it is.
func (s *sweep) source(length int) int64 {
	moment, source := int64(math.MinInt64), int64(0)
	for n := 1; n <= length; n++ {
		for _, poll := range s.exact[n-1] {
			if poll.Call > moment {
				moment, source = poll.Call, int64(n-1)
			}
		}
		if call := max(s.at[n-1].Call, s.empty[n-1]); call > moment {
			moment, source = call, int64(n-1)
		}
	}
	return source
}

// offsetMax keeps the sum of an offset and a count within bounds.
const offsetMax = math.MaxInt64 / 4

// bounds refuses offsets that no log has.
func bounds(operations []*Operation) *fault {
	for _, o := range operations {
		switch {
		case o.Open && o.Kind == Append:
		case o.Offset < 0 || o.Offset > offsetMax:
			return faultf("offset %d is none of a log: expected 0 to %d", o.Offset,
				int64(offsetMax))
		}
	}
	return nil
}

// inOrder reports whether each client's polls stand in their order, and none of them goes back:
// then they need not be sorted to see that.
func inOrder(operations []*Operation) bool {
	type client struct {
		last  *Operation
		shown int64
	}
	clients := map[int]*client{}
	for _, o := range operations {
		if o.Kind != Poll || o.Open {
			continue
		}
		c := clients[o.Client]
		if c == nil {
			c = &client{}
			clients[o.Client] = c
		}
		got := int64(len(o.Records))
		end := o.Offset + got
		switch {
		case c.last != nil && o.Call <= c.last.Call:
			return false
		case o.Stale && got < int64(o.Max) && end < c.shown:
			return false
		case got > 0:
			c.shown = max(c.shown, end)
		}
		c.last = o
	}
	return true
}

// goesBack looks for a stale poll that shows the end of the log before what its client
// was shown by an earlier poll.
func goesBack(operations []*Operation) *fault {
	if !slices.ContainsFunc(operations, func(o *Operation) bool { return o.Stale }) {
		return nil
	}
	if inOrder(operations) {
		return nil
	}
	polls := make([]*Operation, 0, len(operations))
	for _, o := range operations {
		if o.Kind == Poll && !o.Open {
			polls = append(polls, o)
		}
	}
	slices.SortFunc(polls, func(a, b *Operation) int { // Equal ones are of one moment.
		return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Call, b.Call),
			cmp.Compare(a.Return, b.Return), cmp.Compare(a.ID, b.ID))
	})
	shown := int64(0)
	for i, o := range polls {
		if i > 0 && polls[i-1].Client != o.Client {
			shown = 0
		}
		got := int64(len(o.Records))
		if end := o.Offset + got; o.Stale && got < int64(o.Max) && end < shown {
			return faultf("a poll of client %d from offset %d, called at %d, saw the log end at "+
				"%d, and an earlier poll had shown it length %d", o.Client, o.Offset, o.Call, end,
				shown).about(end, shown-1)
		}
		if got > 0 {
			shown = max(shown, o.Offset+got)
		}
	}
	return nil
}
