package batch

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Builder collects messages into a batch, as a producer sends it. The zero Builder is ready.
// It may be used again after [Builder.Reset], in the memory that it has.
type Builder struct {
	p     []byte
	count uint32
}

// Reset begins a new batch. What Bytes returned before is written over.
func (b *Builder) Reset() { b.p, b.count = b.p[:0], 0 }

// Len returns how many messages there are, Size how many bytes the batch has with them.
func (b *Builder) Len() int { return int(b.count) }

// Size returns how many bytes the batch has, 0 while it has no message.
func (b *Builder) Size() int { return len(b.p) }

// Append adds a message; Offset is not used. The timestamp of the first is the batch's origin.
//
// Errors, with nothing added: the batch would have more than [BytesMax]; the message is older
// than the first, or more than 2^32-1 microseconds younger.
func (b *Builder) Append(m Message) error {
	size := FrameBytes + len(m.Payload) + len(m.UserHeaders)
	if max(len(b.p), HeaderBytes)+size > BytesMax || len(m.Payload)+len(m.UserHeaders) > BytesMax {
		return fmt.Errorf("append message of %d bytes to a batch of %d: expected at most %d together",
			size, len(b.p), BytesMax)
	}
	if len(b.p) == 0 {
		b.p = slices.Grow(b.p, HeaderBytes+size)[:HeaderBytes]
		clear(b.p)
		binary.LittleEndian.PutUint64(b.p[atOriginTimestamp:], m.Timestamp)
	}
	origin := binary.LittleEndian.Uint64(b.p[atOriginTimestamp:])
	if m.Timestamp < origin || m.Timestamp-origin > math.MaxUint32 {
		return fmt.Errorf("append message of time %d to a batch of time %d: expected at most %d later",
			m.Timestamp, origin, uint64(math.MaxUint32))
	}
	var frame [FrameBytes]byte
	binary.LittleEndian.PutUint64(frame[frameID:], m.ID.Lo)
	binary.LittleEndian.PutUint64(frame[frameID+8:], m.ID.Hi)
	binary.LittleEndian.PutUint32(frame[frameOffsetDelta:], b.count)
	binary.LittleEndian.PutUint32(frame[frameTimestampDelta:], uint32(m.Timestamp-origin))
	binary.LittleEndian.PutUint32(frame[frameHeadersBytes:], uint32(len(m.UserHeaders)))
	binary.LittleEndian.PutUint32(frame[framePayloadBytes:], uint32(len(m.Payload)))
	start := len(b.p)
	b.p = append(append(append(b.p, frame[:]...), m.Payload...), m.UserHeaders...)
	binary.LittleEndian.PutUint64(b.p[start:], frameSum(b.p[start:]))
	b.count++
	return nil
}

// Bytes returns the batch, nil if there is no message. It is valid until the next call of
// Append or Reset.
func (b *Builder) Bytes() []byte {
	if b.count == 0 {
		return nil
	}
	binary.LittleEndian.PutUint64(b.p[atLength:], uint64(len(b.p)))
	binary.LittleEndian.PutUint32(b.p[atCount:], b.count)
	binary.LittleEndian.PutUint64(b.p[atChecksum:], sumOf(b.p))
	return b.p
}
