package batch

import (
	"encoding/binary"
	"iter"
	"math"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Batch is one record, in memory that others own: it is valid as long as that does not change.
type Batch struct{ p []byte }

// Decode verifies that p is exactly one batch. It keeps p and copies nothing.
//
// Errors: [*Error].
func Decode(p []byte) (Batch, error) {
	b, rest, err := DecodeFirst(p)
	if err == nil && len(rest) > 0 {
		err = refuse(Long, len(p)-len(rest), uint64(len(p)), uint64(len(b.p)))
	}
	if err != nil {
		return Batch{}, err
	}
	return b, nil
}

// DecodeFirst verifies the batch at the beginning of p, and returns what lies behind it: a
// poll's reply has several.
//
// Errors: [*Error].
func DecodeFirst(p []byte) (b Batch, rest []byte, err error) {
	size, refused := sizeOf(p)
	if refused == nil {
		refused = check(p[:size])
	}
	if refused != nil {
		return Batch{}, nil, refused
	}
	return Batch{p[:size:size]}, p[size:], nil
}

// View is the batch at the beginning of bytes that were decoded before, and what lies behind
// it. Nothing is verified.
func View(p []byte) (b Batch, rest []byte) {
	size := binary.LittleEndian.Uint64(p[atLength:])
	return Batch{p[:size:size]}, p[size:]
}

// sizeOf reads how long the batch at the beginning of p is, if all of it is there.
func sizeOf(p []byte) (uint64, *Error) {
	if len(p) < HeaderBytes {
		return 0, refuse(Short, 0, uint64(len(p)), HeaderBytes)
	}
	size := binary.LittleEndian.Uint64(p[atLength:])
	switch {
	case size < HeaderBytes:
		return 0, refuse(Length, atLength, size, HeaderBytes)
	case size > BytesMax:
		return 0, refuse(Length, atLength, size, BytesMax)
	case size > uint64(len(p)):
		return 0, refuse(Short, 0, uint64(len(p)), size)
	}
	return size, nil
}

// check verifies exactly one batch.
func check(p []byte) *Error {
	for at, x := range p[atReserved:HeaderBytes] {
		if x != 0 {
			return refuse(Reserved, atReserved+at, uint64(x), 0)
		}
	}
	h := headerOf(p)
	count, at, delta := uint64(0), HeaderBytes, uint32(0)
	for at < len(p) {
		size, refused := checkFrame(p, at)
		if refused != nil {
			return refused
		}
		got := binary.LittleEndian.Uint32(p[at+frameOffsetDelta:])
		if count == 0 {
			delta = got
		}
		if got != delta || got == math.MaxUint32 || h.BaseOffset+uint64(got)+1 < h.BaseOffset {
			return refuse(Deltas, at+frameOffsetDelta, uint64(got), uint64(delta))
		}
		count, at, delta = count+1, at+size, delta+1
	}
	if count == 0 || count != uint64(h.Messages) {
		return refuse(Tiling, atCount, uint64(h.Messages), max(count, 1))
	}
	if want := sumOf(p); want != h.Checksum {
		return refuse(BatchChecksum, atChecksum, h.Checksum, want)
	}
	return nil
}

// checkFrame verifies the frame at a place in a batch and returns its size.
func checkFrame(p []byte, at int) (int, *Error) {
	frame := p[at:]
	if len(frame) < FrameBytes {
		return 0, refuse(Tiling, at, uint64(len(frame)), FrameBytes)
	}
	size := frameSize(frame)
	if size > uint64(len(frame)) {
		return 0, refuse(Tiling, at, size, uint64(len(frame)))
	}
	frame = frame[:size]
	if got := binary.LittleEndian.Uint64(frame[frameReserved:]); got != 0 {
		return 0, refuse(Reserved, at+frameReserved, got, 0)
	}
	got, want := binary.LittleEndian.Uint64(frame[frameChecksum:]), frameSum(frame)
	if got != want {
		return 0, refuse(FrameChecksum, at, got, want)
	}
	return len(frame), nil
}

// Bytes returns the record.
func (b Batch) Bytes() []byte { return b.p }

// Header returns what the batch says of itself.
func (b Batch) Header() Header { return headerOf(b.p) }

// First returns the offset of the first message.
func (b Batch) First() uint64 {
	return binary.LittleEndian.Uint64(b.p[atBaseOffset:]) + uint64(b.delta())
}

// delta is that of the first message.
func (b Batch) delta() uint32 {
	return binary.LittleEndian.Uint32(b.p[HeaderBytes+frameOffsetDelta:])
}

// Next returns the offset behind the last message.
func (b Batch) Next() uint64 {
	return b.First() + uint64(binary.LittleEndian.Uint32(b.p[atCount:]))
}

// Fresh says whether a batch may be appended to a partition: its messages are counted from 0,
// as a producer counts them.
func (b Batch) Fresh() bool { return b.delta() == 0 }

// Message is one message. Its slices lie in the batch.
type Message struct {
	ID     wire.Uint128
	Offset uint64
	// Timestamp is the producer's, in microseconds.
	Timestamp            uint64
	Payload, UserHeaders []byte
}

// Messages visits the messages in their order, without copying or allocating.
func (b Batch) Messages() iter.Seq[Message] {
	return func(yield func(Message) bool) {
		h := b.Header()
		for rest := b.p[HeaderBytes:]; len(rest) > 0; {
			size := frameSize(rest)
			if !yield(messageOf(&h, rest[:size:size])) {
				return
			}
			rest = rest[size:]
		}
	}
}

func messageOf(h *Header, frame []byte) Message {
	end := FrameBytes + binary.LittleEndian.Uint32(frame[framePayloadBytes:])
	return Message{
		ID: wire.Uint128{
			Lo: binary.LittleEndian.Uint64(frame[frameID:]),
			Hi: binary.LittleEndian.Uint64(frame[frameID+8:]),
		},
		Offset: h.BaseOffset + uint64(binary.LittleEndian.Uint32(frame[frameOffsetDelta:])),
		Timestamp: h.OriginTimestamp +
			uint64(binary.LittleEndian.Uint32(frame[frameTimestampDelta:])),
		Payload: frame[FrameBytes:end:end], UserHeaders: frame[end:],
	}
}

// AppendRange appends a batch of those messages that have offsets from first on, at most count
// of them, and returns how many these are. The messages are the same to the byte, with the
// offsets they have; a whole batch is copied as it is. None are no batch: nothing is appended.
func (b Batch) AppendRange(dst []byte, first uint64, count uint32) ([]byte, uint32) {
	h := b.Header()
	from := max(first, b.First())
	if from >= b.Next() || count == 0 {
		return dst, 0
	}
	n := uint32(min(uint64(count), b.Next()-from))
	if n == h.Messages {
		return append(dst, b.p...), n
	}
	begin := HeaderBytes
	for range from - b.First() {
		begin += int(frameSize(b.p[begin:]))
	}
	end := begin
	for range n {
		end += int(frameSize(b.p[end:]))
	}
	start := len(dst)
	dst = append(append(dst, b.p[:HeaderBytes]...), b.p[begin:end]...)
	part := dst[start:]
	binary.LittleEndian.PutUint64(part[atLength:], uint64(len(part)))
	binary.LittleEndian.PutUint32(part[atCount:], n)
	binary.LittleEndian.PutUint64(part[atChecksum:], sumOf(part))
	return dst, n
}
