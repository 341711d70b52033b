package crashtest

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	fileA = superblock.FileA // In the root: directorySuper.
	fileB = superblock.FileB
)

var (
	snapshot8  = path.Join(directorySnapshots(metadata), "00000000000000000008.snapshot")
	snapshot12 = path.Join(directorySnapshots(metadata), "00000000000000000012.snapshot")
)

func load(t *testing.T, disk *memdisk.Disk, name string) []byte {
	f, err := disk.Open(name)
	require.NoError(t, err)
	size, err := f.Size()
	require.NoError(t, err)
	content := make([]byte, size)
	_, err = f.ReadAt(content, 0)
	require.NoError(t, err)
	return content
}

func save(t *testing.T, disk *memdisk.Disk, name string, content []byte) {
	_ = disk.Remove(name)
	f, err := disk.Create(name)
	require.NoError(t, err)
	_, err = f.WriteAt(content, 0)
	require.NoError(t, err)
	require.NoError(t, f.Sync())
	require.NoError(t, disk.SyncDir(path.Dir(name)))
}

func rot(names ...string) func(*testing.T, *memdisk.Disk) {
	return func(t *testing.T, disk *memdisk.Disk) {
		for _, name := range names {
			require.NoError(t, disk.Rot(name, 40, 1))
		}
	}
}

func remove(names ...string) func(*testing.T, *memdisk.Disk) {
	return func(t *testing.T, disk *memdisk.Disk) {
		for _, name := range names {
			require.NoError(t, disk.Remove(name))
		}
	}
}

// write lets a host that runs write more into its superblock.
func write(change func(*superblock.VsrState)) func(*testing.T, *memdisk.Disk) {
	return func(t *testing.T, disk *memdisk.Disk) {
		super, err := superblock.Open(disk, directorySuper, cluster, directoryLog)
		require.NoError(t, err)
		state, found := super.Record().Find(metadata)
		require.True(t, found)
		change(&state)
		require.NoError(t, super.Write(superblock.GroupState{Group: metadata, VsrState: state}))
	}
}

// lagging takes a checkpoint of op 12 and puts the superblock of before it back.
func lagging(t *testing.T, disk *memdisk.Disk) {
	h, err := boot(disk, 2)
	require.NoError(t, err)
	a, b := load(t, disk, fileA), load(t, disk, fileB)
	require.NoError(t, h.take())
	save(t, disk, fileA, a)
	save(t, disk, fileB, b)
}

// otherState puts a snapshot of the same op and another state in the place of the paired one.
func otherState(t *testing.T, disk *memdisk.Disk) {
	other := memdisk.New(2)
	h, err := boot(other, 1)
	require.NoError(t, err)
	for op := wire.Op(1); op <= 8; op++ {
		for _, group := range []wire.GroupID{metadata, partition} {
			require.NoError(t, h.store(group, op))
			require.NoError(t, h.execute(group, op, bodyOf(group, op)))
		}
	}
	h.fold.Lo++
	require.NoError(t, h.take())
	save(t, disk, snapshot8, load(t, other, snapshot8))
}

// logFiles are those with batches, oldest first.
func logFiles(t *testing.T, disk *memdisk.Disk) (live []string) {
	names, err := disk.List(directoryLog)
	require.NoError(t, err)
	for _, name := range names {
		if path.Ext(name) == ".wal" {
			live = append(live, path.Join(directoryLog, name))
		}
	}
	return live
}

// tear makes the newest batch illegible: the partition's op 12.
func tear(t *testing.T, disk *memdisk.Disk) {
	live := logFiles(t, disk)
	name := live[len(live)-1]
	content := load(t, disk, name)
	end := len(content)
	for ; end > 0 && content[end-1] == 0; end-- {
		continue
	}
	end = (end + wal.SectorBytes - 1) / wal.SectorBytes * wal.SectorBytes
	for at := end - 2*wal.SectorBytes; at < end; at++ {
		require.NoError(t, disk.Rot(name, int64(at), 0x55))
	}
}

// Where a superblock has its version, and a byte of its checksum.
const atVersion, atSum = 4, 50

// Seed 004: superblock, snapshot and log, each in the states that a boot can find it in. A
// checkpoint of op 8 is paired; the log has 12 ops of each group.
func TestSeed004(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		harm func(*testing.T, *memdisk.Disk)
		// The checkpoint found, and the newest op executed, by group.
		checkpoint, metadata, partition wire.Op
		unreadable                      superblock.Why
		mismatch                        checkpoint.Why
	}{
		"present: recovers from snapshot and log": {nil, 8, 12, 12, 0, 0},
		"one slot unreadable: the other counts":   {rot(fileA), 8, 12, 12, 0, 0},
		"one slot gone: the other counts":         {remove(fileB), 8, 12, 12, 0, 0},
		"every slot unreadable: refused": {
			harm: rot(fileA, fileB), unreadable: superblock.WhyDamaged,
		},
		"no slot, but a log: lost, not fresh": {
			harm: remove(fileA, fileB), unreadable: superblock.WhyMissing,
		},
		"another file in a slot: refused": {
			harm: func(t *testing.T, disk *memdisk.Disk) {
				save(t, disk, fileA, []byte("notes"))
				save(t, disk, fileB, []byte("notes"))
			}, unreadable: superblock.WhyForeign,
		},
		"every slot torn: refused": {
			harm: func(t *testing.T, disk *memdisk.Disk) {
				for _, name := range []string{fileA, fileB} {
					save(t, disk, name, load(t, disk, name)[:100])
				}
			}, unreadable: superblock.WhyDamaged,
		},
		"a version that is not known: refused": {
			harm: func(t *testing.T, disk *memdisk.Disk) {
				for _, name := range []string{fileA, fileB} {
					content := load(t, disk, name)
					content[atVersion]++
					content[atSum]++ // Another version, another checksum.
					save(t, disk, name, content)
				}
			}, unreadable: superblock.WhyOtherVersion,
		},
		"one slot of such a version: the other does not count either": {
			harm: func(t *testing.T, disk *memdisk.Disk) {
				content := load(t, disk, fileA)
				content[atVersion]++
				content[atSum]++
				save(t, disk, fileA, content)
			}, unreadable: superblock.WhyOtherVersion,
		},
		"a crash before the pairing: the old checkpoint, and the log is whole": {
			func(t *testing.T, disk *memdisk.Disk) {
				save(t, disk, path.Join(directorySnapshots(metadata), "new.tmp"), []byte("half"))
			}, 8, 12, 12, 0, 0,
		},
		"... with a torn snapshot under its name": {
			func(t *testing.T, disk *memdisk.Disk) {
				save(t, disk, snapshot12, load(t, disk, snapshot8)[:50])
			}, 8, 12, 12, 0, 0,
		},
		"a crash after the pairing: the new checkpoint": {
			func(t *testing.T, disk *memdisk.Disk) {
				h, err := boot(disk, 2)
				require.NoError(t, err)
				require.NoError(t, h.take())
			}, 12, 12, 12, 0, 0,
		},
		"the superblock lags behind a complete snapshot: accepted": {lagging, 12, 12, 12, 0, 0},
		"the superblock is ahead of the snapshot: refused": {
			harm: remove(snapshot8), mismatch: checkpoint.Missing,
		},
		"another checksum at the same op: refused": {
			harm: otherState, mismatch: checkpoint.Unpaired,
		},
		"a snapshot that cannot be decoded: refused": {
			harm: rot(snapshot8), mismatch: checkpoint.Damaged,
		},
		"commit_max is a lower bound of recovery, no more": {
			write(func(s *superblock.VsrState) { s.CommitMax = 100 }), 8, 12, 12, 0, 0,
		},
		"a torn tail of the log is cut, and nothing before it": {tear, 8, 12, 11, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			disk := memdisk.New(1)
			require.NoError(t, Fill(disk))
			if tc.harm != nil {
				tc.harm(t, disk)
			}
			disk.PowerLoss(memdisk.Everything)
			before := len(disk.Operations())
			h, err := boot(disk, 9)
			switch {
			case tc.unreadable != 0:
				var found superblock.Unreadable
				require.ErrorAs(t, err, &found)
				assert.Equal(t, tc.unreadable, found.Why)
				for _, op := range disk.Operations()[before:] {
					assert.Contains(t, []memdisk.OperationKind{
						memdisk.OperationOpen, memdisk.OperationRead,
					}, op.Kind, "a refusal changes nothing")
				}
				return
			case tc.mismatch != 0:
				var found *checkpoint.MismatchError
				require.ErrorAs(t, err, &found)
				assert.Equal(t, tc.mismatch, found.Why)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.checkpoint, h.booted[metadata])
			assert.Equal(t, tc.metadata, h.executed[metadata])
			assert.Equal(t, tc.partition, h.executed[partition])
		})
	}
}

// The outcome that is no refusal and no recovery.
func TestSeed004AFreshStart(t *testing.T) {
	t.Parallel()
	h, err := boot(memdisk.New(1), 1)
	require.NoError(t, err)
	assert.Empty(t, h.super.Record().Groups)
	assert.Zero(t, h.executed[metadata])
}

// Interior rot is not a torn tail: what lies behind it was synced, so it is read past, and the
// group says of nothing that it never had it.
func TestSeed004InteriorRot(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	require.NoError(t, Fill(disk))
	name := logFiles(t, disk)[0]
	config := wal.Config{
		Directory: directoryLog, FileBytes: fileBytes, FilesMax: 8, RecordsMax: 1000,
		Incarnation: wire.Uint128{Lo: 9}, Kernel: wire.Uint128{Lo: 7},
	}
	for at := int64(1024); at < 2048; at++ { // The second batch: all of it.
		require.NoError(t, disk.Rot(name, at, 0x55))
	}
	disk.Kill()
	_, report, err := wal.Open(disk, config)
	require.NoError(t, err)
	assert.Equal(t, wal.Rot, report.Discarded[0].Reason)
	assert.Equal(t, wire.Op(12), report.Records[len(report.Records)-1].Op)
	assert.True(t, report.Damaged)
}

// What was durable before a message left is there after a power loss, and cannot go back.
func TestSeed004AViewSurvives(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	require.NoError(t, Fill(disk))
	write(func(s *superblock.VsrState) { s.View, s.LogView = 5, 4 })(t, disk)
	disk.PowerLoss(memdisk.Nothing)
	h, err := boot(disk, 9)
	require.NoError(t, err)
	state := h.state(metadata)
	assert.Equal(t, []wire.View{5, 4}, []wire.View{state.View, state.LogView})
	state.View = 4
	var back *superblock.RegressionError
	require.ErrorAs(t, h.super.Write(superblock.GroupState{Group: metadata, VsrState: state}), &back)
}
