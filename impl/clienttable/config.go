package clienttable

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Shape says what the clients of a group do: Sessions!Shape. It is one for all replicas and
// for ever: replicas of different shapes make different tables of one log.
type Shape uint8

const (
	// Numbered clients number their Registers and leave no gaps between requests: R18 in
	// full.
	Numbered Shape = iota + 1
	// Upstream's clients do neither. Their guarantee is weaker, see the package comment.
	Upstream
)

// String is the shape as the spec writes it.
func (s Shape) String() string {
	switch s {
	case Numbered:
		return "numbered"
	case Upstream:
		return "upstream"
	}
	return fmt.Sprintf("shape(%d)", uint8(s))
}

// Limits of a [Config].
const (
	// SlotsMax is the largest capacity, in rows.
	SlotsMax = 1 << 16
	// BatchMax is how many requests can share one op.
	BatchMax = 1 << 16
	// RingMax is the largest ring, in replies.
	RingMax = 64
	// ReplyBytesMax is the largest body of a reply that a table can be told to keep.
	ReplyBytesMax = wire.MaxBodyBytes
)

// What a table takes in memory beside the bodies of replies, in bytes on a 64-bit machine.
// A test holds them to what the compiler says.
const (
	slotBytes  = 8   // the pointer to the row
	indexBytes = 80  // client and pointer in the index, with the room that a map leaves
	rowBytes   = 144 // without its replies
	replyBytes = 80  // without its body
)

// Config is what the table is a function of, beside the log: every replica of a group has the
// same. Ring, ReplyBytes and Shape are in each snapshot, and [Restore] refuses one of another.
type Config struct {
	Shape Shape
	// Capacity is the number of slots before the first Resize of the log: 1 to [SlotsMax].
	Capacity int
	// Ring is the number of replies that a row keeps, and so the largest window of a client:
	// 1 to [RingMax].
	Ring int
	// ReplyBytes is the size of the largest body of a reply that is kept, in bytes: 0 to
	// [ReplyBytesMax]. A larger one goes out once; who asks again hears [Gone].
	ReplyBytes int
}

// Validate says in one line what is wrong with the configuration, nil if nothing.
func (c Config) Validate() error {
	if c.Shape != Numbered && c.Shape != Upstream {
		return fmt.Errorf("client table: shape is %d, expected %d (%v) or %d (%v)",
			uint8(c.Shape), uint8(Numbered), Numbered, uint8(Upstream), Upstream)
	}
	for _, bound := range []struct {
		name            string
		value, from, to int
	}{
		{"capacity", c.Capacity, 1, SlotsMax},
		{"ring", c.Ring, 1, RingMax},
		{"reply bytes", c.ReplyBytes, 0, ReplyBytesMax},
	} {
		if bound.value < bound.from || bound.value > bound.to {
			return fmt.Errorf("client table: %s is %d, expected %d to %d",
				bound.name, bound.value, bound.from, bound.to)
		}
	}
	return nil
}

// MemoryBytes is what a full table of this capacity takes at most: each row with a full ring
// of the largest replies, and an eighth more, by which the allocator may round up. A Resize
// changes the capacity, and so the figure in proportion.
func (c Config) MemoryBytes() int64 {
	row := int64(slotBytes + indexBytes + rowBytes)
	asked := int64(c.Capacity) * (row + int64(c.Ring)*int64(replyBytes+c.ReplyBytes))
	return asked + asked/8
}

// SnapshotBytes is the size of the largest snapshot of a table of this capacity.
func (c Config) SnapshotBytes() int64 {
	row := snapshotRowBytes + int64(c.Ring)*int64(snapshotReplyBytes+c.ReplyBytes)
	return snapshotHeaderBytes + int64(c.Capacity)*(1+row) + snapshotChecksumBytes
}
