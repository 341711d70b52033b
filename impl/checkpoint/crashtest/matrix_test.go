package crashtest_test

import (
	"os"
	"strings"
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
		t.Run(strings.TrimPrefix(subject.Name, "host/"), func(t *testing.T) {
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
		t.Run(strings.TrimPrefix(mutant.Name, "host/"), func(t *testing.T) {
			t.Parallel()
			r := faultmatrix.Run(mutant, 1, 6)
			assert.NotEmpty(t, r.Wrong)
			t.Logf("%d of %d cases notice", len(r.Wrong), r.Cases)
		})
	}
}

// ofGroups: what lies in the directories of the groups.
func ofGroups(name string) bool { return strings.HasPrefix(name, "groups/") }

// Negative controls: the matrix notices a flush that is left out.
func TestTheMatrixNoticesAMissingFlush(t *testing.T) {
	t.Parallel()
	for name, disk := range map[string]faultmatrix.Forgetful{
		"of the files": {NoSync: true}, "of the directories": {NoSyncDir: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noticed := 0
			for _, subject := range crashtest.Subjects(func(d *memdisk.Disk) storage.Disk {
				broken := disk
				broken.Disk = d
				broken.Of = ofGroups
				return broken
			}) {
				if subject.Name == "host/retention" {
					noticed += len(faultmatrix.Run(subject, 1, 8).Wrong)
				}
			}
			assert.Positive(t, noticed)
		})
	}
}
