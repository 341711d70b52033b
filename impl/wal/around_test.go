package wal_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/disktest"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

func TestOnlyBatchesThatAreFlushedNextGoAroundThePageCache(t *testing.T) {
	t.Parallel()
	disk := &disktest.Around{Disk: memdisk.New(1)}
	l, _ := open(t, disk, 1)
	for i, size := range []int{0, 1, 317, 4096, 9000, 100} { // Over a roll, and growing memory.
		op := wire.Op(2*i + 1)
		_, err := l.Append(prepare(1, op, size))
		require.NoError(t, err)
		require.Equal(t, i, disk.Writes)
		_, err = l.AppendToFlush(prepare(1, op+1, size), state(1, op+1, false))
		require.NoError(t, err)
		require.Equal(t, i+1, disk.Writes)
		require.NoError(t, l.Sync())
	}
	assert.Zero(t, disk.Misaligned)
	require.NoError(t, l.Close())
	l, report := open(t, disk, 2)
	assert.False(t, report.Damaged, report.String())
	assert.Equal(t, 12, prepares(report))
	require.NoError(t, l.Close())
}

// prepares counts those that are present.
func prepares(report wal.Report) int {
	n := 0
	for _, r := range report.Records {
		if r.Kind == wal.KindPrepare && r.Present {
			n++
		}
	}
	return n
}

func TestAFailedWriteAroundThePageCachePoisons(t *testing.T) {
	t.Parallel()
	disk := &disktest.Around{Disk: memdisk.New(1), Fail: errBroken}
	l, _ := open(t, disk, 1)
	_, err := l.AppendToFlush(prepare(1, 1, 100))
	require.ErrorIs(t, err, errBroken)
	disk.Fail = nil
	_, err = l.Append(prepare(1, 1, 100))
	require.ErrorIs(t, err, wal.ErrPoisoned)
	require.ErrorIs(t, l.Sync(), wal.ErrPoisoned)
}

// On the operating system: batches of both ways share pages, are read at once and by others
// meanwhile, and are recovered.
func TestBatchesOfBothWaysShareTheirPages(t *testing.T) {
	t.Parallel()
	disk, err := storage.OpenDirectory(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	c := config(1)
	c.FileBytes = 256 << 10
	l, _, err := wal.Open(disk, c)
	require.NoError(t, err)
	const ops = 300
	written := make(chan wal.Record, ops)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for r := range written {
				body, err := l.Read(r.Group, r.ID())
				if assert.NoError(t, err) {
					assert.Equal(t, r.Body, body)
				}
			}
		})
	}
	for i := range ops {
		r := prepare(1, wire.Op(i+1), 100+i*7)
		appendTo := l.Append
		if i%3 > 0 {
			appendTo = l.AppendToFlush
		}
		_, err := appendTo(r)
		require.NoError(t, err)
		if i%5 == 0 {
			require.NoError(t, l.Sync())
		}
		written <- r
	}
	close(written)
	readers.Wait()
	require.NoError(t, l.Sync())
	require.NoError(t, l.Close())

	c.Incarnation = wire.Uint128{Lo: 2}
	l, report, err := wal.Open(disk, c)
	require.NoError(t, err)
	assert.False(t, report.Damaged, report.String())
	assert.Equal(t, ops, prepares(report))
	for i := range ops {
		r := prepare(1, wire.Op(i+1), 100+i*7)
		body, err := l.Read(r.Group, r.ID())
		require.NoError(t, err)
		require.Equal(t, r.Body, body)
	}
	require.NoError(t, l.Close())
}
