package batch

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// HeaderBytes is the size of a batch's header.
	HeaderBytes = 256
	// FrameBytes is what a message takes beside its payload and user headers.
	FrameBytes = 48
	// BytesMax bounds a batch: it has to fit into the body of a prepare.
	BytesMax = wire.MaxBodyBytes
)

// Offsets in the header of a batch, as drawn in doc.go.
const (
	atPartition       = 0
	atBaseOffset      = 8
	atBaseTimestamp   = 16
	atOriginTimestamp = 24
	atLength          = 32
	atChecksum        = 40
	atCount           = 48
	atReserved        = 52
)

// Offsets in the frame of a message.
const (
	frameChecksum       = 0
	frameID             = 8
	frameOffsetDelta    = 24
	frameTimestampDelta = 28
	frameHeadersBytes   = 32
	framePayloadBytes   = 36
	frameReserved       = 40
)

// Header is what a batch says of itself.
type Header struct {
	// Partition, BaseOffset and BaseTimestamp are zero until [Stamp] has set them. Timestamps
	// are in microseconds.
	Partition, BaseOffset, BaseTimestamp uint64
	// OriginTimestamp is the producer's.
	OriginTimestamp uint64
	// Bytes is the size of the batch with its header.
	Bytes    uint64
	Checksum uint64
	// Messages is at least 1.
	Messages uint32
}

// headerOf reads a header from at least HeaderBytes.
func headerOf(p []byte) Header {
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(p[at:]) }
	return Header{
		Partition: u64(atPartition), BaseOffset: u64(atBaseOffset),
		BaseTimestamp: u64(atBaseTimestamp), OriginTimestamp: u64(atOriginTimestamp),
		Bytes: u64(atLength), Checksum: u64(atChecksum),
		Messages: binary.LittleEndian.Uint32(p[atCount:]),
	}
}

// frameSize is how many bytes the frame at the beginning of p says that it has. It may be more
// than there are.
func frameSize(p []byte) uint64 {
	return FrameBytes + uint64(binary.LittleEndian.Uint32(p[frameHeadersBytes:])) +
		uint64(binary.LittleEndian.Uint32(p[framePayloadBytes:]))
}

// frameSum is what the checksum of a frame must be.
func frameSum(frame []byte) uint64 { return xxh3.Hash(frame[frameID:]) }

// sumOf is what the checksum of a batch must be. The frames tile it.
func sumOf(p []byte) uint64 {
	var h xxh3.Hasher
	add := func(b []byte) { _, _ = h.Write(b) } // Its error is always nil.
	add(p[:atChecksum])
	add(p[atCount:atReserved])
	for rest := p[HeaderBytes:]; len(rest) > 0; rest = rest[frameSize(rest):] {
		add(rest[:frameID])
	}
	return h.Sum64()
}

// Stamp gives a batch that was decoded its place, where it lies, and renews its checksum.
func Stamp(p []byte, partition, baseOffset, baseTimestamp uint64) {
	binary.LittleEndian.PutUint64(p[atPartition:], partition)
	binary.LittleEndian.PutUint64(p[atBaseOffset:], baseOffset)
	binary.LittleEndian.PutUint64(p[atBaseTimestamp:], baseTimestamp)
	binary.LittleEndian.PutUint64(p[atChecksum:], sumOf(p))
}
