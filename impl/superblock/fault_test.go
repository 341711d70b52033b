package superblock_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
)

// matrix is one case: an act on a superblock of record(from) that would make it record(to)
// meets a fault at its n-th storage operation, and then a crash.
type matrix struct {
	from, to int
	damaged  string // A file that is damaged before.
	act      func(storage.Disk) error
	wrap     func(*memdisk.Disk) storage.Disk
}

// trial prepares the disk for one case.
func (m matrix) trial(t *testing.T, disk *memdisk.Disk) (faultmatrix.Trial, error) {
	t.Helper()
	formatted(t, disk, m.from)
	if m.damaged != "" {
		require.NoError(t, disk.Rot("node/"+m.damaged, 20, 1))
	}
	var used storage.Disk = disk
	if m.wrap != nil {
		used = m.wrap(disk)
	}
	return faultmatrix.Trial{
		Act: func() error { return m.act(used) },
		Check: func(acted error) error {
			if wrong := m.check(disk, acted); wrong != "" {
				return errors.New(wrong)
			}
			return nil
		},
	}, nil
}

// check returns what is wrong after the crash.
func (m matrix) check(disk *memdisk.Disk, acted error) string {
	outcome, err := superblock.Read(disk, "node")
	if err != nil {
		return err.Error()
	}
	present, ok := outcome.(superblock.Present)
	if !ok {
		return fmt.Sprintf("%T %v", outcome, outcome)
	}
	s, err := superblock.Open(disk, "node", example.Cluster)
	if err != nil {
		return err.Error()
	}
	got := int(s.Record().Sequence) - 1
	switch {
	case !assert.ObjectsAreEqual(present.Record, s.Record()):
		return "Open and Read differ"
	case got != m.from && got != m.to, !assert.ObjectsAreEqual(record(got), s.Record()):
		return fmt.Sprintf("record %d, expected %d or %d", got, m.from, m.to)
	case acted == nil && got != m.to:
		return "a complete update is lost"
	}
	return m.again(disk, s)
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

// all runs every case.
func (m matrix) all(t *testing.T, seeds uint64) faultmatrix.Result {
	t.Helper()
	return faultmatrix.Run(faultmatrix.Subject{
		Name: "superblock", TornBytes: 75,
		New: func(disk *memdisk.Disk) (faultmatrix.Trial, error) { return m.trial(t, disk) },
	}, seeds, 1)
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
			r := m.all(t, 8)
			assert.Empty(t, r.Wrong)
			require.Greater(t, r.Cases, 300)
			t.Logf("%d cases", r.Cases)
		})
	}
}

// The first update: a directory that a crash leaves is empty or formatted, and can be
// formatted or opened.
func TestFormatIsDoneOrNot(t *testing.T) {
	t.Parallel()
	r := faultmatrix.Run(faultmatrix.Subject{
		Name: "format", TornBytes: 75,
		New: func(disk *memdisk.Disk) (faultmatrix.Trial, error) {
			return faultmatrix.Trial{
				Act: func() error {
					_, err := superblock.Format(disk, "node", example.Cluster)
					return err
				},
				Check: func(acted error) error { return checkFormat(t, disk, acted) },
			}, nil
		},
	}, 8, 1)
	assert.Empty(t, r.Wrong)
	assert.Greater(t, r.Cases, 100)
	t.Logf("%d cases", r.Cases)
}

func checkFormat(t *testing.T, disk *memdisk.Disk, acted error) error {
	t.Helper()
	outcome, err := superblock.Read(disk, "node")
	if err != nil {
		return err
	}
	switch found := outcome.(type) {
	case superblock.Empty:
		if acted == nil {
			return errors.New("formatted and empty")
		}
		formatted(t, disk, 1)
		return nil
	case superblock.Present:
		s, err := superblock.Open(disk, "node", example.Cluster)
		if err != nil {
			return err
		}
		return s.Write(state(1))
	case superblock.Unreadable:
		return found
	}
	return errors.New("no outcome")
}

// Negative controls: the matrix notices each step that is left out.
func TestTheMatrixNoticesAMissingStep(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		disk faultmatrix.Forgetful
		want string
	}{
		"no sync of the file": {
			faultmatrix.Forgetful{NoSync: true}, "superblock.Unreadable superblock node/superblock.a",
		},
		"no sync of the directory": {faultmatrix.Forgetful{NoSyncDir: true}, "a complete update is lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := matrix{
				from: 2, to: 3, act: openAndWrite,
				wrap: func(d *memdisk.Disk) storage.Disk {
					disk := tc.disk
					disk.Disk = d
					return disk
				},
			}.all(t, 2).Wrong
			found := false
			for _, why := range wrong {
				found = found || strings.HasPrefix(why.Err.Error(), tc.want)
			}
			assert.True(t, found, "%v", wrong)
		})
	}
}
