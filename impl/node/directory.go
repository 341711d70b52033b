package node

import (
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// checkDirectory refuses a data directory that this process cannot serve, before anything in it
// is changed: a boot writes superblock and log anew (R14, R16), which nobody wants to be done to
// the directory of another replica.
func checkDirectory(disk storage.Disk, name string, id Identity) error {
	if err := datadir.Check(name, os.O_RDWR); err != nil {
		return err
	}
	outcome, err := superblock.Read(disk, datadir.Superblock, datadir.Log)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	switch found := outcome.(type) {
	case superblock.Empty:
		return fmt.Errorf("%s: %w: 'viewstamp format' gives it an identity", name, superblock.ErrEmpty)
	case superblock.Unreadable:
		found.File = path.Join(name, found.File)
		return found
	case superblock.Present:
		if expected := wire.ClusterIDOf(id.Cluster); found.Record.Cluster != expected {
			return fmt.Errorf("%w (cluster.name %q)", &superblock.ForeignError{
				Directory: name, Found: found.Record.Cluster, Expected: expected,
			}, id.Cluster)
		}
		if err := checkIdentity(found.Record.Groups, id); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := wal.Check(disk, datadir.Log); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// checkIdentity refuses the directory of another replica.
func checkIdentity(groups []superblock.GroupState, id Identity) error {
	want := id.state().VsrState
	for _, g := range groups {
		if g.Replica != want.Replica || g.ReplicaCount != want.ReplicaCount {
			return fmt.Errorf("it is of replica %d of %d, expected replica %d of %d "+
				"(cluster.replica, replicas)", g.Replica, g.ReplicaCount, want.Replica, want.ReplicaCount)
		}
	}
	for _, g := range groups {
		if g.Group == datadir.Identity {
			return nil
		}
	}
	return errors.New("formatting was not finished: run viewstamp format again")
}
