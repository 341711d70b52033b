package vsr

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Whoever replays a WAL in the order of its records builds the log with these two.

// Place puts the log of a state record in place of what was there (R2). Later calls do not
// change the record.
func (s *Recovered) Place(record *StateRecord) {
	s.LogView, s.LogBase = record.LogView, record.Base
	s.Headers, s.Doubtful = slices.Clip(record.Headers), slices.Clip(record.Doubtful)
}

// Extend puts a stored prepare at the head of the log, and reports whether it belongs there: it
// is the next op, chains to the head, and was stored under the log view in force (R2, R14).
// A fill ([StorePrepare].Fill) belongs nowhere by itself.
func (s *Recovered) Extend(logView wire.View, h *wire.PrepareHeader) bool {
	l := log{base: s.LogBase, headers: s.Headers}
	if logView != s.LogView || h.Op != l.head()+1 || h.Parent != l.headChecksum() {
		return false
	}
	s.Headers = append(s.Headers, *h)
	return true
}

// InLog reports whether the log has this very prepare.
func (s *Recovered) InLog(id wire.PrepareID) bool {
	return log{base: s.LogBase, headers: s.Headers}.contains(id)
}
