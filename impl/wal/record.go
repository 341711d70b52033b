package wal

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// HeaderBytes is the size of a record's header.
	HeaderBytes = 72
	// BodyBytesMax bounds a body, and so what recovery may have to hold in memory.
	BodyBytesMax = 64 << 20

	recordMagic = "VWL1"

	offsetSize           = 4
	offsetOp             = 8
	offsetSequence       = 16
	offsetChain          = 24
	offsetBodyChecksum   = 40
	offsetHeaderChecksum = 56
)

// Sequence numbers the records of a log, from 1. Zero is "before the first".
type Sequence uint64

// Record is a prepare to append.
type Record struct {
	Op   wire.Op
	Body []byte
}

// Header is what a stored record says about itself.
type Header struct {
	// SizeBytes counts header and body.
	SizeBytes uint32
	Op        wire.Op
	Sequence  Sequence
	// Chain is the Checksum of the record before; zero in the first.
	Chain wire.Checksum
	// BodyChecksum identifies the prepare, together with Op (R3).
	BodyChecksum wire.Checksum
	// Checksum is that of the header itself. It stands for the whole log up to here.
	Checksum wire.Checksum
}

// ID returns the identity by which the prepare is looked up.
func (h Header) ID() wire.PrepareID {
	return wire.PrepareID{Op: h.Op, Checksum: h.BodyChecksum}
}

// BodyBytes is the size of the body.
func (h Header) BodyBytes() int64 { return int64(h.SizeBytes) - HeaderBytes }

// follows reports whether h continues the log that ends with prev; the zero header
// stands for an empty log, which any op may start.
func (h Header) follows(prev Header) bool {
	return h.Sequence == prev.Sequence+1 && h.Chain == prev.Checksum &&
		h.Op != 0 && (prev.Sequence == 0 || h.Op == prev.Op+1)
}

// appendRecord appends the bytes of a record that follows prev, and returns its
// header too.
func appendRecord(dst []byte, prev Header, r Record) ([]byte, Header) {
	h := Header{
		SizeBytes:    uint32(HeaderBytes + len(r.Body)),
		Op:           r.Op,
		Sequence:     prev.Sequence + 1,
		Chain:        prev.Checksum,
		BodyChecksum: wire.ChecksumOf(r.Body),
	}
	var b [HeaderBytes]byte
	copy(b[:], recordMagic)
	binary.LittleEndian.PutUint32(b[offsetSize:], h.SizeBytes)
	binary.LittleEndian.PutUint64(b[offsetOp:], uint64(h.Op))
	binary.LittleEndian.PutUint64(b[offsetSequence:], uint64(h.Sequence))
	putChecksum(b[offsetChain:], h.Chain)
	putChecksum(b[offsetBodyChecksum:], h.BodyChecksum)
	h.Checksum = wire.ChecksumOf(b[:offsetHeaderChecksum])
	putChecksum(b[offsetHeaderChecksum:], h.Checksum)
	return append(append(dst, b[:]...), r.Body...), h
}

// decodeHeader reads a header of HeaderBytes bytes. It reports false unless the
// header is one that appendRecord wrote: magic, checksum and a possible size.
func decodeHeader(b []byte) (Header, bool) {
	h := Header{
		SizeBytes:    binary.LittleEndian.Uint32(b[offsetSize:]),
		Op:           wire.Op(binary.LittleEndian.Uint64(b[offsetOp:])),
		Sequence:     Sequence(binary.LittleEndian.Uint64(b[offsetSequence:])),
		Chain:        getChecksum(b[offsetChain:]),
		BodyChecksum: getChecksum(b[offsetBodyChecksum:]),
		Checksum:     getChecksum(b[offsetHeaderChecksum:]),
	}
	ok := string(b[:len(recordMagic)]) == recordMagic &&
		h.Checksum == wire.ChecksumOf(b[:offsetHeaderChecksum]) &&
		h.SizeBytes >= HeaderBytes && h.BodyBytes() <= BodyBytesMax
	return h, ok
}

func putChecksum(b []byte, c wire.Checksum) {
	_ = b[15]
	binary.LittleEndian.PutUint64(b, c.Lo)
	binary.LittleEndian.PutUint64(b[8:], c.Hi)
}

func getChecksum(b []byte) wire.Checksum {
	_ = b[15]
	return wire.Checksum{Lo: binary.LittleEndian.Uint64(b), Hi: binary.LittleEndian.Uint64(b[8:])}
}

// String describes the header for messages to people.
func (h Header) String() string {
	return fmt.Sprintf("record %d op=%d bytes=%d", h.Sequence, h.Op, h.SizeBytes)
}
