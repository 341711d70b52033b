package crashtest_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/checkpoint/crashtest"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

// R17: each storage operation of each act fails before, after or in part, then the process or
// the machine goes down. Whole with VIEWSTAMP_FAULT_MATRIX=1, else every third operation.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	seeds, stride := uint64(1), 3
	if os.Getenv("VIEWSTAMP_FAULT_MATRIX") != "" {
		seeds, stride = 8, 1
	}
	for _, subject := range crashtest.Subjects(crashtest.AsItIs) {
		t.Run(subject.Name, func(t *testing.T) {
			t.Parallel()
			r := faultmatrix.Run(subject, seeds, stride)
			for i, wrong := range r.Wrong {
				if i < 5 {
					t.Errorf("%s: %v", wrong.Case, wrong.Err)
				}
			}
			assert.Empty(t, r.Wrong)
			require.Greater(t, r.Cases, 20)
			t.Logf("%d cases", r.Cases)
		})
	}
}

// Negative controls: the matrix notices phases in the wrong order.
func TestTheMatrixNoticesAWrongOrder(t *testing.T) {
	t.Parallel()
	for _, mutant := range crashtest.Mutants() {
		t.Run(mutant.Name, func(t *testing.T) {
			t.Parallel()
			r := faultmatrix.Run(mutant, 1, 6)
			assert.NotEmpty(t, r.Wrong)
			t.Logf("%d of %d cases notice", len(r.Wrong), r.Cases)
		})
	}
}

// forgetful is a disk whose owner leaves out a kind of operation in the groups' directories.
type forgetful struct {
	*memdisk.Disk
	noSync, noSyncDir bool
}

func (d forgetful) Create(name string) (storage.File, error) {
	f, err := d.Disk.Create(name)
	return forgetfulFile{f, d.noSync && len(name) > 7 && name[:7] == "groups/"}, err
}

func (d forgetful) SyncDir(name string) error {
	if d.noSyncDir && len(name) > 7 && name[:7] == "groups/" {
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

// Negative controls: the matrix notices a flush that is left out.
func TestTheMatrixNoticesAMissingFlush(t *testing.T) {
	t.Parallel()
	for name, disk := range map[string]forgetful{
		"of the files": {noSync: true}, "of the directories": {noSyncDir: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noticed := 0
			for _, subject := range crashtest.Subjects(func(d *memdisk.Disk) storage.Disk {
				broken := disk
				broken.Disk = d
				return broken
			}) {
				if subject.Name == "retention" {
					noticed += len(faultmatrix.Run(subject, 1, 8).Wrong)
				}
			}
			assert.Positive(t, noticed)
		})
	}
}
