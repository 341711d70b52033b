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

// Snapshotter is a machine whose state can be taken out and put in again (R17, R21).
type Snapshotter interface {
	// AppendSnapshot appends the state and returns it. Equal states have equal snapshots, to
	// the byte, on all replicas.
	AppendSnapshot(dst []byte) []byte
	// Restore puts the state of a snapshot in place of the machine's. It keeps nothing of the
	// bytes, which may come from anywhere.
	//
	// Errors: the bytes are no snapshot of such a machine; the state is as it was.
	Restore(snapshot []byte) error
}

// SessionEnder is a machine that holds something for clients as long as their sessions.
type SessionEnder interface {
	// SessionEnded says that the log has ended a client's session for good: by its logout, or as
	// its place in the client table went to another. It is a part of what an op does.
	SessionEnded(client wire.ClientID)
}

// Querier is a machine that answers questions which are not in the log.
type Querier interface {
	// Query reads the state and changes nothing. code says what is asked, as in
	// [wire.Request]; what the machine cannot read has an answer too.
	Query(code uint32, body []byte) []byte
}

// Fallible is a [Querier] that keeps state in files: an answer may lack what cannot be read.
type Fallible interface {
	// Unreadable says why the last answer is not the state's; nil if it is. Another replica may
	// have what this one cannot read.
	Unreadable() error
}
