package wal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
)

// FuzzOpen: whatever a file holds, Open makes a log of it that a second boot finds again.
func FuzzOpen(f *testing.F) {
	disk := memdisk.New(1)
	l, _ := open(f, disk, 1)
	store(f, l, prepare(1, 1, 30), state(1, 1, true))
	store(f, l, prepare(1, 2, 900))
	file, err := disk.Open(firstFile)
	require.NoError(f, err)
	valid := make([]byte, 4096)
	_, err = file.ReadAt(valid, 0)
	require.NoError(f, err)
	f.Add(valid)
	f.Add(valid[1024:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		disk := memdisk.New(1)
		file, err := disk.Create(firstFile)
		require.NoError(t, err)
		if len(b) > 16<<10 {
			return
		}
		_, err = file.WriteAt(b, 0)
		require.NoError(t, err)
		l, report := open(t, disk, 2)
		store(t, l, prepare(9, 9, 10))
		disk.PowerLoss(memdisk.Everything)
		_, again := open(t, disk, 3)
		require.Len(t, again.Records, len(report.Records)+1)
	})
}
