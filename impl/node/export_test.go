package node

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/replica"
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

// Disk is that of a process.
type Disk = disk

// StartOn is Start on another disk than that of the operating system.
func StartOn(
	config Config, log *slog.Logger, open func(directory string) (Disk, error),
) (*Node, error) {
	return start(config, log, open)
}

// Work is what a worker gets from the log's lane.
func (n *Node) Work() error {
	_, err := n.storage.Work(replica.LaneLog)
	return err
}

// Lock takes a directory as a process does, and returns what lets it go.
func Lock(t *testing.T, directory string) func() {
	t.Helper()
	d, err := LockDirectory(directory)
	require.NoError(t, err)
	return func() { require.NoError(t, d.Close()) }
}
