package segment

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// BatchHeaderBytes is what a batch takes beside its body.
const BatchHeaderBytes = 80

// BodyBytesMax bounds the body of a batch.
const BodyBytesMax = wire.MaxBodyBytes

const magicBatch = "VSB1"

// Offsets in a batch, as drawn in doc.go.
const (
	atMagic     = 16
	atSize      = 20
	atGroup     = 24
	atChain     = 32
	atOp        = 48
	atOffset    = 56
	atTimestamp = 64
	atMessages  = 72
	atReserved  = 76
)

// Batch is what a request has added to a partition. Several may be of one op.
type Batch struct {
	Op wire.Op
	// Offset is that of the first message; the others follow without gaps.
	Offset uint64
	// Timestamp is the op's, in the state machine's unit; it never falls.
	Timestamp uint64
	// Messages is at least 1.
	Messages uint32
	Body     []byte
}

// bytes is the size of the batch on disk.
func (b Batch) bytes() int64 { return BatchHeaderBytes + int64(len(b.Body)) }

// next is the offset behind the batch.
func (b Batch) next() uint64 { return b.Offset + uint64(b.Messages) }

// encode returns the bytes of a batch and its checksum.
func (b Batch) encode(group wire.GroupID, chain wire.Checksum) ([]byte, wire.Checksum) {
	p := make([]byte, BatchHeaderBytes, b.bytes())
	copy(p[atMagic:], magicBatch)
	binary.LittleEndian.PutUint32(p[atSize:], uint32(b.bytes()))
	binary.LittleEndian.PutUint64(p[atGroup:], uint64(group))
	putChecksum(p[atChain:], chain)
	binary.LittleEndian.PutUint64(p[atOp:], uint64(b.Op))
	binary.LittleEndian.PutUint64(p[atOffset:], b.Offset)
	binary.LittleEndian.PutUint64(p[atTimestamp:], b.Timestamp)
	binary.LittleEndian.PutUint32(p[atMessages:], b.Messages)
	p = append(p, b.Body...)
	sum := wire.ChecksumOf(p[atMagic:])
	putChecksum(p, sum)
	return p, sum
}

// sizeOf reads how long a batch says it is; 0 if that cannot be.
func sizeOf(header []byte) int64 {
	size := int64(binary.LittleEndian.Uint32(header[atSize:]))
	if string(header[atMagic:atSize]) != magicBatch ||
		size < BatchHeaderBytes || size > BatchHeaderBytes+BodyBytesMax {
		return 0
	}
	return size
}

// link is a batch's place among the others.
type link struct {
	group         wire.GroupID
	before, after wire.Checksum
}

// decode reads a batch from exactly its bytes. The body is not copied. Nothing is returned
// unless reason is zero.
func decode(p []byte) (b Batch, l link, reason Reason) {
	if len(p) < BatchHeaderBytes {
		return Batch{}, link{}, Short
	}
	sum := getChecksum(p)
	if sizeOf(p) != int64(len(p)) || wire.ChecksumOf(p[atMagic:]) != sum {
		return Batch{}, link{}, Damaged
	}
	b = Batch{
		Op:        wire.Op(binary.LittleEndian.Uint64(p[atOp:])),
		Offset:    binary.LittleEndian.Uint64(p[atOffset:]),
		Timestamp: binary.LittleEndian.Uint64(p[atTimestamp:]),
		Messages:  binary.LittleEndian.Uint32(p[atMessages:]),
		Body:      p[BatchHeaderBytes:],
	}
	l = link{
		group:  wire.GroupID(binary.LittleEndian.Uint64(p[atGroup:])),
		before: getChecksum(p[atChain:]), after: sum,
	}
	if b.Op == 0 || b.Messages == 0 || b.next() < b.Offset ||
		binary.LittleEndian.Uint32(p[atReserved:]) != 0 {
		return Batch{}, link{}, Invalid
	}
	return b, l, 0
}

func putChecksum(p []byte, c wire.Checksum) {
	binary.LittleEndian.PutUint64(p, c.Lo)
	binary.LittleEndian.PutUint64(p[8:], c.Hi)
}

func getChecksum(p []byte) wire.Checksum {
	return wire.Checksum{Lo: binary.LittleEndian.Uint64(p), Hi: binary.LittleEndian.Uint64(p[8:])}
}

// check returns what is wrong with a batch that is to follow a mark.
func (b Batch) check(after Mark) error {
	switch {
	case b.Messages == 0:
		return fmt.Errorf("op %d has no messages, expected at least 1", b.Op)
	case len(b.Body) > BodyBytesMax:
		return fmt.Errorf("op %d has %d bytes, expected at most %d", b.Op, len(b.Body), BodyBytesMax)
	case b.Op == 0, b.Op < after.Op:
		return fmt.Errorf("op %d, expected at least %d", b.Op, max(after.Op, 1))
	case b.Offset != after.Next:
		return fmt.Errorf("op %d has offset %d, expected %d", b.Op, b.Offset, after.Next)
	case b.next() < b.Offset:
		return fmt.Errorf("op %d has %d messages at offset %d, expected no more offsets than "+
			"64 bits hold", b.Op, b.Messages, b.Offset)
	case b.Timestamp < after.Timestamp:
		return fmt.Errorf("op %d has timestamp %d, expected at least %d",
			b.Op, b.Timestamp, after.Timestamp)
	}
	return nil
}
