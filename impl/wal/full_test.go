package wal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// untilFull stores prepares of group 1 until the log refuses one, and returns the last op.
func untilFull(t require.TestingT, l *wal.Log, head wire.Op) wire.Op {
	for {
		_, err := l.Append(prepare(1, head+1, 3000))
		if err != nil {
			require.ErrorIs(t, err, wal.ErrFull)
			require.ErrorIs(t, err, storage.ErrFull)
			return head
		}
		head++
	}
}

// Space is kept back: a full disk stops prepares, not the state record that a release needs.
func TestAFullDiskIsAnAnswer(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(*memdisk.Disk){
		"the disk is full":        func(d *memdisk.Disk) { d.Limit(d.UsedBytes()) },
		"the log is at its bound": func(*memdisk.Disk) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk, 1)
			head := fillFiles(t, disk, l, 3)
			limit(disk)
			head = untilFull(t, l, head)
			store(t, l, state(1, head, false), prepare(1, head+1, 3000))
			n, err := l.Release(map[wire.GroupID]wire.Op{1: head})
			require.NoError(t, err)
			assert.Positive(t, n)
			store(t, l, prepare(1, head+2, 3000))
		})
	}
}

// Nothing that was acknowledged goes, and when somebody else makes space the log goes on as if
// nothing had been: in the same process or in the next.
func TestALogResumesWhenSpaceReturns(t *testing.T) {
	t.Parallel()
	for name, restarts := range map[string]bool{"in the same process": false, "after a boot": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk, 1)
			head := fillFiles(t, disk, l, 2)
			disk.Limit(disk.UsedBytes())
			head = untilFull(t, l, head)
			require.NoError(t, l.Sync())
			if restarts {
				disk.PowerLoss(memdisk.Nothing)
				var report wal.Report
				l, report = open(t, disk, 2)
				require.Len(t, report.Records, int(head))
				require.Empty(t, report.Discarded)
				untilFull(t, l, head+100) // It may have found a little more room, or not.
			}
			disk.Limit(0)
			store(t, l, prepare(2, 1, 3000))
			disk.PowerLoss(memdisk.Nothing)
			l, report := open(t, disk, 3)
			require.False(t, report.Damaged)
			for op := wire.Op(1); op <= head; op++ {
				body, err := l.Read(1, prepare(1, op, 0).ID())
				require.NoError(t, err)
				require.Equal(t, prepare(1, op, 3000).Body, body)
			}
			_, err := l.Read(2, prepare(2, 1, 0).ID())
			require.NoError(t, err)
		})
	}
}

// The whole checkpoint fits into what the log has reserved: snapshot, superblock, state record.
func TestACheckpointFinishesOnAFullDisk(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	super, err := superblock.Format(disk, "superblock", wire.ClusterID{Lo: 7})
	require.NoError(t, err)
	l, _ := open(t, disk, 1)
	head := fillFiles(t, disk, l, 5)
	disk.Limit(disk.UsedBytes())
	head = untilFull(t, l, head)
	take := func() error {
		return checkpoint.Take(disk, super, func(bases map[wire.GroupID]wire.Op) error {
			if _, err := l.Append(state(1, head, false)); err != nil {
				return err
			}
			if err := l.Sync(); err != nil {
				return err
			}
			n, err := l.Release(bases)
			assert.Positive(t, n)
			return err
		}, checkpoint.Part{
			Directory: "snapshots", State: superblock.VsrState{
				Cluster: wire.ClusterID{Lo: 7}, ReplicaCount: 1, CommitMax: head,
			},
			Snapshot: checkpoint.Snapshot{
				Cluster: wire.ClusterID{Lo: 7}, Group: 1, Prepare: prepare(1, head, 0).ID(),
				State: make([]byte, 12<<10),
			},
		})
	}
	require.ErrorIs(t, take(), storage.ErrFull, "a snapshot has no room of its own")
	bytes, err := l.MakeRoom()
	require.NoError(t, err)
	assert.EqualValues(t, 16<<10, bytes)
	bytes, err = l.MakeRoom()
	require.NoError(t, err)
	assert.Zero(t, bytes, "the last one is the state record's")
	require.NoError(t, take())
	store(t, l, prepare(1, head+1, 3000))
	disk.PowerLoss(memdisk.Nothing)
	outcome, err := superblock.Read(disk, "superblock")
	require.NoError(t, err)
	require.IsType(t, superblock.Present{}, outcome)
	found, _ := outcome.(superblock.Present).Record.Find(1)
	assert.Equal(t, head, found.Checkpoint.Op)
	_, report := open(t, disk, 2)
	assert.Equal(t, head+1, report.Records[len(report.Records)-1].Op)
	assert.False(t, report.Damaged)
}

// A disk that fails: the caller learns which error it was, nothing is acknowledged after it,
// and the next process finds all that was.
func TestAnErrorOfTheDiskIsPassedOn(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*wal.Log) error{
		"a write": func(l *wal.Log) error {
			_, err := l.Append(prepare(1, 2, 100))
			return err
		},
		"a roll": func(l *wal.Log) error {
			_, err := l.Append(prepare(1, 2, 15_000))
			return err
		},
		"making room": func(l *wal.Log) error {
			_, err := l.MakeRoom()
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			l, _ := open(t, disk, 1)
			store(t, l, prepare(1, 1, 100))
			disk.InjectAt(0, memdisk.Fault{Err: errBroken})
			require.ErrorIs(t, do(l), errBroken)
			disk.Inject(nil)
			require.ErrorIs(t, do(l), wal.ErrPoisoned)
			require.ErrorIs(t, do(l), errBroken, "and what had poisoned it")
			_, err := l.Read(1, prepare(1, 1, 0).ID())
			require.NoError(t, err, "reads go on")
			disk.PowerLoss(memdisk.Nothing)
			l, report := open(t, disk, 2)
			requireHolds(t, l, report, prepare(1, 1, 100))
		})
	}
}

// A first boot on a full disk has nothing to give back: what it then says is that the disk is full.
func TestALogThatNeverBeganHasNoSparesToRemove(t *testing.T) {
	t.Parallel()
	base, err := storage.OpenDirectory(t.TempDir())
	require.NoError(t, err)
	defer func() { require.NoError(t, base.Close()) }()
	require.NoError(t, wal.RemoveSpares(base, directory))
	require.ErrorIs(t, wal.Begun(base, directory), wal.ErrGone)
}
