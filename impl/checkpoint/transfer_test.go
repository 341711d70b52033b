package checkpoint_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/checkpoint"
	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// The bytes of a snapshot file say how long they are, whatever follows, and are read as what was
// written, for the cluster and group that they are of and no other.
func TestASnapshotTravelsAsItsBytes(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	written := checkpoint.Snapshot{
		Cluster: wire.ClusterID{Lo: 1}, Group: 2,
		Prepare:   wire.PrepareID{Op: 7, Checksum: wire.Checksum{Lo: 8}},
		Timestamp: 9, State: []byte("state"), Clients: []byte("clients"),
	}
	id, err := checkpoint.Write(disk, "snapshots", written)
	require.NoError(t, err)
	content, err := checkpoint.Load(disk, "snapshots", 7)
	require.NoError(t, err)
	_, err = checkpoint.Load(disk, "snapshots", 6)
	require.ErrorIs(t, err, fs.ErrNotExist)

	size, ok := checkpoint.Size(append(content[:len(content):len(content)], "more"...))
	assert.True(t, ok)
	assert.EqualValues(t, len(content), size)
	_, ok = checkpoint.Size(content[:checkpoint.HeadBytes-1])
	assert.False(t, ok)
	_, ok = checkpoint.Size(make([]byte, checkpoint.HeadBytes))
	assert.False(t, ok)

	read, readID, err := checkpoint.Decode(content, wire.ClusterID{Lo: 1}, 2)
	require.NoError(t, err)
	assert.Equal(t, written, read)
	assert.Equal(t, id, readID)
	_, _, err = checkpoint.Decode(content, wire.ClusterID{Lo: 3}, 2)
	require.ErrorContains(t, err, "of group 2 of cluster")
	_, _, err = checkpoint.Decode(content, wire.ClusterID{Lo: 1}, 4)
	require.ErrorContains(t, err, "expected group 4")
	for i := range content {
		content[i] ^= 1
		_, _, err = checkpoint.Decode(content, wire.ClusterID{Lo: 1}, 2)
		require.Error(t, err, "byte %d", i)
		content[i] ^= 1
	}
}
