package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/storage"
	"github.com/viewstamp/viewstamp/impl/superblock"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	suffix        = ".snapshot"
	nameTemporary = "new.tmp"
	digits        = 20
)

func fileName(op wire.Op) string { return fmt.Sprintf("%0*d%s", digits, uint64(op), suffix) }

func parseName(name string) (wire.Op, bool) {
	number, found := strings.CutSuffix(name, suffix)
	n, err := strconv.ParseUint(number, 10, 64)
	return wire.Op(n), found && err == nil && len(number) == digits
}

// Part is one group's share of a checkpoint.
type Part struct {
	// Directory is where the group's snapshots are, and nothing else.
	Directory string
	Snapshot  Snapshot
	// State is what the superblock is to say of the group; Take fills in the pairing.
	State superblock.VsrState
	// Log is a partition's; Take flushes it and takes its mark.
	Log *segment.Log
}

// Release lets go of the write-ahead log below the checkpoints, after a flushed state record
// of each group above its new base.
type Release func(map[wire.GroupID]wire.Op) error

// Take makes a checkpoint of some groups, with one update of the superblock for all. When it
// returns the new one counts, and what only the old one needed is gone.
//
// Errors are those of disk, segments, superblock and release: storage.ErrFull in the first
// phase leaves the old checkpoint in force, and Take may be called again. After any other
// error boot anew: the disk has the old checkpoint or the new one.
//
// Source: R17; spec/Journal.tla Checkpoint.
func Take(disk storage.Disk, super *superblock.Store, release Release, parts ...Part) error {
	states := make([]superblock.GroupState, 0, len(parts))
	bases := map[wire.GroupID]wire.Op{}
	for _, p := range parts {
		if p.Log != nil {
			if err := p.Log.Sync(); err != nil {
				return fmt.Errorf("checkpoint group %d: %w", p.Snapshot.Group, err)
			}
			mark := p.Log.Mark()
			p.Snapshot.Segments = &mark
		}
		content, sum := p.Snapshot.encode()
		op := p.Snapshot.Prepare.Op
		if err := replace(disk, p.Directory, fileName(op), content); err != nil {
			return fmt.Errorf("checkpoint group %d: %w", p.Snapshot.Group, err)
		}
		p.State.Checkpoint = wire.PrepareID{Op: op, Checksum: sum}
		states = append(states, superblock.GroupState{Group: p.Snapshot.Group, VsrState: p.State})
		bases[p.Snapshot.Group] = op
	}
	if err := super.Write(states...); err != nil {
		return fmt.Errorf("pair checkpoint: %w", err)
	}
	if err := release(bases); err != nil {
		return fmt.Errorf("release below checkpoint: %w", err)
	}
	for _, p := range parts {
		if err := clean(disk, p); err != nil {
			return fmt.Errorf("clean up below checkpoint: %w", err)
		}
	}
	return nil
}

// clean removes what only older checkpoints needed.
func clean(disk storage.Disk, p Part) error {
	if p.Log != nil {
		if err := p.Log.Trim(); err != nil {
			return err
		}
	}
	return keepOnly(disk, p.Directory, p.Snapshot.Prepare.Op)
}

// keepOnly removes all snapshots but one.
func keepOnly(disk storage.Disk, directory string, keep wire.Op) error {
	names, err := disk.List(directory)
	if err != nil {
		return err
	}
	removed := false
	for _, name := range names {
		if name != fileName(keep) {
			removed = true
			if err := disk.Remove(path.Join(directory, name)); err != nil {
				return err
			}
		}
	}
	if !removed {
		return nil
	}
	return disk.SyncDir(directory)
}

// replace gives a file content in one step: a crash leaves all of it, or what was there.
func replace(disk storage.Disk, directory, name string, content []byte) error {
	temporary := path.Join(directory, nameTemporary)
	if err := disk.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := write(disk, temporary, content); err != nil {
		return err
	}
	if err := disk.Rename(temporary, path.Join(directory, name)); err != nil {
		return err
	}
	return disk.SyncDir(directory)
}

func write(disk storage.Disk, name string, content []byte) (err error) {
	f, err := disk.Create(name)
	if err != nil {
		return err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	if _, err := f.WriteAt(content, 0); err != nil {
		return err
	}
	return f.Sync()
}

func read(disk storage.Disk, name string) (content []byte, err error) {
	f, err := disk.Open(name)
	if err != nil {
		return nil, err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	content = make([]byte, size)
	n, err := f.ReadAt(content, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return content[:n], nil
}
