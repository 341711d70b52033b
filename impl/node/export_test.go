package node

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// FormatHalf leaves what a crash in Format can leave.
func FormatHalf(t *testing.T, directory, cluster string) {
	t.Helper()
	disk, err := storage.OpenDirectory(directory)
	require.NoError(t, err)
	_, err = superblock.Format(disk, datadir.Superblock, wire.ClusterIDOf(cluster), datadir.Log)
	require.NoError(t, err)
	require.NoError(t, disk.Close())
}

// Lock takes a directory as a process does, and returns what lets it go.
func Lock(t *testing.T, directory string) func() {
	t.Helper()
	d, err := LockDirectory(directory)
	require.NoError(t, err)
	return func() { require.NoError(t, d.Close()) }
}
