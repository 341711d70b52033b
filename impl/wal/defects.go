package wal

import "fmt"

// Recovery says what [Open] adopts. All but the first are deliberate defects, mutants that
// tests and twins must catch; their names are those of spec/PartitionLog.tla.
type Recovery uint8

// The recoveries.
const (
	// RecoverVerified adopts what verifies as an unbroken chain (R14).
	RecoverVerified Recovery = iota + 1
	// RecoverToFrontier adopts only what a later batch knows to be flushed:
	// truncate_to_frontier, seed 003 (iggy#4632).
	RecoverToFrontier
	// RecoverTorn counts bodies as there that do not verify, and serves them: adopt_torn.
	RecoverTorn
)

var recoveryNames = [...]string{
	RecoverVerified:   "verified",
	RecoverToFrontier: "truncate_to_frontier",
	RecoverTorn:       "adopt_torn",
}

// String returns the name of the mutant, or "verified".
func (r Recovery) String() string {
	if r == 0 || int(r) >= len(recoveryNames) {
		return fmt.Sprintf("recovery(%d)", uint8(r))
	}
	return recoveryNames[r]
}

// ParseRecovery is the inverse of String.
func ParseRecovery(name string) (Recovery, error) {
	for r, known := range recoveryNames {
		if known == name && r > 0 {
			return Recovery(r), nil
		}
	}
	return 0, fmt.Errorf("parse recovery %q: expected one of %q", name, recoveryNames[1:])
}

// follow sets the scanner up for a recovery. To find the frontier it walks over the whole
// log first.
func (s *scanner) follow(r Recovery) error {
	s.servesTorn = r == RecoverTorn
	if r != RecoverToFrontier {
		return nil
	}
	first := &scanner{images: s.images, adopt: func(cell) {}}
	if err := first.run(); err != nil {
		return err
	}
	s.limited, s.limit = true, first.covered
	return nil
}

// beyond says whether a batch lies above the frontier of a recovery that believes in one.
func (s *scanner) beyond(h header) bool { return s.limited && h.sequence > s.limit }
