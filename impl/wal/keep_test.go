package wal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// tornDisk has a log of some flushed batches and a last one, in the first file, that nobody can
// read.
func tornDisk(t *testing.T) *memdisk.Disk {
	t.Helper()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	for op := wire.Op(1); op <= 3; op++ {
		store(t, l, prepare(1, op, 317))
	}
	name, offset, bytes := l.NewestPlace()
	disk.PowerLoss(memdisk.Everything)
	for at := offset + 100; at < offset+bytes; at++ {
		require.NoError(t, disk.Rot(directory+"/"+name, at, 0x55))
	}
	return disk
}

// R15, R17: the mark of doubt stands for every group that has no newer state record, also for one
// that has no batch in the mark's own file.
func TestAMarkOfDoubtStaysWhileAGroupReliesOnIt(t *testing.T) {
	t.Parallel()
	disk := tornDisk(t)
	l, report := open(t, disk, 2)
	require.True(t, report.InDoubt(1, true))
	head := fillFiles(t, disk, l, 4)
	store(t, l, prepare(2, 1, 100), state(1, head, false))
	checkpoints := map[wire.GroupID]wire.Op{1: head, 2: 1}
	n, err := l.Release(checkpoints)
	require.NoError(t, err)
	assert.Zero(t, n, "group 2 has no state record: it is in doubt by the mark alone")
	store(t, l, state(2, 1, true))
	n, err = l.Release(checkpoints)
	require.NoError(t, err)
	assert.Positive(t, n)
	disk.PowerLoss(memdisk.Nothing)
	_, report = open(t, disk, 3)
	assert.True(t, report.InDoubt(2, true), "says its state record")
	assert.False(t, report.InDoubt(1, true))
}

// R15, R17: all that the log had of a group may be what its boot could not read. The node knows the
// group by its superblock, and its doubt by the mark alone.
func TestAMarkOfDoubtStaysForAGroupOfWhichTheLogHasNothing(t *testing.T) {
	t.Parallel()
	disk := tornDisk(t)
	l, _ := open(t, disk, 2)
	head := fillFiles(t, disk, l, 4)
	store(t, l, state(1, head, false))
	checkpoints := map[wire.GroupID]wire.Op{1: head, 2: 0}
	n, err := l.Release(checkpoints)
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.Equal(t, map[wire.GroupID]wal.Need{2: {State: true}}, l.Blocking(checkpoints))
	store(t, l, state(2, 0, true))
	n, err = l.Release(checkpoints)
	require.NoError(t, err)
	assert.Positive(t, n)
	disk.PowerLoss(memdisk.Nothing)
	_, report := open(t, disk, 3)
	assert.True(t, report.InDoubt(2, true))
}

// R14: what lies in an older file is flushed, or a flush of the newest would speak for it.
func TestARollFlushesTheFileBefore(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	var records []wal.Record
	for op := wire.Op(1); ; op++ {
		records = append(records, prepare(1, op, 3000))
		_, err := l.Append(records[op-1])
		require.NoError(t, err)
		names, err := disk.List(directory)
		require.NoError(t, err)
		if live(names) == 2 {
			break
		}
	}
	require.NoError(t, l.Sync())
	disk.PowerLoss(memdisk.Nothing)
	l, report := open(t, disk, 2)
	requireHolds(t, l, report, records...)
}

// R15: a boot over a torn tail may end at any of its steps. Until its mark of doubt is durable,
// what makes the doubt must be there, so that the next boot finds one of them.
func TestTheDamageStaysUntilTheMarkOfDoubtIsDurable(t *testing.T) {
	t.Parallel()
	for name, survives := range map[string]memdisk.Survival{
		"what was written is there": memdisk.Everything, "only what was flushed": memdisk.Nothing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for step := 0; ; step++ {
				disk := tornDisk(t)
				disk.InjectAt(step, memdisk.Fault{Err: errBroken})
				_, _, failed := wal.Open(disk, config(2))
				disk.Inject(nil)
				disk.PowerLoss(survives)
				_, report := open(t, disk, 3)
				require.True(t, report.InDoubt(1, true), "the boot before ended at step %d", step)
				if failed == nil {
					require.Positive(t, step)
					return
				}
			}
		})
	}
}

// What a boot wrote behind its last flush was acknowledged to nobody, and later boots that flush
// it do not change that.
func TestAReportKnowsWhichRecordsTheirBootSawFlushed(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	store(t, l, prepare(1, 1, 317))
	for op := wire.Op(2); op <= 3; op++ {
		_, err := l.Append(prepare(1, op, 317))
		require.NoError(t, err)
	}
	for boot := range uint64(3) {
		disk.Kill()
		var report wal.Report
		l, report = open(t, disk, 2+boot)
		for i, flushed := range []bool{true, false, false} {
			assert.Equal(t, flushed, report.Flushed(&report.Records[i]), "boot %d, op %d", boot, i+1)
		}
		store(t, l, prepare(1, wire.Op(4+boot), 317))
	}
}
