package segment

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	magicIndex       = "VSX1"
	indexHeaderBytes = 112
	placeBytes       = 24

	atIndexPlaces    = 20
	atIndexGroup     = 24
	atIndexStart     = 32
	atIndexCovered   = 40
	atIndexNext      = 48
	atIndexOp        = 56
	atIndexTimestamp = 64
	atIndexLast      = 72
	atIndexBefore    = 80
	atIndexAfter     = 96
)

// place is where a batch lies in its segment.
type place struct {
	offset, timestamp uint64
	position          int64
}

// extent is what is known of a segment's content: a function of its batches.
type extent struct {
	start uint64
	// covered bytes hold the batches up to offset next, the last of which lies at last.
	covered   int64
	next      uint64
	op        wire.Op
	timestamp uint64
	last      int64
	// before and after are the chain before the first and after the last batch.
	before, after wire.Checksum
	places        []place
}

// add takes a batch that was written, or found, behind the others.
func (e *extent) add(b Batch, l link, strideBytes int64) {
	if e.covered == 0 {
		e.before = l.before
	}
	if n := len(e.places); n == 0 || e.covered-e.places[n-1].position >= strideBytes {
		e.places = append(e.places, place{b.Offset, b.Timestamp, e.covered})
	}
	e.last = e.covered
	e.covered += b.bytes()
	e.next, e.op, e.timestamp, e.after = b.next(), b.Op, b.Timestamp, l.after
}

// byOffset is the position from which to look for an offset.
func (e *extent) byOffset(offset uint64) int64 {
	i, found := slices.BinarySearchFunc(e.places, offset, func(p place, o uint64) int {
		return cmp.Compare(p.offset, o)
	})
	return e.before1(i, found)
}

// byTime is the position from which to look for the first batch at or after a timestamp.
// Several batches may have the same one, so it is never the place of that very timestamp.
func (e *extent) byTime(timestamp uint64) int64 {
	i, _ := slices.BinarySearchFunc(e.places, timestamp, func(p place, t uint64) int {
		return cmp.Compare(p.timestamp, t)
	})
	return e.before1(i, false)
}

// before1 is the position at a place, or of the one before where nothing was found.
func (e *extent) before1(i int, found bool) int64 {
	if !found {
		i--
	}
	if i < 0 {
		return 0
	}
	return e.places[i].position
}

// encode returns the bytes of the index file.
func (e *extent) encode(group wire.GroupID) []byte {
	p := make([]byte, indexHeaderBytes, indexHeaderBytes+placeBytes*len(e.places))
	copy(p[atMagic:], magicIndex)
	binary.LittleEndian.PutUint32(p[atIndexPlaces:], uint32(len(e.places)))
	binary.LittleEndian.PutUint64(p[atIndexGroup:], uint64(group))
	binary.LittleEndian.PutUint64(p[atIndexStart:], e.start)
	binary.LittleEndian.PutUint64(p[atIndexCovered:], uint64(e.covered))
	binary.LittleEndian.PutUint64(p[atIndexNext:], e.next)
	binary.LittleEndian.PutUint64(p[atIndexOp:], uint64(e.op))
	binary.LittleEndian.PutUint64(p[atIndexTimestamp:], e.timestamp)
	binary.LittleEndian.PutUint64(p[atIndexLast:], uint64(e.last))
	putChecksum(p[atIndexBefore:], e.before)
	putChecksum(p[atIndexAfter:], e.after)
	for _, at := range e.places {
		p = binary.LittleEndian.AppendUint64(p, at.offset)
		p = binary.LittleEndian.AppendUint64(p, at.timestamp)
		p = binary.LittleEndian.AppendUint64(p, uint64(at.position))
	}
	putChecksum(p, wire.ChecksumOf(p[atMagic:]))
	return p
}

// decodeIndex reads an index file. Nothing but the bytes is verified: whether they describe
// a segment, see extent.describes.
func decodeIndex(p []byte) (e extent, group wire.GroupID, reason Reason) {
	if len(p) < indexHeaderBytes || string(p[atMagic:atIndexPlaces]) != magicIndex ||
		wire.ChecksumOf(p[atMagic:]) != getChecksum(p) {
		return extent{}, 0, IndexDamaged
	}
	places := int64(binary.LittleEndian.Uint32(p[atIndexPlaces:]))
	if int64(len(p)) != indexHeaderBytes+placeBytes*places {
		return extent{}, 0, IndexDamaged
	}
	e = extent{
		start:     binary.LittleEndian.Uint64(p[atIndexStart:]),
		covered:   int64(binary.LittleEndian.Uint64(p[atIndexCovered:])),
		next:      binary.LittleEndian.Uint64(p[atIndexNext:]),
		op:        wire.Op(binary.LittleEndian.Uint64(p[atIndexOp:])),
		timestamp: binary.LittleEndian.Uint64(p[atIndexTimestamp:]),
		last:      int64(binary.LittleEndian.Uint64(p[atIndexLast:])),
		before:    getChecksum(p[atIndexBefore:]), after: getChecksum(p[atIndexAfter:]),
	}
	for at := indexHeaderBytes; at < len(p); at += placeBytes {
		e.places = append(e.places, place{
			offset:    binary.LittleEndian.Uint64(p[at:]),
			timestamp: binary.LittleEndian.Uint64(p[at+8:]),
			position:  int64(binary.LittleEndian.Uint64(p[at+16:])),
		})
	}
	if !e.consistent() {
		return extent{}, 0, IndexDamaged
	}
	return e, wire.GroupID(binary.LittleEndian.Uint64(p[atIndexGroup:])), 0
}

// consistent says whether the numbers of an index can go together.
func (e *extent) consistent() bool {
	if len(e.places) == 0 || e.places[0].position != 0 || e.places[0].offset != e.start ||
		e.last < e.places[len(e.places)-1].position ||
		e.last > e.covered-BatchHeaderBytes || e.next <= e.start {
		return false
	}
	for i, p := range e.places[1:] {
		q := e.places[i]
		if p.offset <= q.offset || p.timestamp < q.timestamp || p.position <= q.position {
			return false
		}
	}
	last := e.places[len(e.places)-1]
	return last.offset < e.next && last.timestamp <= e.timestamp
}
