package retention

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of Retention.tla, in the order of its cfgs. The comments of the
// module name the mutants that break each.
func (m *machine) invariants() []explore.Property[State] {
	var all []explore.Property[State]
	for _, p := range []struct {
		name  string
		check func(s *State) error
	}{
		{"MachinesEqual", m.machinesEqual},
		{"OffsetsDense", offsetsDense},
		{"DroppedAsAsked", m.droppedAsAsked},
		{"NewestStays", newestStays},
		{"UnreadStays", m.unreadStays},
		{"StoredReal", m.storedReal},
		{"AdvanceKept", m.advanceKept},
		{"FilesAsCounted", filesAsCounted},
		{"NoneMissing", noneMissing},
		{"PollRight", pollRight},
	} {
		all = append(all, explore.Property[State]{
			Name: p.name, Check: func(s State) error { return p.check(&s) },
		})
	}
	return all
}

// machinesEqual is Retention!MachinesEqual: equal ops, equal machines.
func (m *machine) machinesEqual(s *State) error {
	for q := range m.N {
		for r := range q {
			if s.CommitMin[r] == s.CommitMin[q] && s.Machine[r] != s.Machine[q] {
				return fmt.Errorf("at op %d replica %d has %s, replica %d has %s", s.CommitMin[r],
					r, m.formatMachine(&s.Machine[r]), q, m.formatMachine(&s.Machine[q]))
			}
		}
		if c := &s.Checkpoint; c.Op == s.CommitMin[q] && c.Machine != s.Machine[q] {
			return fmt.Errorf("at op %d the checkpoint has %s, replica %d has %s", c.Op,
				m.formatMachine(&c.Machine), q, m.formatMachine(&s.Machine[q]))
		}
	}
	return nil
}

// offsetsDense is Retention!OffsetsDense: an offset is the number of messages before it.
func offsetsDense(s *State) (err error) {
	each(s.Given, func(op, offset uint8) {
		if want := s.sends(op - 1); err == nil && offset != want {
			err = fmt.Errorf("the message of op %d has offset %d, expected %d", op, offset, want)
		}
	})
	return err
}

// eachDropped visits what was dropped until visit returns an error.
func (s *State) eachDropped(visit func(op, offset uint8, unread bool) error) (err error) {
	for unread := range s.Dropped {
		each(s.Dropped[unread], func(op, offset uint8) {
			if err == nil {
				err = visit(op, offset, unread == 1)
			}
		})
	}
	return err
}

// droppedAsAsked is Retention!DroppedAsAsked: a message goes because an op says so.
func (m *machine) droppedAsAsked(s *State) error {
	return s.eachDropped(func(op, offset uint8, _ bool) error {
		x := s.Log[op-1]
		asked := false
		switch x.Kind {
		case Truncate:
			asked = offset < x.Number
		case Purge:
			asked = true
			for _, before := range s.Log[:op-1] {
				asked = asked && (before.Kind != Purge || before.Number < x.Number)
			}
		case Retain:
			behind := int(s.sends(op)) - int(offset)
			asked = m.Age > 0 && int(op)-int(s.sentAt(offset)) >= m.Age ||
				m.Size > 0 && behind+m.Segment-1 > m.Size
		case Send, Store, Advance:
		}
		if !asked {
			return fmt.Errorf("op %d, %s, drops the message at offset %d, which it does not ask for",
				op, x, offset)
		}
		return nil
	})
}

// newestStays is Retention!NewestStays: only a purge drops the newest message.
func newestStays(s *State) error {
	return s.eachDropped(func(op, offset uint8, _ bool) error {
		if s.Log[op-1].Kind != Purge && offset+1 >= s.sends(op) {
			return fmt.Errorf("op %d, %s, drops the newest message, at offset %d",
				op, s.Log[op-1], offset)
		}
		return nil
	})
}

// unreadStays is Retention!UnreadStays: retention that holds drops nothing unread.
func (m *machine) unreadStays(s *State) error {
	return s.eachDropped(func(op, offset uint8, unread bool) error {
		if m.Hold && unread && s.Log[op-1].Kind == Retain {
			return fmt.Errorf("op %d drops the message at offset %d, which a consumer has not read",
				op, offset)
		}
		return nil
	})
}

// storedReal is Retention!StoredReal: a stored offset is that of a message that was there.
func (m *machine) storedReal(s *State) error {
	for r := range m.N {
		for c, next := range s.Machine[r].Stored {
			if sent := s.sends(s.CommitMin[r]); next > sent {
				return fmt.Errorf("replica %d has offset %d of consumer %d, and %d messages were sent",
					r, next-1, c+1, sent)
			}
		}
	}
	return nil
}

// advanceKept is Retention!AdvanceKept: nothing but a request of its own moves a consumer back.
func (m *machine) advanceKept(s *State) error {
	for r := range m.N {
		var least [ConsumersMax]uint8
		for i, x := range s.Log[:s.CommitMin[r]] {
			switch {
			case x.Kind != Store && x.Kind != Advance, x.Number >= s.sends(uint8(i)):
			case x.Kind == Store:
				least[x.Consumer-1] = x.Number + 1
			default:
				least[x.Consumer-1] = max(least[x.Consumer-1], x.Number+1)
			}
		}
		for c, want := range least {
			if got := s.Machine[r].Stored[c]; got < want {
				return fmt.Errorf("consumer %d goes on at %d at replica %d, expected at least %d",
					c+1, got, r, want)
			}
		}
	}
	return nil
}

// filesAsCounted is Retention!FilesAsCounted: files are cut as ops count segments.
func filesAsCounted(s *State) error {
	p := &s.Machine[0]
	if s.Filed != p.Next {
		return nil
	}
	var kept []File
	for _, f := range s.Files[:s.FileCount] {
		if f.Next > p.Start {
			kept = append(kept, f)
		}
	}
	same := len(kept) == int(p.Count)
	for i, f := range kept {
		same = same && f == (File{p.Segments[i].First, p.Segments[i].Next})
	}
	if !same {
		return fmt.Errorf("the files have segments %v, and ops count %v", kept,
			p.Segments[:p.Count])
	}
	return nil
}

// noneMissing is Retention!NoneMissing: what is kept can be read.
func noneMissing(s *State) error {
	for o := s.Machine[0].Start; o < s.Machine[0].Next; o++ {
		if !s.inFiles(o) && !s.inMemory(0, o) {
			return fmt.Errorf("the message at offset %d is neither in memory nor in files", o)
		}
	}
	return nil
}

// pollRight is Retention!PollRight: a poll returns what no op has dropped, and nothing else.
func pollRight(s *State) error {
	p := &s.Polled
	want := uint16(0)
	for o := p.From; p.Op > 0 && o < s.sends(p.Op); o++ {
		want |= 1 << o
	}
	for _, set := range s.Dropped {
		each(set, func(op, offset uint8) {
			if op <= p.Op {
				want &^= 1 << offset
			}
		})
	}
	if p.Got != want {
		return fmt.Errorf("a poll from %d returned offsets %v at op %d, expected %v", p.From,
			p.offsets(), p.Op, (&Polled{Got: want}).offsets())
	}
	return nil
}
