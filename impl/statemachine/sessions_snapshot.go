package statemachine

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/clienttable"
)

// Parts returns the snapshots of machine and table apart, as a checkpoint keeps them.
func (s *Sessions) Parts() (state, clients []byte) {
	return s.snapshotter().AppendSnapshot(nil), s.table.AppendSnapshot(nil)
}

// RestoreParts puts the states of two snapshots in place: both, or on an error neither.
//
// Errors: bytes that are no snapshot of the machine, or of a table of this configuration.
func (s *Sessions) RestoreParts(state, clients []byte) error {
	table, err := clienttable.Restore(s.table.Config(), clients)
	if err != nil {
		return fmt.Errorf("restore sessions: %w", err)
	}
	if err := s.snapshotter().Restore(state); err != nil {
		return fmt.Errorf("restore machine behind sessions: %w", err)
	}
	s.table = table
	return nil
}

// AppendSnapshot appends the size of the machine's snapshot, 8 bytes little-endian, the
// snapshot, and the table's.
func (s *Sessions) AppendSnapshot(dst []byte) []byte {
	state, clients := s.Parts()
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(state)))
	return append(append(dst, state...), clients...)
}

// Restore is the inverse of [Sessions.AppendSnapshot].
func (s *Sessions) Restore(snapshot []byte) error {
	if len(snapshot) < 8 {
		return fmt.Errorf("restore sessions: %d bytes, expected at least 8", len(snapshot))
	}
	size, rest := binary.LittleEndian.Uint64(snapshot), snapshot[8:]
	if size > uint64(len(rest)) {
		return fmt.Errorf("restore sessions: a machine of %d bytes in %d, expected no more",
			size, len(rest))
	}
	return s.RestoreParts(rest[:size], rest[size:])
}

// snapshotter is the machine as what NewSessions has made sure that it is.
func (s *Sessions) snapshotter() Snapshotter {
	return s.machine.(Snapshotter) //nolint:forcetypeassert // checked by NewSessions
}
