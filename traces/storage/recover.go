package storage

import (
	"fmt"

	model "github.com/viewstamp/viewstamp/model/storage"
)

// past is what the code's own boots have left behind that the model has no variable for.
type past struct {
	// seen are the slots behind the end at the last boot: the code has cleared them since.
	seen [model.JournalSlotsMax]model.JournalBatch
	// beneath: below the torn batch in the slot lies a misdirected one.
	beneath [model.JournalSlotsMax]bool
	// kept is the newest batch at the last boot, which wrote one of its own behind it: that says
	// that all before it was flushed. proven are those that were the newest at some boot.
	kept   uint8
	proven [model.JournalSlotsMax]bool
	// litter: leftovers that no boot has cleared.
	litter bool
	// marked: a boot's mark of doubt, which counts until a newer state record is there.
	marked bool
	// restarted: the kernel has, since the newest state record. powerLost: since the last boot.
	restarted, powerLost bool
}

// log is what a replay of the records amounts to.
type log struct {
	LogView uint8
	Headers []uint8
	Bodies  model.JournalEntries
}

// replay is what a replica makes of the records that a recovery hands to it: JournalBoot!Replay.
func (m *Machine) replay(records []Recovered) (log, error) {
	var l log
	unknown := m.observer.Unknown()
	pad := func(to int) {
		for len(l.Headers) < to {
			l.Headers = append(l.Headers, unknown)
		}
	}
	for _, r := range records {
		switch {
		case r.Group != group:
		case r.Kind == kindState:
			if len(r.Body) == 0 || !r.Present {
				return l, fmt.Errorf("state record of batch %d has no content", r.Sequence)
			}
			from := int(r.Body[0])
			l.LogView = uint8(r.LogView)
			l.Headers = l.Headers[:min(from, len(l.Headers))]
			pad(from)
			l.Headers = append(l.Headers, r.Body[1:]...)
		default:
			entry, err := entryOf(r.ID())
			if err != nil {
				return l, err
			}
			if r.Present {
				l.Bodies |= 1 << entry
			}
			if uint8(r.LogView) != l.LogView {
				continue
			}
			views := entry.Views()
			op := len(views)
			if op > len(l.Headers) {
				pad(op)
				l.Headers[op-1] = views[op-1]
			} else if l.Headers[op-1] == unknown {
				l.Headers[op-1] = views[op-1]
			}
		}
	}
	return l, nil
}

// recover boots the code and compares what it finds with the model, from s to t.
func (m *Machine) recover(s, t *state) *Mismatch {
	m.Recoveries++
	said, refused, err := m.openSuperblock()
	if err != nil {
		return failed("boot", err)
	}
	if want := t.Status == model.JournalRefused; want != refused {
		return differ("boot is refused", want, refused)
	}
	if refused {
		m.Refusals++
		return nil
	}
	found, err := m.openLog()
	if err != nil {
		return failed("boot", err)
	}
	l, err := m.replay(found.Records)
	if err != nil {
		return failed("replay", err)
	}
	want := m.expect(s)
	m.cut(want.state.Written + 1)
	mismatch := compareLog(&want.state, l, uint8(said.View), uint8(said.LogView))
	if mismatch == nil {
		mismatch = m.read(want.state.BodiesWritten)
	}
	if mismatch == nil {
		mismatch = m.compareDamage(want, found)
	}
	if mismatch == nil && (want.further || want.state.Written != t.Written) {
		m.Further++
		return errFurther
	}
	if mismatch == nil {
		mismatch = m.compareTrust(t, found.Doubt)
	}
	return mismatch
}

func compareLog(t *state, l log, view, logView uint8) *Mismatch {
	for _, c := range []struct {
		what        string
		model, code any
	}{
		{"view in the superblock", t.Superblock.View, view},
		{"log view in the superblock", t.Superblock.LogView, logView},
		{"log view", t.LogView, max(logView, l.LogView)},
		{"view", t.View, max(view, l.LogView)},
		{"log is lost", t.LogLost, logView > l.LogView},
		{"headers", t.Headers.Views(), append([]uint8{}, l.Headers...)},
		{"bodies", t.BodiesWritten, l.Bodies},
	} {
		if fmt.Sprint(c.model) != fmt.Sprint(c.code) {
			return differ(c.what, c.model, c.code)
		}
	}
	return nil
}

// compareDamage compares what was not adopted, and the doubt about it.
func (m *Machine) compareDamage(want expected, found Found) *Mismatch {
	if want.reasons != 0 {
		m.Discards++
	}
	got := found.Reasons
	if want.litter && got.has(staleRecycled) {
		want.reasons.add(staleRecycled)
	}
	if got != want.reasons {
		return differ("reasons", want.reasons, got)
	}
	if found.Doubt != want.doubt {
		return differ("doubt", want.doubt, found.Doubt)
	}
	if want.doubt {
		m.Doubts++
	}
	return nil
}

// compareTrust compares the code's doubt with the spec's. Where the code trusts a log and the spec
// does not, all that the spec promises must hold all the same.
func (m *Machine) compareTrust(t *state, doubt bool) *Mismatch {
	if doubt && !t.InDoubt {
		return differ("doubt", false, true)
	}
	if t.InDoubt && !doubt {
		m.Trusting++
		trusting := *t
		trusting.InDoubt = false
		for _, property := range model.Journal(m.config).Always {
			if err := property.Check(trusting); err != nil {
				return differ("trust in the log", property.Name, err)
			}
		}
	}
	return nil
}
