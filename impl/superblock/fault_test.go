package superblock_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
)

var errBroken = errors.New("broken")

// faults are the ways in which one operation fails. One that is torn takes effect in part:
// half of a write, any part of a sync.
var faults = map[string]memdisk.Fault{
	"fails before": {Err: errBroken},
	"fails after":  {Err: errBroken, After: true},
	"is torn":      {Err: errBroken, Bytes: 75},
}

// losses are the ways in which the process, or the machine, goes down.
var losses = map[string]func(*memdisk.Disk){
	"kill":                       (*memdisk.Disk).Kill,
	"power loss of all unsynced": func(d *memdisk.Disk) { d.PowerLoss(memdisk.Nothing) },
	"power loss of nothing":      func(d *memdisk.Disk) { d.PowerLoss(memdisk.Everything) },
	"power loss":                 func(d *memdisk.Disk) { d.PowerLoss(nil) },
}

// matrix is one case: an act on a superblock of record(from) that would make it record(to)
// meets a fault at its n-th storage operation, and then a crash.
type matrix struct {
	from, to int
	damaged  string // A file that is damaged before.
	act      func(storage.Disk) error
	wrap     func(*memdisk.Disk) storage.Disk
}

// run returns what is wrong afterwards, and whether the act has so many operations.
func (m matrix) run(
	t *testing.T, seed uint64, n int, fault memdisk.Fault, crash func(*memdisk.Disk),
) (wrong string, reached bool) {
	t.Helper()
	disk := memdisk.New(seed)
	formatted(t, disk, m.from)
	if m.damaged != "" {
		require.NoError(t, disk.Rot("node/"+m.damaged, 20, 1))
	}
	before := len(disk.Operations())
	var used storage.Disk = disk
	if m.wrap != nil {
		used = m.wrap(disk)
	}
	disk.InjectAt(n, fault)
	err := m.act(used)
	disk.Inject(nil)
	reached = len(disk.Operations())-before > n
	crash(disk)
	outcome, readErr := superblock.Read(disk, "node")
	if readErr != nil {
		return readErr.Error(), reached
	}
	present, ok := outcome.(superblock.Present)
	if !ok {
		return fmt.Sprintf("%T %v", outcome, outcome), reached
	}
	s, openErr := superblock.Open(disk, "node", example.Cluster)
	if openErr != nil {
		return openErr.Error(), reached
	}
	got := int(s.Record().Sequence) - 1
	switch {
	case !assert.ObjectsAreEqual(present.Record, s.Record()):
		return "Open and Read differ", reached
	case got != m.from && got != m.to, !assert.ObjectsAreEqual(record(got), s.Record()):
		return fmt.Sprintf("record %d, expected %d or %d", got, m.from, m.to), reached
	case err == nil && got != m.to:
		return "a complete update is lost", reached
	}
	return m.again(disk, s), reached
}

// again checks that what Open has returned for stands, whatever comes then.
func (m matrix) again(disk *memdisk.Disk, opened *superblock.Store) string {
	disk.PowerLoss(memdisk.Nothing)
	for _, file := range []string{superblock.FileA, superblock.FileB} {
		if err := disk.Rot("node/"+file, 30, 1); err != nil {
			return err.Error()
		}
		s, err := superblock.Open(disk, "node", example.Cluster)
		if err != nil {
			return err.Error()
		}
		if !assert.ObjectsAreEqual(opened.Record(), s.Record()) {
			return "what Open returned is forgotten when one copy is damaged"
		}
	}
	return ""
}

// all runs every case and returns how many there were, and what was wrong in them.
func (m matrix) all(t *testing.T, seeds int) (cases int, wrong map[string]int) {
	t.Helper()
	wrong = map[string]int{}
	for faultName, fault := range faults {
		for lossName, loss := range losses {
			for seed := range seeds {
				if lossName != "power loss" && seed > 0 {
					break // Nothing is left to chance.
				}
				for n := 0; ; n++ {
					why, reached := m.run(t, uint64(seed), n, fault, loss)
					if !reached {
						break
					}
					cases++
					if why != "" {
						wrong[why]++
						t.Logf("operation %d %s, then %s, seed %d: %s", n, faultName, lossName, seed, why)
					}
				}
			}
		}
	}
	return cases, wrong
}

func openAndWrite(disk storage.Disk) error {
	s, err := superblock.Open(disk, "node", example.Cluster)
	if err != nil {
		return err
	}
	return s.Write(state(3))
}

// R16: whatever operation fails in whatever way, and whatever crash follows, the old record
// or the new one is there; a complete update is there.
func TestNoFaultDestroysTheLastRecord(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]matrix{
		"an update": {from: 2, to: 3, act: openAndWrite},
		"an update over a damaged first copy": {
			from: 2, to: 3, act: openAndWrite, damaged: superblock.FileA,
		},
		"an update over a damaged second copy": {
			from: 2, to: 3, act: openAndWrite, damaged: superblock.FileB,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cases, wrong := m.all(t, 8)
			assert.Empty(t, wrong)
			require.Greater(t, cases, 300)
			t.Logf("%d cases", cases)
		})
	}
}

// The first update: a directory that a crash leaves is empty or formatted, and can be
// formatted or opened.
func TestFormatIsDoneOrNot(t *testing.T) {
	t.Parallel()
	cases := 0
	for _, fault := range faults {
		for _, loss := range losses {
			for n := 0; ; n++ {
				disk := memdisk.New(uint64(n))
				disk.InjectAt(n, fault)
				_, err := superblock.Format(disk, "node", example.Cluster)
				disk.Inject(nil)
				if len(disk.Operations()) <= n {
					require.NoError(t, err)
					break
				}
				cases++
				loss(disk)
				outcome, readErr := superblock.Read(disk, "node")
				require.NoError(t, readErr)
				if err == nil {
					require.IsType(t, superblock.Present{}, outcome)
				}
				switch outcome.(type) {
				case superblock.Empty:
					formatted(t, disk, 1)
				case superblock.Present:
					s, err := superblock.Open(disk, "node", example.Cluster)
					require.NoError(t, err)
					require.NoError(t, s.Write(state(1)))
				case superblock.Unreadable:
					t.Fatalf("operation %d: %v", n, outcome)
				}
			}
		}
	}
	assert.Greater(t, cases, 100)
	t.Logf("%d cases", cases)
}

// forgetful is a disk whose owner leaves out a kind of operation.
type forgetful struct {
	*memdisk.Disk
	noSync, noSyncDir bool
}

func (d forgetful) Create(name string) (storage.File, error) {
	f, err := d.Disk.Create(name)
	return forgetfulFile{f, d.noSync}, err
}

func (d forgetful) SyncDir(name string) error {
	if d.noSyncDir {
		return nil
	}
	return d.Disk.SyncDir(name)
}

type forgetfulFile struct {
	storage.File
	noSync bool
}

func (f forgetfulFile) Sync() error {
	if f.noSync {
		return nil
	}
	return f.File.Sync()
}

// Negative controls: the matrix notices each step that is left out.
func TestTheMatrixNoticesAMissingStep(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		disk forgetful
		want string
	}{
		"no sync of the file": {
			forgetful{noSync: true}, "superblock.Unreadable superblock node/superblock.a",
		},
		"no sync of the directory": {forgetful{noSyncDir: true}, "a complete update is lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, wrong := matrix{
				from: 2, to: 3, act: openAndWrite,
				wrap: func(d *memdisk.Disk) storage.Disk {
					disk := tc.disk
					disk.Disk = d
					return disk
				},
			}.all(t, 2)
			found := false
			for why := range wrong {
				found = found || strings.HasPrefix(why, tc.want)
			}
			assert.True(t, found, "%v", wrong)
		})
	}
}
