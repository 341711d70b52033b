package wal_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// The offsets of doc.go: who changes one changes the format.
func TestTheLayoutOfABatchIsTheOneInTheDocuments(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 5)
	r := prepare(3, 9, 30)
	r.LogView, r.Fill = 4, true
	store(t, l, r)
	f, err := disk.Open(firstFile)
	require.NoError(t, err)
	b := make([]byte, 2048)
	_, err = f.ReadAt(b, 0)
	require.NoError(t, err)
	boot, batch := b[:1024], b[1024:]
	assert.Equal(t, "VSJ2", string(batch[:4]))
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(batch[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(batch[at:]) }
	for at, want := range map[int]uint32{4: 1, 24: 1024, 28: 0, 128 + 48: 4, 128 + 52: 30} {
		assert.Equal(t, want, u32(at), "4 bytes at %d", at)
	}
	for at, want := range map[int]uint64{
		8: 2, 16: 1, 48: 5, 56: 0, 64: 77, 72: 0, 80: 1, 88: 1024,
		128: 3, 128 + 8: 9, 128 + 16: r.Checksum.Lo, 128 + 24: r.Checksum.Hi,
	} {
		assert.Equal(t, want, u64(at), "8 bytes at %d", at)
	}
	assert.Equal(t, boot[112:128], batch[32:48], "chain")
	assert.Equal(t, sumOf(r.Body), batch[128+32:128+48], "checksum of the body")
	assert.Equal(t, []byte{1, 1, 0, 0, 0, 0, 0, 0}, batch[128+56:192], "kind, flags, zeros")
	assert.Equal(t, r.Body, batch[192:222])
	assert.Equal(t, make([]byte, 1024-192-222), batch[222:1024-192], "zeros")
	assert.Equal(t, sumOf(batch[128:192])[:8], batch[96:104], "checksum of the index")
	assert.Equal(t, make([]byte, 8), batch[104:112], "one record")
	assert.Equal(t, sumOf(batch[:112]), batch[112:128], "checksum of the header")
	assert.Equal(t, batch[128:192], batch[1024-192:1024-128], "index again")
	assert.Equal(t, batch[:128], batch[1024-128:], "header again")
}

// A batch of several records has one checksum for all of them in a row.
func TestABatchOfSeveralRecordsHasOneChecksumOfAll(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 5)
	store(t, l, prepare(3, 9, 30), prepare(4, 1, 40))
	f, err := disk.Open(firstFile)
	require.NoError(t, err)
	batch := make([]byte, 1024)
	_, err = f.ReadAt(batch, 1024)
	require.NoError(t, err)
	assert.Equal(t, sumOf(batch[128:256])[:8], batch[96:104], "index")
	assert.Equal(t, sumOf(batch[128 : 256+70])[:8], batch[104:112], "index and bodies")
}

func sumOf(b []byte) []byte {
	c := wire.ChecksumOf(b)
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, c.Lo), c.Hi)
}

// A checksum that the caller knows is not computed again, so a wrong one is the caller's.
func TestAKnownChecksumOfABodyIsTaken(t *testing.T) {
	t.Parallel()
	l, _ := open(t, memdisk.New(1), 1)
	known, wrong := prepare(1, 1, 300), prepare(1, 2, 300)
	known.ChecksumBody, wrong.ChecksumBody = wire.ChecksumOf(known.Body), wire.Checksum{Lo: 1}
	store(t, l, known, wrong)
	body, err := l.Read(1, known.ID())
	require.NoError(t, err)
	assert.Equal(t, known.Body, body)
	_, err = l.Read(1, wrong.ID())
	require.ErrorIs(t, err, wal.ErrDamaged)
}
