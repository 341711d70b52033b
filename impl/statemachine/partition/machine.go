package partition

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/statemachine"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Machine is one partition. Use it from one goroutine at a time.
type Machine struct {
	config Config

	// start is the first offset that is kept, next that of the next message. Equal: none is.
	start, next uint64
	// timestamp is that of the last batch, in the unit of the prepares' timestamps.
	timestamp uint64
	// generation is that of the last purge.
	generation uint64
	// chain stands for all batches that there ever were.
	chain wire.Checksum
	// extents are the segments from start to next, as the ops count them.
	extents []extent
	offsets offsets

	// tail are the batches that are in memory, in order. With a disk they begin where the
	// segment files end, and some may lie below start; without, they begin at start.
	tail      []record
	tailBytes int64
	slab      []byte
	// log is nil without a disk, and until it is needed.
	log *segment.Log
	// persisted is the start that the last Persist has seen.
	persisted uint64
	// unreadable is what the last question met that could not be read.
	unreadable error
}

var (
	_ statemachine.Machine     = (*Machine)(nil)
	_ statemachine.Snapshotter = (*Machine)(nil)
	_ statemachine.Querier     = (*Machine)(nil)
	_ statemachine.Fallible    = (*Machine)(nil)
)

// New returns a partition without messages. It opens no file: that is for Restore, or for the
// first Materialise. A configuration that is not valid is the caller's bug and panics.
func New(config Config) *Machine {
	if err := config.check(); err != nil {
		panic(fmt.Sprintf("partition: %v", err))
	}
	return &Machine{config: config}
}

// Execute applies one operation. What it cannot read, or refuses, has a result, too.
func (m *Machine) Execute(p *wire.Prepare) []byte {
	switch p.Header.Operation { //nolint:exhaustive // the others are not this machine's
	case protocol.OperationSend:
		return m.send(p)
	case protocol.OperationStoreOffset, OperationAdvanceOffset:
		return framed(m.storeOffset(p))
	case protocol.OperationDeleteOffset:
		return framed(m.deleteOffset(p))
	case OperationTruncate:
		return framed(m.truncate(p))
	case OperationRetain:
		return framed(m.retain(p))
	case OperationPurge:
		return framed(m.purge(p))
	}
	return framed(protocol.StatusInvalidCommand)
}

// Checksum covers the state as ops make it, wherever the messages are.
func (m *Machine) Checksum() wire.Checksum { return wire.ChecksumOf(m.appendState(nil)) }

// Stats is what a partition says of itself to those who describe topics.
type Stats struct {
	// Start is the first offset that is kept, Next that of the next message: the high
	// watermark is the one before. Messages, Bytes and Segments are of what is kept.
	Start, Next, Messages uint64
	Bytes                 int64
	Segments, Consumers   int
}

// Stats returns the figures of the partition.
func (m *Machine) Stats() Stats {
	s := Stats{
		Start: m.start, Next: m.next, Messages: m.next - m.start,
		Segments: len(m.extents), Consumers: len(m.offsets),
	}
	for _, e := range m.extents {
		s.Bytes += e.bytes
	}
	return s
}

// Unreadable implements statemachine.Fallible: what the last question met that could not be read,
// nil if the answer was whole: a poll's has no room for it. It wraps a [*segment.LostError] where
// a file is damaged; only another replica has the messages then.
func (m *Machine) Unreadable() error { return m.unreadable }
