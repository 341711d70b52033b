package memdisk

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// UnsyncedKind says what kind of thing a power loss may take.
type UnsyncedKind uint8

// The kinds.
const (
	// UnsyncedSector is the content of one sector of a file.
	UnsyncedSector UnsyncedKind = iota + 1
	// UnsyncedSize is a new size of a file.
	UnsyncedSize
	// UnsyncedEntry is a change of a directory: create, rename or remove.
	UnsyncedEntry
)

// Unsynced is one thing that the disk may or may not have when power is lost.
type Unsynced struct {
	Kind UnsyncedKind
	// Path is the file's path; of an entry, the path that came, or went.
	Path string
	// Sector is the number of the sector, in units of SectorBytes.
	Sector int64
	// Size is the size in bytes.
	Size int64
}

// Survival decides whether the disk has an unsynced thing. It is asked about the
// directories in the order of their paths (each in the order of its changes), then
// about the files in the order of their creation: sizes in order, then sectors.
type Survival func(Unsynced) bool

// Everything is the luckiest power loss: all that was written had reached the disk.
func Everything(Unsynced) bool { return true }

// Nothing is the worst power loss that a correct disk can have.
func Nothing(Unsynced) bool { return false }

// Kill ends the process: SIGKILL. Its handles are dead; the page cache is not.
func (d *Disk) Kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.process++
	d.note(Operation{Kind: OperationKill})
}

// PowerLoss ends the process and empties the page cache. Of what was unsynced the
// disk has what survives says; nil leaves that to chance, by the seed.
func (d *Disk) PowerLoss(survives Survival) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if survives == nil {
		survives = d.chance()
	}
	d.process++
	for _, directory := range slices.Sorted(maps.Keys(d.changes)) {
		d.landEntries(directory, survives)
	}
	type named struct {
		path  string
		inode *inode
	}
	var files []named
	for _, path := range slices.Sorted(maps.Keys(d.stable)) {
		files = append(files, named{path, d.stable[path]})
	}
	slices.SortStableFunc(files, func(a, b named) int {
		return cmp.Compare(a.inode.number, b.inode.number)
	})
	for _, f := range files {
		f.inode.land(f.path, survives)
	}
	for _, f := range files { // After all have landed: a write can land in another file.
		f.inode.cached = f.inode.stable.clone()
	}
	d.cached = maps.Clone(d.stable)
	d.note(Operation{Kind: OperationPowerLoss})
}

// DropCache makes the operating system forget the page cache of every file that is
// synced: what the disk really holds shows, without a crash.
func (d *Disk) DropCache() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, node := range d.cached {
		if len(node.dirty) == 0 && len(node.sizes) == 0 {
			node.cached = node.stable.clone()
		}
	}
}

// chance returns a survival by the seed. Some losses take little and some much: with
// even odds for each thing, long writes would never be lost or kept as a whole.
func (d *Disk) chance() Survival {
	odds := d.random.IntN(5)
	return func(Unsynced) bool { return d.random.IntN(4) < odds }
}

// Rot flips the bits of mask in one byte of a file, in the page cache and on the
// disk, as if the medium had changed.
func (d *Disk) Rot(path string, offset int64, mask byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	node := d.cached[path]
	if node == nil {
		return fmt.Errorf("rot %s: %w", path, fs.ErrNotExist)
	}
	if offset < 0 || offset >= node.cached.size {
		return fmt.Errorf("rot %s: offset %d, expected 0 to %d", path, offset, node.cached.size-1)
	}
	node.cached.flip(offset, mask)
	if offset < node.stable.size {
		node.stable.flip(offset, mask)
	}
	return nil
}

// Tear cuts a file to its first bytes, in the page cache and on the disk: the disk
// had reported a sync that it had not finished, or a write was under way when it
// lost power. A file that is shorter stays as it is.
func (d *Disk) Tear(path string, keepBytes int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	node := d.cached[path]
	if node == nil {
		return fmt.Errorf("tear %s: %w", path, fs.ErrNotExist)
	}
	if keepBytes < 0 {
		return fmt.Errorf("tear %s: %d bytes kept, expected 0 or more", path, keepBytes)
	}
	node.cached.resize(min(keepBytes, node.cached.size))
	node.stable.resize(min(keepBytes, node.stable.size))
	return nil
}
