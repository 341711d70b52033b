package wal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// batchBytes is the size of every batch here: the boot's, and those of one prepare.
const batchBytes = 1024

func ruin(t *testing.T, disk *memdisk.Disk, batches ...int64) {
	for _, n := range batches {
		for at := n * batchBytes; at < (n+1)*batchBytes; at++ {
			require.NoError(t, disk.Rot(firstFile, at, 0x55))
		}
	}
}

// Each reason for which recovery does not adopt bytes, by what causes it. Of five batches the
// first is the boot's.
func TestEachReason(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		flushed  bool
		harm     func(*testing.T, *memdisk.Disk)
		want     wal.Discard // File is the first one.
		records  int
		doubtful bool
	}{
		"torn tail: nobody can read the last batch": {
			true, func(t *testing.T, d *memdisk.Disk) { ruin(t, d, 4) },
			wal.Discard{Offset: 4096, Bytes: 1024, Reason: wal.TornTail},
			3, true,
		},
		"torn tail: or the last two, of which nothing says that they were flushed": {
			false, func(t *testing.T, d *memdisk.Disk) { ruin(t, d, 3, 4) },
			wal.Discard{Offset: 3072, Bytes: 2048, Reason: wal.TornTail},
			2, true,
		},
		"torn tail: half of the last batch, which its other half tells": {
			true, func(t *testing.T, d *memdisk.Disk) {
				require.NoError(t, d.Rot(firstFile, 4096+700, 1))
			}, wal.Discard{Offset: 4096 + 192, Bytes: 1024 - 2*192, Reason: wal.TornTail}, 4, false,
		},
		"rot: a batch behind says that it was flushed": {
			true, func(t *testing.T, d *memdisk.Disk) { ruin(t, d, 2) },
			wal.Discard{Offset: 2048, Bytes: 1024, Reason: wal.Rot},
			3, true,
		},
		"rot: of a body, in a batch that was flushed": {
			true, func(t *testing.T, d *memdisk.Disk) { require.NoError(t, d.Rot(firstFile, 2048+300, 1)) },
			wal.Discard{Offset: 2048 + 192, Bytes: 1024 - 2*192, Reason: wal.Rot},
			4, false,
		},
		"orphaned: a batch behind one that was never flushed": {
			false, func(t *testing.T, d *memdisk.Disk) { ruin(t, d, 3) },
			wal.Discard{
				Offset: 4096, Bytes: 1024, Records: 1, BodyBytes: 100, Reason: wal.Orphaned,
			},
			2, true,
		},
		"foreign incarnation: behind the cut of a boot that died before it cleared": {
			false, func(t *testing.T, d *memdisk.Disk) {
				ruin(t, d, 3)
				dieBeforeClearing(t, d)
			},
			wal.Discard{
				Offset: 4096, Bytes: 1024, Records: 1, BodyBytes: 100, Reason: wal.ForeignIncarnation,
			},
			2, true,
		},
		"misdirected: a batch in a place not its own": {
			true, func(t *testing.T, d *memdisk.Disk) { copyBatch(t, d, 2, 8) },
			wal.Discard{
				Offset: 8192, Bytes: 1024, Records: 1, BodyBytes: 100, Reason: wal.Misdirected,
			},
			4, true,
		},
		"stale: bytes behind the end that nothing knows": {
			true, func(t *testing.T, d *memdisk.Disk) { require.NoError(t, d.Rot(firstFile, 9000, 1)) },
			wal.Discard{Offset: 8704, Bytes: 512, Reason: wal.StaleRecycled},
			4, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk, 1)
			for op := wire.Op(1); op <= 4; op++ {
				_, err := l.Append(prepare(1, op, 100))
				require.NoError(t, err)
				if tc.flushed {
					require.NoError(t, l.Sync())
				}
			}
			disk.Kill()
			tc.harm(t, disk)
			l, report := open(t, disk, 3)
			tc.want.File = firstFile[len(directory)+1:]
			assert.Contains(t, report.Discarded, tc.want, report.String())
			assert.Len(t, report.Records, tc.records)
			assert.Equal(t, tc.doubtful, report.InDoubt(1, true))
			assert.Equal(t, tc.doubtful, report.InDoubt(2, true), "rot does not say whose it took")
			store(t, l, prepare(1, 9, 100))
			_, again := open(t, disk, 4)
			assert.Len(t, again.Records, tc.records+1, "the log works on")
		})
	}
}

// copyBatch copies a batch to another place of the file.
func copyBatch(t *testing.T, disk *memdisk.Disk, from, to int64) {
	f, err := disk.Open(firstFile)
	require.NoError(t, err)
	b := make([]byte, batchBytes)
	_, err = f.ReadAt(b, from*batchBytes)
	require.NoError(t, err)
	_, err = f.WriteAt(b, to*batchBytes)
	require.NoError(t, err)
}

// dieBeforeClearing boots up to where the boot's own batch is flushed, and puts back what the
// boot has cleared behind it.
func dieBeforeClearing(t *testing.T, disk *memdisk.Disk) {
	f, err := disk.Open(firstFile)
	require.NoError(t, err)
	left := make([]byte, batchBytes)
	_, err = f.ReadAt(left, 4*batchBytes)
	require.NoError(t, err)
	_, report := open(t, disk, 2)
	require.True(t, report.Damaged)
	_, err = f.WriteAt(left, 4*batchBytes)
	require.NoError(t, err)
	disk.Kill()
}
