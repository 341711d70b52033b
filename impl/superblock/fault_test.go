package superblock_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock/crashtest"
)

// R16: whatever operation fails in whatever way, and whatever crash follows, the old record
// or the new one is there; a complete update is there.
func TestNoFaultDestroysTheLastRecord(t *testing.T) {
	t.Parallel()
	for _, subject := range crashtest.Subjects(crashtest.AsItIs)[1:] {
		t.Run(strings.TrimPrefix(subject.Name, "superblock/"), func(t *testing.T) {
			t.Parallel()
			requireMatrix(t, subject)
		})
	}
}

// The first update: a directory that a crash leaves is empty or formatted, and can be
// formatted or opened.
func TestFormatIsDoneOrNot(t *testing.T) {
	t.Parallel()
	requireMatrix(t, crashtest.Subjects(crashtest.AsItIs)[0])
}

// requireMatrix tries all cases, with more seeds for what is left to chance where
// VIEWSTAMP_FAULT_MATRIX is set.
func requireMatrix(t *testing.T, subject faultmatrix.Subject) {
	t.Helper()
	seeds := uint64(8)
	if os.Getenv("VIEWSTAMP_FAULT_MATRIX") != "" {
		seeds = 100
	}
	r := faultmatrix.Run(subject, seeds, 1)
	for _, wrong := range r.Wrong[:min(5, len(r.Wrong))] {
		t.Errorf("%s: %v", wrong.Case, wrong.Err)
	}
	require.Greater(t, r.Cases, 100)
	t.Logf("%d cases", r.Cases)
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
			noticed := 0
			for _, subject := range crashtest.Subjects(func(d *memdisk.Disk) storage.Disk {
				disk := tc.disk
				disk.Disk = d
				return disk
			}) {
				for _, wrong := range faultmatrix.Run(subject, 2, 1).Wrong {
					if strings.Contains(wrong.Err.Error(), tc.want) {
						noticed++
					}
				}
			}
			assert.Positive(t, noticed)
		})
	}
}
