package wal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

// The last batch holds a prepare and a state record that rots: its index is legible and says that
// the log went on. What it held is gone, so every group is in doubt, also after the next boot.
func TestALastBatchWhoseStateRecordRotsPutsAllInDoubt(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	store(t, l, prepare(1, 1, 317))
	store(t, l, state(2, 4, false), prepare(1, 2, 317))
	require.NoError(t, l.Close())
	flip(2*1024+260)(t, disk)
	for boot := range uint64(2) {
		l, report := open(t, disk, 2+boot)
		require.True(t, report.InDoubt(1, true), report)
		require.True(t, report.InDoubt(2, true), report)
		require.Equal(t, boot == 0, report.Damaged)
		require.NoError(t, l.Close())
	}
}
