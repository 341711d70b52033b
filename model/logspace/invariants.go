package logspace

import (
	"fmt"

	"github.com/viewstamp/viewstamp/model/explore"
)

// invariants are those of LogSpace.tla, in the order of its cfgs. The comments of the
// module name the mutants that break each.
func (m *machine) invariants() []explore.Property[State] {
	var all []explore.Property[State]
	for _, p := range []struct {
		name  string
		check func(s *State) error
	}{
		{"BodiesStay", m.bodiesStay},
		{"LogKnown", m.logKnown},
	} {
		all = append(all, explore.Property[State]{
			Name: p.name, Check: func(s State) error { return p.check(&s) },
		})
	}
	return all
}

// missing is the first op above one that group g has stored and the files have not; 0 if there is
// none, or if no boot asks for the group: LogSpace!Wanted.
func (m *machine) missing(s *State, g, above uint8) uint8 {
	if s.Group[g].Gone && m.covered(s) {
		return 0
	}
	for op := above + 1; op <= s.Group[g].Stored; op++ {
		if !s.Files.has(0, Record{Group: g, Op: op}) {
			return op
		}
	}
	return 0
}

// bodiesStay is LogSpace!BodiesStay: the log has each op that no checkpoint covers.
func (m *machine) bodiesStay(s *State) error {
	for g := uint8(1); int(g) <= m.Groups; g++ {
		base := s.Group[g].Base
		if op := m.missing(s, g, base); op > 0 {
			return fmt.Errorf("op %d of group %d is not in the log, and its checkpoint is at op %d",
				op, g, base)
		}
	}
	return nil
}

// logKnown is LogSpace!LogKnown: a boot finds the whole log, in a state record or in ops.
func (m *machine) logKnown(s *State) error {
	for g := uint8(1); int(g) <= m.Groups; g++ {
		if op := m.missing(s, g, 0); op > 0 && !s.Files.has(0, stateOf(g)) {
			return fmt.Errorf("op %d of group %d is not in the log, nor is a state record", op, g)
		}
	}
	return nil
}
