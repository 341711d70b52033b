package wire

import "fmt"

// GroupID names one replicated log. All values are legal here; which groups exist is the
// node's matter.
type GroupID uint64

// ReplicaID is a replica's place in its group, 0-based: a group of n has 0 to n-1.
type ReplicaID uint8

// NoReplica is what [Message.From] answers for a message that no replica sent. It is above
// every legal replica, so a range check refuses it.
const NoReplica ReplicaID = 255

// View numbers the periods of one primary each. The primary of view v is replica v mod n.
type View uint32

// Op is a position in a group's log, 1-based. Zero is "before the first".
type Op uint64

// RequestNumber numbers the requests of a client.
type RequestNumber uint64

// SessionNumber is the op of the Register that bound a client's session; zero is none (R18).
type SessionNumber uint64

// PrepareID identifies a prepare: position and content. An op alone identifies nothing (R3).
type PrepareID struct {
	Op       Op
	Checksum Checksum
}

// IsZero reports whether id is the empty identity, that of the place before the first op.
func (id PrepareID) IsZero() bool { return id == PrepareID{} }

// String returns op and checksum, for messages to people: "21:0123...".
func (id PrepareID) String() string { return fmt.Sprintf("%d:%s", id.Op, id.Checksum) }
