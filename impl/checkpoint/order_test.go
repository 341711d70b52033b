package checkpoint

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/storage/memdisk"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// R17: when the log is released the snapshot is durable and the superblock names it, so that
// whatever happens then the snapshot counts.
func TestTheLogIsReleasedAfterThePairing(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	cluster := wire.ClusterID{Lo: 7}
	super, err := superblock.Format(disk, "super", cluster)
	require.NoError(t, err)
	released := false
	release := func(bases map[wire.GroupID]wire.Op) error {
		released = true
		assert.Equal(t, map[wire.GroupID]wire.Op{5: 3}, bases)
		state, found := super.Record().Find(5)
		require.True(t, found, "the superblock knows nothing of the group yet")
		assert.Equal(t, wire.Op(3), state.Checkpoint.Op)
		return nil
	}
	require.NoError(t, Take(disk, super, release, Part{
		Directory: "s", Snapshot: example(3),
		State: superblock.VsrState{Cluster: cluster, ReplicaCount: 1},
	}))
	require.True(t, released)
}

// R17: a boot that adopts a newer snapshot leaves the one that the superblock names, until the
// newer one is named, too: if it is lost there is the other.
func TestThePairedSnapshotStaysBesideANewerOne(t *testing.T) {
	t.Parallel()
	disk := memdisk.New(1)
	for _, op := range []wire.Op{3, 4} {
		content, _ := example(op).encode()
		require.NoError(t, write(disk, path.Join("s", fileName(op)), content))
	}
	_, sum := example(3).encode()
	state := superblock.VsrState{
		Cluster: wire.ClusterID{Lo: 7}, ReplicaCount: 1,
		Checkpoint: wire.PrepareID{Op: 3, Checksum: sum},
	}
	r, err := Recover(disk, "s", 5, state)
	require.NoError(t, err)
	require.Equal(t, wire.Op(4), r.Checkpoint.Op)
	require.NoError(t, disk.Remove(path.Join("s", fileName(4))))
	r, err = Recover(disk, "s", 5, state)
	require.NoError(t, err)
	require.Equal(t, wire.Op(3), r.Checkpoint.Op)
}
