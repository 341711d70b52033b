package wal_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/storage/faultmatrix"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wal/crashtest"
	"github.com/viewstamp/viewstamp/impl/wire"
)

var errBroken = errors.New("broken")

// TestFaultMatrix: each storage operation of each act fails before, after or in part, then
// the process or the machine goes down. All cases with VIEWSTAMP_FAULT_MATRIX=1, else with one
// seed for what is left to chance.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	seeds := uint64(1)
	if os.Getenv("VIEWSTAMP_FAULT_MATRIX") != "" {
		seeds = 20
	}
	for _, subject := range crashtest.Subjects(crashtest.AsItIs) {
		t.Run(strings.TrimPrefix(subject.Name, "wal/"), func(t *testing.T) {
			t.Parallel()
			r := faultmatrix.Run(subject, seeds, 1)
			for _, wrong := range r.Wrong[:min(5, len(r.Wrong))] {
				t.Errorf("%s: %v", wrong.Case, wrong.Err)
			}
			require.Greater(t, r.Cases, 20)
			t.Logf("%d cases", r.Cases)
		})
	}
}

// Negative controls: the matrix notices a flush that is left out.
func TestTheMatrixNoticesAMissingFlush(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		disk faultmatrix.Forgetful
		want string
	}{
		"of the files":     {faultmatrix.Forgetful{NoSync: true}, "records of 3 are lost"},
		"of the directory": {faultmatrix.Forgetful{NoSyncDir: true}, "are lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			noticed := 0
			for _, subject := range crashtest.Subjects(func(d *memdisk.Disk) storage.Disk {
				broken := tc.disk
				broken.Disk = d
				return broken
			}) {
				for _, wrong := range faultmatrix.Run(subject, 1, 6).Wrong {
					if strings.Contains(wrong.Err.Error(), tc.want) {
						noticed++
					}
				}
			}
			assert.Positive(t, noticed)
		})
	}
}

func TestAFailedFlushPoisonsForGood(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	_, err := l.Append(prepare(1, 1, 10))
	require.NoError(t, err)
	disk.InjectAt(0, memdisk.Fault{Err: errBroken})
	require.ErrorIs(t, l.Sync(), errBroken)
	disk.Inject(nil)
	require.ErrorIs(t, l.Sync(), wal.ErrPoisoned)
	_, err = l.Append(prepare(1, 2, 10))
	require.ErrorIs(t, err, wal.ErrPoisoned)
	_, err = l.Release(nil)
	require.ErrorIs(t, err, wal.ErrPoisoned)
	body, err := l.Read(1, prepare(1, 1, 0).ID())
	require.NoError(t, err, "reads go on")
	assert.Equal(t, prepare(1, 1, 10).Body, body)

	// The next process reads it from the page cache, where it counts as clean: boot must not
	// trust a flush, but write anew.
	disk.Kill()
	_, report := open(t, disk, 2)
	require.Len(t, report.Records, 1)
	disk.PowerLoss(memdisk.Nothing)
	_, report = open(t, disk, 3)
	require.Len(t, report.Records, 1, "what a boot spoke for is gone")
}

// A kernel that restarted may have taken what a group under the policy replicated had
// acknowledged. That is not known any less because the process dies once more.
func TestTheDoubtOfARestartEndsWithAStateRecordOnly(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	after := func(boot, kernel uint64) (*wal.Log, bool) {
		c := config(boot)
		c.Kernel.Lo = kernel
		l, report, err := wal.Open(disk, c)
		require.NoError(t, err)
		assert.False(t, report.InDoubt(1, true), "persisted")
		return l, report.InDoubt(1, false)
	}
	l, _ := after(1, 77)
	store(t, l, state(1, 1, false))
	_, err := l.Append(prepare(1, 2, 100))
	require.NoError(t, err)
	disk.PowerLoss(memdisk.Nothing)
	_, doubt := after(2, 78)
	assert.True(t, doubt, "another kernel")
	disk.Kill()
	l, doubt = after(3, 78)
	assert.True(t, doubt, "nothing has ended it")
	store(t, l, state(2, 1, false))
	disk.Kill()
	l, doubt = after(4, 78)
	assert.True(t, doubt, "another group's state record")
	store(t, l, state(1, 1, false))
	disk.Kill()
	_, doubt = after(5, 78)
	assert.False(t, doubt)
}

// What is left of a misdirected batch below a torn one is its index at the end.
func TestAMisdirectedBatchBelowATornOnePutsTheLogInDoubt(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	batch := func(op wire.Op) (records []wal.Record) {
		for i := range wire.Op(8) { // Their index is longer than a sector.
			records = append(records, prepare(1, op+i, 300))
		}
		return records
	}
	const first, bytes = 2 * wal.SectorBytes, 8 * wal.SectorBytes // Behind that of boot.
	disk.InjectAt(0, memdisk.Fault{Elsewhere: &memdisk.Place{Path: firstFile, Offset: first + bytes}})
	store(t, l, batch(1)...)
	_, err := l.Append(batch(9)...)
	require.NoError(t, err)
	disk.PowerLoss(func(u memdisk.Unsynced) bool {
		return u.Sector == (first+bytes)/wal.SectorBytes
	})
	_, report := open(t, disk, 2)
	assert.True(t, report.InDoubt(1, true), report.String())
}
