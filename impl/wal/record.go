package wal

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Sequence numbers batches, from 1. Zero is "before the first".
type Sequence uint64

// Kind says what a record is.
type Kind uint8

// The kinds.
const (
	// KindPrepare is an op's body.
	KindPrepare Kind = iota + 1
	// KindState is a group's state record: log view and headers (R2).
	KindState
)

// String returns the name.
func (k Kind) String() string {
	switch k {
	case KindPrepare:
		return "prepare"
	case KindState:
		return "state"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Record is what a group stores. Its head is in both indexes of its batch, its body once.
type Record struct {
	Head
	Body []byte
	// ChecksumBody is wire.ChecksumOf(Body) if the caller knows it: a frame has it. Zero: Append
	// computes it. A wrong one makes the body count as damaged.
	ChecksumBody wire.Checksum
}

func (r Record) checksumBody() wire.Checksum {
	if r.ChecksumBody.IsZero() {
		return wire.ChecksumOf(r.Body)
	}
	return r.ChecksumBody
}

// Head is what the index says of a record.
type Head struct {
	Kind  Kind
	Group wire.GroupID
	// Op is the prepare's; of a state record, the head of its log.
	Op wire.Op
	// Checksum is the prepare's identity (R3); zero in a state record.
	Checksum wire.Checksum
	// LogView is the one in force: replay takes a prepare under no other (R2).
	LogView wire.View
	// Fill marks a prepare whose place in the log another record gives.
	Fill bool
	// InDoubt is a state record's: the group's log is in doubt (R15).
	InDoubt bool
}

// ID returns the identity of a prepare.
func (h Head) ID() wire.PrepareID { return wire.PrepareID{Op: h.Op, Checksum: h.Checksum} }

// check refuses what a caller must not store.
func (r Record) check() error {
	switch {
	case r.Kind != KindPrepare && r.Kind != KindState:
		return fmt.Errorf("record of group %d: %s, expected prepare or state", r.Group, r.Kind)
	case r.Kind == KindPrepare && (r.Op == 0 || r.Checksum.IsZero()):
		return fmt.Errorf("prepare of group %d: expected an op and a checksum", r.Group)
	case r.Kind == KindState && !r.Checksum.IsZero():
		return fmt.Errorf("state record of group %d: expected no checksum", r.Group)
	case r.Kind == KindPrepare && r.InDoubt, r.Kind == KindState && r.Fill:
		return fmt.Errorf("%s record of group %d: a flag of the other kind", r.Kind, r.Group)
	}
	return nil
}
