package statemachine

import "github.com/viewstamp/viewstamp/impl/wire"

// Machine executes committed prepares, each once and in op order (R5).
type Machine interface {
	// Execute applies a prepare and returns the body of the client's reply. A request that the
	// machine cannot read has a result too: never an error, since every replica must agree.
	Execute(p *wire.Prepare) []byte
	// Checksum identifies the state: equal states have equal checksums.
	Checksum() wire.Checksum
}
