package checkpoint

import (
	"fmt"

	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Write is the first phase of a checkpoint by itself: the snapshot is durable when it returns.
// The identity is what the superblock is to be told, the pairing. Whoever has a write-ahead log
// that others wait for does the phases one by one; [Take] does all.
//
// Errors: storage.ErrFull, with the older snapshots intact; the disk's.
//
// Source: R17; spec/Journal.tla Checkpoint.
func Write(disk storage.Disk, directory string, s Snapshot) (wire.PrepareID, error) {
	content, sum := s.encode()
	op := s.Prepare.Op
	if err := replace(disk, directory, fileName(op), content); err != nil {
		return wire.PrepareID{}, fmt.Errorf("write snapshot of group %d: %w", s.Group, err)
	}
	return wire.PrepareID{Op: op, Checksum: sum}, nil
}

// Clean removes all snapshots but that of op, which the superblock names by now.
//
// Errors: the disk's; some older snapshots may be left.
func Clean(disk storage.Disk, directory string, op wire.Op) error {
	if err := keepOnly(disk, directory, op); err != nil {
		return fmt.Errorf("clean up snapshots: %w", err)
	}
	return nil
}
