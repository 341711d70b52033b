package wal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// A power loss takes all of the newest file's batches: recovery removes it, and what is written
// then goes into another, whose bodies are found.
func TestBodiesAreFoundBehindAFileThatWasRemoved(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	l, _ := open(t, disk, 1)
	op := wire.Op(0)
	files := func() int {
		names, err := disk.List(directory)
		require.NoError(t, err)
		return live(names)
	}
	for files() < 2 { // The first batch of the second file is not flushed.
		require.NoError(t, l.Sync())
		op++
		_, err := l.Append(prepare(1, op, 900))
		require.NoError(t, err)
	}
	powerOff(disk)

	l, report := open(t, disk, 2)
	var kept []wal.Record
	for n := wire.Op(1); n < op; n++ {
		kept = append(kept, prepare(1, n, 900))
	}
	requireHolds(t, l, report, kept...)
	again := prepare(1, op, 700)
	store(t, l, again)
	body, err := l.Read(again.Group, again.ID())
	require.NoError(t, err)
	require.Equal(t, again.Body, body)
}
