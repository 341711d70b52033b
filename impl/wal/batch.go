package wal

import (
	"encoding/binary"

	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// SectorBytes is the unit of batches: what a disk writes whole or not at all.
	SectorBytes = 512

	magic       = "VSJ2"
	headerBytes = 128
	indexBytes  = 64

	offsetChecksum = 112 // In a header.

	flagDoubt = 1 // Of a batch: all before it is in doubt.

	flagFill    = 1 // Of a record.
	flagInDoubt = 2
)

// header is a batch's. Offsets are in doc.go.
type header struct {
	records             uint32
	sequence            Sequence
	syncedThrough       Sequence
	size, flags         uint32
	chain               wire.Checksum
	incarnation, kernel wire.Uint128
	file                Sequence
	offset              int64
	// checksumIndex is that of the index, checksumWhole that of index and bodies in a row, half of
	// each; the latter is zero in a batch of one record, whose body's checksum says as much. One
	// pass over all of it takes a fraction of what one over each part takes, and only a batch
	// that fails it is looked at in parts.
	checksumIndex, checksumWhole uint64
	// checksum covers what of the header lies before it.
	checksum wire.Checksum
}

// indexed is what an index holds of one record.
type indexed struct {
	Head
	checksumBody wire.Checksum
	size         uint32
}

// indexSize is how many bytes header and index take at either end of a batch.
func indexSize(records int) int { return headerBytes + records*indexBytes }

// batchSize is the size of a batch with so many records and bytes of bodies: whole sectors,
// and none that has to do with both indexes.
func batchSize(records, bodies int) int {
	end := indexSize(records)
	size := roundUp(end+bodies+end, SectorBytes)
	if (end-1)/SectorBytes >= (size-end)/SectorBytes {
		size += SectorBytes
	}
	return size
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// encode makes the bytes of a batch in memory that is given, zeros, at least as long as the batch.
// It sets size and checksums of h and returns it too.
func encode(h header, records []Record, zeros []byte) (header, []byte) {
	bodies := 0
	for _, r := range records {
		bodies += len(r.Body)
	}
	h.records, h.size = uint32(len(records)), uint32(batchSize(len(records), bodies))
	b := zeros[:h.size]
	end := indexSize(len(records))
	at := end
	for i, r := range records {
		putIndexed(b[headerBytes+i*indexBytes:], indexed{
			r.Head, r.checksumBody(), uint32(len(r.Body)),
		})
		at += copy(b[at:], r.Body)
	}
	h.checksumIndex = halfOf(b[headerBytes:end])
	if len(records) != 1 {
		h.checksumWhole = halfOf(b[headerBytes:at])
	}
	putHeader(b, h)
	h.checksum = wire.ChecksumOf(b[:offsetChecksum])
	putUint128(b[offsetChecksum:], wire.Uint128(h.checksum))
	copy(b[len(b)-end:], b[headerBytes:end])
	copy(b[len(b)-headerBytes:], b[:headerBytes])
	return h, b
}

// halfOf is half of a checksum: enough to tell damage, in a header that has room for no more.
func halfOf(b []byte) uint64 { return wire.ChecksumOf(b).Lo }

func putHeader(b []byte, h header) {
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[4:], h.records)
	binary.LittleEndian.PutUint64(b[8:], uint64(h.sequence))
	binary.LittleEndian.PutUint64(b[16:], uint64(h.syncedThrough))
	binary.LittleEndian.PutUint32(b[24:], h.size)
	binary.LittleEndian.PutUint32(b[28:], h.flags)
	putUint128(b[32:], wire.Uint128(h.chain))
	putUint128(b[48:], h.incarnation)
	putUint128(b[64:], h.kernel)
	binary.LittleEndian.PutUint64(b[80:], uint64(h.file))
	binary.LittleEndian.PutUint64(b[88:], uint64(h.offset))
	binary.LittleEndian.PutUint64(b[96:], h.checksumIndex)
	binary.LittleEndian.PutUint64(b[104:], h.checksumWhole)
}

func getHeader(b []byte) header {
	return header{
		records:       binary.LittleEndian.Uint32(b[4:]),
		sequence:      Sequence(binary.LittleEndian.Uint64(b[8:])),
		syncedThrough: Sequence(binary.LittleEndian.Uint64(b[16:])),
		size:          binary.LittleEndian.Uint32(b[24:]),
		flags:         binary.LittleEndian.Uint32(b[28:]),
		chain:         wire.Checksum(getUint128(b[32:])),
		incarnation:   getUint128(b[48:]),
		kernel:        getUint128(b[64:]),
		file:          Sequence(binary.LittleEndian.Uint64(b[80:])),
		offset:        int64(binary.LittleEndian.Uint64(b[88:])),
		checksumIndex: binary.LittleEndian.Uint64(b[96:]),
		checksumWhole: binary.LittleEndian.Uint64(b[104:]),
		checksum:      wire.Checksum(getUint128(b[offsetChecksum:])),
	}
}

func putIndexed(b []byte, x indexed) {
	binary.LittleEndian.PutUint64(b, uint64(x.Group))
	binary.LittleEndian.PutUint64(b[8:], uint64(x.Op))
	putUint128(b[16:], wire.Uint128(x.Checksum))
	putUint128(b[32:], wire.Uint128(x.checksumBody))
	binary.LittleEndian.PutUint32(b[48:], uint32(x.LogView))
	binary.LittleEndian.PutUint32(b[52:], x.size)
	b[56] = byte(x.Kind)
	if x.Fill {
		b[57] |= flagFill
	}
	if x.InDoubt {
		b[57] |= flagInDoubt
	}
}

func getIndexed(b []byte) indexed {
	return indexed{
		Head: Head{
			Kind:     Kind(b[56]),
			Group:    wire.GroupID(binary.LittleEndian.Uint64(b)),
			Op:       wire.Op(binary.LittleEndian.Uint64(b[8:])),
			Checksum: wire.Checksum(getUint128(b[16:])),
			LogView:  wire.View(binary.LittleEndian.Uint32(b[48:])),
			Fill:     b[57]&flagFill != 0,
			InDoubt:  b[57]&flagInDoubt != 0,
		},
		checksumBody: wire.Checksum(getUint128(b[32:])),
		size:         binary.LittleEndian.Uint32(b[52:]),
	}
}

// decodeHeader reads a header at the start of b. It reports false unless it is one that encode
// wrote, of a batch of at most so many bytes.
func decodeHeader(b []byte, room int) (header, bool) {
	if len(b) < headerBytes || string(b[:len(magic)]) != magic {
		return header{}, false
	}
	h := getHeader(b)
	if !h.possible(room) || h.checksum != wire.ChecksumOf(b[:offsetChecksum]) {
		return header{}, false
	}
	return h, true
}

// decodeFront reads header and index at the start of b, which reaches as far as the batch
// may. It reports false unless they are what encode wrote.
func decodeFront(b []byte) (header, []indexed, bool) {
	h, ok := decodeHeader(b, len(b))
	if !ok {
		return header{}, nil, false
	}
	return decodeIndex(h, b[headerBytes:indexSize(int(h.records))])
}

// decodeBack is decodeFront for the copy at the end of b.
func decodeBack(b []byte) (header, []indexed, bool) {
	if len(b) < headerBytes {
		return header{}, nil, false
	}
	h, ok := decodeHeader(b[len(b)-headerBytes:], len(b))
	if !ok {
		return header{}, nil, false
	}
	return decodeIndex(h, b[len(b)-indexSize(int(h.records)):len(b)-headerBytes])
}

// possible bounds what the size fields can say before a checksum vouches for them.
func (h header) possible(room int) bool {
	return h.size%SectorBytes == 0 && int64(h.size) <= int64(room) &&
		2*(headerBytes+int64(h.records)*indexBytes) <= int64(h.size)
}

func decodeIndex(h header, index []byte) (header, []indexed, bool) {
	if h.checksumIndex != halfOf(index) {
		return header{}, nil, false
	}
	all, _, ok := parseIndex(h, index)
	return h, all, ok
}

// parseIndex reads an index that something else vouches for. It also returns the size of all
// bodies.
func parseIndex(h header, index []byte) (all []indexed, bodies int, ok bool) {
	all = make([]indexed, h.records)
	for i := range all {
		all[i] = getIndexed(index[i*indexBytes:])
		if (Record{Head: all[i].Head}).check() != nil || all[i].size > h.size {
			return nil, 0, false
		}
		bodies += int(all[i].size)
	}
	return all, bodies, h.sequence > 0 && batchSize(len(all), bodies) == int(h.size)
}

func putUint128(b []byte, u wire.Uint128) {
	binary.LittleEndian.PutUint64(b, u.Lo)
	binary.LittleEndian.PutUint64(b[8:], u.Hi)
}

func getUint128(b []byte) wire.Uint128 {
	return wire.Uint128{
		Lo: binary.LittleEndian.Uint64(b), Hi: binary.LittleEndian.Uint64(b[8:]),
	}
}
