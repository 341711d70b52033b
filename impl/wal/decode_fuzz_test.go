package wal

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// sealBatch makes both checksums of a batch fit what its header says, as far as that can be:
// noise alone never passes them, and what lies behind is to be reached.
func sealBatch(b []byte) {
	if len(b) < headerBytes {
		return
	}
	h := getHeader(b)
	if end := indexSize(int(h.records) & 0xff); len(b) >= 2*end {
		binary.LittleEndian.PutUint64(b[96:], halfOf(b[headerBytes:end]))
		putUint128(b[112:], wire.Uint128(wire.ChecksumOf(b[:112])))
		copy(b[len(b)-end:], b[headerBytes:end])
		copy(b[len(b)-headerBytes:], b[:headerBytes])
	}
}

// Whatever the bytes: no panic, no write to the input, and an index that is accepted fits into
// the batch. Front and back of what encode wrote say the same.
func FuzzDecodeBatch(f *testing.F) {
	record := func(kind Kind, op wire.Op, body string) Record {
		return Record{Head: Head{Kind: kind, Group: 3, Op: op, LogView: 2}, Body: []byte(body)}
	}
	for _, records := range [][]Record{
		nil,
		{record(KindPrepare, 4, "a body")},
		{record(KindState, 4, ""), record(KindPrepare, 5, string(make([]byte, 900)))},
	} {
		_, b := encode(header{sequence: 7, syncedThrough: 6, file: 1, offset: 4096}, records,
			make([]byte, 4096))
		f.Add(b, false)
		f.Add(b[:len(b)-SectorBytes], true)
	}
	f.Add([]byte(magic), true)
	f.Add([]byte{}, false)
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal {
			sealBatch(b)
		}
		before := bytes.Clone(b)
		front, index, ok := decodeFront(b)
		back, indexBack, okBack := decodeBack(b)
		require.Equal(t, before, b, "decoding wrote to its input")
		if ok {
			require.LessOrEqual(t, int(front.size), len(b))
			require.Len(t, index, int(front.records))
		}
		if ok && okBack && int(front.size) == len(b) && front.checksum == back.checksum {
			require.Equal(t, front, back)
			require.Equal(t, index, indexBack)
		}
	})
}

// A name is one that the log gives, or none.
func FuzzParseName(f *testing.F) {
	f.Add(liveName(1))
	f.Add("1" + suffixSpare)
	f.Add(suffixLive)
	f.Add("18446744073709551616" + suffixLive)
	f.Fuzz(func(t *testing.T, name string) {
		if first, ok := parseName(name, suffixLive); ok {
			require.Equal(t, name, liveName(Sequence(first)))
		}
		parseName(name, suffixSpare)
	})
}
