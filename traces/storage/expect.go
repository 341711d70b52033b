package storage

import (
	model "github.com/viewstamp/viewstamp/model/storage"
)

// expected is what a boot of the code must find.
type expected struct {
	// state is the model's after a boot that knows what the code's boots before have proven.
	state   state
	reasons ReasonSet
	doubt   bool
	// litter: what an earlier boot took for leftovers may still lie there, or be overwritten.
	litter bool
	// further: the code's log has more in it than the model's, if only a gap.
	further bool
}

// expect says what a boot of the code must find in a state that is down, and remembers what it
// leaves behind.
func (m *Machine) expect(s *state) expected {
	here := *s
	for p := range m.config.Slots {
		if m.past.seen[p] != (model.JournalBatch{}) && here.WALCache[p] == m.past.seen[p] {
			here.WALCache[p] = model.JournalBatch{}
		}
	}
	for n := uint8(1); int(n) <= m.config.Slots; n++ {
		if b := &here.WALCache[n-1]; m.past.proven[n-1] && b.Sequence == n {
			b.SyncedThrough = n
		}
	}
	want := expected{state: m.observer.Boot(here)}
	scan := m.observer.Scan(here)
	for n := uint8(1); n < scan.End; n++ {
		want.reasons.add(m.expectBelow(&here, scan, n))
	}
	end := max(scan.End, m.past.kept+1)
	damaged := scan.Rot || end > scan.End
	if end > scan.End {
		want.further = true
		want.reasons.add(rot)
	}
	var behind ReasonSet
	for n := end; int(n) <= m.config.Slots; n++ {
		reason := expectBehind(&here, end, n)
		behind.add(reason)
		if m.past.beneath[n-1] {
			behind.add(misdirected)
			behind.add(staleRecycled)
		}
		damaged = damaged || m.past.beneath[n-1]
		damaged = damaged || reason == tornTail || reason == misdirected || reason == orphaned
	}
	want.reasons |= behind
	want.litter = m.past.litter
	m.leave(s, scan, end, damaged)
	m.past.litter = !behind.clears() && (m.past.litter || behind.has(staleRecycled))
	want.doubt = m.recorded(&here, scan) || m.past.marked ||
		m.config.Policy == model.Replicated && m.past.restarted
	return want
}

// clears says whether a boot that finds these reasons behind the end clears what is there.
func (s ReasonSet) clears() bool {
	return s.has(tornTail) || s.has(misdirected) || s.has(orphaned) || s.has(foreignIncarnation)
}

// leave remembers what the code's boot leaves behind: a mark, and nothing behind the end.
func (m *Machine) leave(s *state, scan model.JournalScan, end uint8, damaged bool) {
	stated := scan.End > 1 && scan.Uses(scan.End-1) &&
		s.WALCache[scan.End-2].Boot+1 == s.Crashes
	m.past.marked = m.past.marked && !stated || damaged
	m.past.restarted = m.past.restarted && !stated || m.past.powerLost
	m.past.powerLost = false
	m.past.kept = scan.End - 1
	clear(m.past.proven[m.past.kept:])
	if m.past.kept > 0 {
		m.past.proven[m.past.kept-1] = true
	}
	m.past.beneath = [model.JournalSlotsMax]bool{}
	for n := end; int(n) <= m.config.Slots; n++ {
		m.past.seen[n-1] = s.WALCache[n-1]
	}
}

// recorded is what the newest state record says of doubt.
func (m *Machine) recorded(s *state, scan model.JournalScan) (doubt bool) {
	for n := uint8(1); n < scan.End; n++ {
		if !scan.Uses(n) {
			continue
		}
		records := &s.WALCache[n-1].Records
		for _, r := range records.All[:records.Count] {
			if r.Kind == model.JournalStateRecord {
				doubt = r.InDoubt
			}
		}
	}
	return doubt
}

// expectBelow is the reason for what cannot be read of batch n, below the end of the log; 0: all
// of it can.
func (m *Machine) expectBelow(s *state, scan model.JournalScan, n uint8) Reason {
	if !scan.Uses(n) {
		return rot
	}
	if !s.WALCache[n-1].Unreadable {
		return 0
	}
	// The batch of the code's next boot says that all before it was flushed.
	flushed := s.WALCache[n-1].Boot+1 < s.Crashes
	for k := n + 1; k < scan.End; k++ {
		flushed = flushed || scan.Uses(k) && s.WALCache[k-1].SyncedThrough >= n
	}
	if flushed {
		return rot
	}
	return tornTail
}

// expectBehind is the reason for what lies in slot n, which is behind the end; 0: nothing.
func expectBehind(s *state, end, n uint8) Reason {
	b := &s.WALCache[n-1]
	switch {
	case b.Illegible && n == end:
		return tornTail
	case b.Illegible:
		return staleRecycled
	case b.Sequence == 0:
		return 0
	case b.Sequence != n:
		return misdirected
	case n == end:
		return foreignIncarnation
	}
	return orphaned
}
