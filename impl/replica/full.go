package replica

import (
	"errors"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// openSuperblock opens the superblock, also on a full disk: a boot writes it anew (R16), and what
// the log has set aside is there for that. Else a process that dies on a full disk could not come
// back to say that it is full.
func openSuperblock(disk storage.Disk, cluster wire.ClusterID) (*superblock.Store, error) {
	super, err := superblock.Open(disk, datadir.Superblock, cluster, datadir.Log)
	if !errors.Is(err, storage.ErrFull) {
		return super, err
	}
	if err := wal.RemoveSpares(disk, datadir.Log); err != nil {
		return nil, err
	}
	return superblock.Open(disk, datadir.Superblock, cluster, datadir.Log)
}
