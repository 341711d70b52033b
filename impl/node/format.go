package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/vsr"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// ErrBusy refuses a data directory that another process uses.
var ErrBusy = errors.New("another process uses it: expected a directory of its own")

// Identity is what format gives a data directory.
type Identity struct {
	// Cluster is the name that all processes of the cluster share.
	Cluster string
	// Replica is this one's place among Replicas, from 0.
	Replica, Replicas int
	// Replaces says that the replica has had another directory before, which is lost: it takes no
	// part in any quorum until it has the data from the others (R16).
	Replaces bool
}

// Check says in one line what no replica can be.
func (id Identity) Check() error {
	switch {
	case id.Cluster == "":
		return errors.New("no name of a cluster, expected one")
	case id.Replicas < 1 || id.Replicas > vsr.ReplicaCountMax:
		return fmt.Errorf("%d replicas, expected 1 to %d", id.Replicas, vsr.ReplicaCountMax)
	case id.Replica < 0 || id.Replica >= id.Replicas:
		return fmt.Errorf("replica %d, expected 0 to %d", id.Replica, id.Replicas-1)
	case id.Replaces && id.Replicas == 1:
		return errors.New("a replacement of the only replica, expected others that have its data: " +
			"restore a backup")
	}
	return nil
}

func (id Identity) state() superblock.GroupState {
	state := superblock.GroupState{Group: datadir.Identity, VsrState: superblock.VsrState{
		Cluster: wire.ClusterIDOf(id.Cluster), Replica: wire.ReplicaID(id.Replica),
		ReplicaCount: uint8(id.Replicas),
	}}
	if id.Replaces {
		state.CommitMax = wire.Op(foreignToAll)
	}
	return state
}

// Format gives a directory its identity. It is made if it does not exist; if it does, it must be
// empty. A directory that has an identity, has lost it, or holds something else is refused with
// nothing changed (R16). A crash leaves the directory empty, or formatted, or such that Format
// can be called again.
//
// Errors: superblock.ErrFormatted, superblock.Unreadable, [ErrBusy], a file that does not
// belong there; what the disk says.
func Format(directory string, id Identity) (err error) {
	if err := id.Check(); err != nil {
		return fmt.Errorf("format: %w", err)
	}
	if err := makeDirectory(directory); err != nil {
		return fmt.Errorf("format: %w", err)
	}
	lock, err := LockDirectory(directory)
	if err != nil {
		return fmt.Errorf("format: %w", err)
	}
	defer multierr.AppendInvoke(&err, multierr.Close(lock))
	disk, err := storage.OpenDirectory(directory)
	if err != nil {
		return fmt.Errorf("format: %w", err)
	}
	defer multierr.AppendInvoke(&err, multierr.Close(disk))
	if err := foreign(directory); err != nil {
		return err
	}
	state := id.state()
	store, err := superblock.Format(disk, datadir.Superblock, state.Cluster, datadir.Log)
	if errors.Is(err, superblock.ErrFormatted) {
		store, err = unfinished(disk, state, err)
	}
	if err != nil {
		return fmt.Errorf("format %s: %w", directory, err)
	}
	if err := store.Write(state); err != nil {
		return fmt.Errorf("format %s: %w", directory, err)
	}
	return nil
}

// makeDirectory makes a directory where there is nothing.
func makeDirectory(name string) error {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return datadir.Exists(name)
	}
	return os.MkdirAll(name, 0o750)
}

// unfinished opens what a crash in Format left: a superblock of the same cluster with no group
// in it. Any other one is refused.
func unfinished(
	disk storage.Disk, state superblock.GroupState, formatted error,
) (*superblock.Store, error) {
	outcome, err := superblock.Read(disk, datadir.Superblock, datadir.Log)
	if err != nil {
		return nil, err
	}
	found, present := outcome.(superblock.Present)
	if !present || len(found.Record.Groups) > 0 || found.Record.Cluster != state.Cluster {
		return nil, formatted
	}
	return superblock.Open(disk, datadir.Superblock, state.Cluster, datadir.Log)
}

// foreign refuses a directory that holds something beside the superblock.
func foreign(directory string) error {
	return fs.WalkDir(os.DirFS(directory), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("format %s: %w", directory, err)
		case !entry.IsDir() && !entry.Type().IsRegular(), !datadir.Known(name, entry.IsDir()):
			return fmt.Errorf("format %s: %s does not belong there, expected an empty directory",
				directory, name)
		}
		return nil
	})
}
