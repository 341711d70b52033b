package replica

import (
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/datadir"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wal"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Options says how to open a process's storage.
type Options struct {
	Cluster wire.ClusterID
	// Incarnation is this boot's random nonzero number (R4).
	Incarnation wire.Incarnation
	// Kernel is the kernel's boot id, storage.KernelBoot; zero: not known (R15).
	Kernel wire.Uint128
	// Log has the sizes of the write-ahead log; wal.DefaultConfig's where they are zero.
	// Directory, Incarnation and Kernel are filled in.
	Log wal.Config
	// Bounds is how much a power loss may take of what policy replicated has acknowledged;
	// [DefaultBounds] where zero.
	Bounds wal.Bounds
	// Defects breaks rules on purpose: for checks that must fail.
	Defects Defects
}

// DefaultBounds flushes within a megabyte and ten ticks.
func DefaultBounds() wal.Bounds { return wal.Bounds{UnflushedBytes: 1 << 20, UnflushedTicks: 10} }

// withDefaults fills in what is zero. Errors: what is missing.
func (o Options) withDefaults() (Options, error) {
	if o.Cluster.IsZero() {
		return o, errors.New("cluster: expected an identity that is not zero")
	}
	if o.Incarnation.IsZero() {
		return o, errors.New("incarnation: expected one drawn at this boot")
	}
	usual := wal.DefaultConfig(datadir.Log)
	o.Log.Directory = usual.Directory
	if o.Log.FileBytes == 0 {
		o.Log.FileBytes = usual.FileBytes
	}
	if o.Log.FilesMax == 0 {
		o.Log.FilesMax = usual.FilesMax
	}
	if o.Log.RecordsMax == 0 {
		o.Log.RecordsMax = usual.RecordsMax
	}
	o.Log.Incarnation, o.Log.Kernel = wire.Uint128(o.Incarnation), o.Kernel
	if o.Bounds == (wal.Bounds{}) {
		o.Bounds = DefaultBounds()
	}
	return o, nil
}

// Format gives an empty data directory its identity in a cluster. A directory that lost its
// superblock, or has one, is refused with nothing changed (R16).
//
// Errors: superblock.ErrFormatted, superblock.Unreadable, the disk's.
func Format(disk storage.Disk, cluster wire.ClusterID) error {
	if cluster.IsZero() {
		return errors.New("format: cluster: expected an identity that is not zero")
	}
	if _, err := superblock.Format(disk, datadir.Superblock, cluster, datadir.Log); err != nil {
		return fmt.Errorf("format: %w", err)
	}
	return nil
}
