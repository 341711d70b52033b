package memdisk

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// inode is the content of a file, whatever its names.
type inode struct {
	number int
	// cached is the page cache, stable what the disk holds.
	cached, stable []byte
	// dirty are the sectors of cached that a sync has to write.
	dirty map[int64]struct{}
	// sizes are the sizes that the file has taken since the last sync, in order.
	sizes []int64
	// astray are the dirty sectors that the disk will put elsewhere, or nowhere.
	astray map[int64]target
}

// target is where a sector goes that goes astray; nowhere if inode is nil.
type target struct {
	inode  *inode
	sector int64
}

// touch marks the sectors of [from, to) dirty.
func (n *inode) touch(from, to int64) {
	for s := from / SectorBytes; s*SectorBytes < to; s++ {
		n.dirty[s] = struct{}{}
		delete(n.astray, s)
	}
}

// stray sends the dirty sectors of [from, to) to others, one after the other.
func (n *inode) stray(from, to int64, first target) {
	for s := from / SectorBytes; s*SectorBytes < to; s++ {
		n.astray[s] = first
		first.sector++
	}
}

// resize sets the length of the page cache, in bytes.
func (n *inode) resize(size int64) {
	old := int64(len(n.cached))
	if size == old {
		return
	}
	n.cached = resized(n.cached, size)
	n.touch(min(old, size), max(old, size))
	n.sizes = append(n.sizes, size)
}

// write puts p into the page cache.
func (n *inode) write(p []byte, offset int64) {
	end := offset + int64(len(p))
	if end > int64(len(n.cached)) {
		n.resize(end)
	}
	copy(n.cached[offset:], p)
	n.touch(offset, end)
}

// land makes that part of what is unsynced stable which survives. Afterwards all of
// it counts as clean, whether it is on the disk or not.
func (n *inode) land(path string, survives Survival) {
	for _, size := range n.sizes {
		if !survives(Unsynced{Kind: UnsyncedSize, Path: path, Size: size}) {
			break // No size without those before it: file systems keep a log of them.
		}
		n.stable = resized(n.stable, size)
	}
	for _, s := range slices.Sorted(maps.Keys(n.dirty)) {
		if !survives(Unsynced{Kind: UnsyncedSector, Path: path, Sector: s}) {
			continue
		}
		to := target{n, s}
		if other, strays := n.astray[s]; strays {
			to = other
		}
		if to.inode != nil {
			to.inode.store(to.sector, n.sector(s))
		}
	}
	n.sizes = nil
	clear(n.dirty)
	clear(n.astray)
}

// sector returns the cached content of a sector, cut where the file ends.
func (n *inode) sector(s int64) []byte {
	size := int64(len(n.cached))
	return n.cached[min(s*SectorBytes, size):min((s+1)*SectorBytes, size)]
}

// store puts a sector onto the disk, as far as the file reaches there.
func (n *inode) store(s int64, content []byte) {
	size := int64(len(n.stable))
	place := n.stable[min(s*SectorBytes, size):min((s+1)*SectorBytes, size)]
	clear(place)
	copy(place, content)
}

// resized returns b with the given length, cut or extended with zeros. It may change
// what lies behind b's length.
func resized(b []byte, size int64) []byte {
	old := int64(len(b))
	if size <= old {
		return b[:size]
	}
	b = slices.Grow(b, int(size-old))[:size]
	clear(b[old:])
	return b
}

// file is a handle.
type file struct {
	disk    *Disk
	inode   *inode
	path    string
	process int
	closed  bool
}

// Path implements storage.File.
func (f *file) Path() string { return f.path }

// usable refuses the calls of closed handles and dead processes.
func (f *file) usable() error {
	if f.process != f.disk.process {
		return ErrKilled
	}
	if f.closed {
		return fs.ErrClosed
	}
	return nil
}

// begin starts an operation on the open file. A non-nil error has been noted.
func (f *file) begin(op *Operation) (*Fault, error) {
	op.Path = f.path
	if err := f.usable(); err != nil {
		return nil, f.disk.done(*op, err)
	}
	return f.disk.fault(op), nil
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	op := Operation{Kind: OperationRead, Offset: offset, Bytes: int64(len(p))}
	fault, err := f.begin(&op)
	switch {
	case err != nil:
		return 0, err
	case fault.before() != nil:
		return 0, f.disk.done(op, fault.before())
	case fault.after() != nil: // What was read does not reach the caller.
		return 0, f.disk.done(op, fault.after())
	case offset < 0:
		return 0, f.disk.done(op, fs.ErrInvalid)
	}
	n := 0
	if offset < int64(len(f.inode.cached)) {
		n = copy(p, f.inode.cached[offset:])
	}
	op.Bytes = int64(n)
	f.disk.note(op)
	if n < len(p) {
		return n, io.EOF // As it is, not wrapped: io.ReaderAt demands it.
	}
	return n, nil
}

// WriteAt implements io.WriterAt.
func (f *file) WriteAt(p []byte, offset int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	op := Operation{Kind: OperationWrite, Offset: offset, Bytes: int64(len(p))}
	fault, err := f.begin(&op)
	switch {
	case err != nil:
		return 0, err
	case offset < 0:
		return 0, f.disk.done(op, fs.ErrInvalid)
	case fault.before() != nil:
		n := min(max(fault.Bytes, 0), len(p))
		f.inode.write(p[:n], offset)
		return n, f.disk.done(op, fault.before())
	}
	growth := offset + int64(len(p)) - int64(len(f.inode.cached))
	if missing := growth - f.disk.room(growth); missing > 0 {
		n := max(0, len(p)-int(missing))
		if n > 0 {
			f.inode.write(p[:n], offset)
		}
		return n, f.disk.done(op, storage.ErrFull)
	}
	f.inode.write(p, offset)
	if fault != nil {
		f.lead(astray(fault), offset, op.Bytes)
	}
	return len(p), f.disk.done(op, fault.after())
}

// astray returns where a faulty write goes; nil if it goes where it belongs.
func astray(fault *Fault) *Place {
	if fault.Lost {
		return &Place{}
	}
	return fault.Elsewhere
}

// lead sends a write to another place, or to none if the place has no path.
func (f *file) lead(place *Place, offset, bytes int64) {
	if place == nil {
		return
	}
	to := target{sector: place.Offset / SectorBytes}
	if place.Path != "" {
		to.inode = f.disk.cached[place.Path]
	}
	f.inode.stray(offset, offset+bytes, to)
}

// Size implements storage.File.
func (f *file) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(); err != nil {
		return 0, fmt.Errorf("size of %s: %w", f.path, err)
	}
	return int64(len(f.inode.cached)), nil
}

// Truncate implements storage.File.
func (f *file) Truncate(size int64) error {
	return f.resize(Operation{Kind: OperationTruncate, Bytes: size})
}

// Allocate implements storage.File.
func (f *file) Allocate(size int64) error {
	return f.resize(Operation{Kind: OperationAllocate, Bytes: size})
}

func (f *file) resize(op Operation) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	fault, err := f.begin(&op)
	growth := op.Bytes - int64(len(f.inode.cached))
	switch {
	case err != nil:
		return err
	case fault.before() != nil:
		return f.disk.done(op, fault.before())
	case op.Bytes < 0:
		return f.disk.done(op, fs.ErrInvalid)
	case f.disk.room(growth) < growth:
		return f.disk.done(op, storage.ErrFull)
	}
	if growth > 0 || op.Kind == OperationTruncate {
		f.inode.resize(op.Bytes)
	}
	return f.disk.done(op, fault.after())
}

// Sync implements storage.File.
func (f *file) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	op := Operation{Kind: OperationSync}
	fault, err := f.begin(&op)
	switch {
	case err != nil:
		return err
	case fault.before() != nil:
		f.inode.land(f.path, f.disk.chance())
		return f.disk.done(op, fault.before())
	}
	f.inode.land(f.path, Everything)
	return f.disk.done(op, fault.after())
}

// Close implements io.Closer. It works for the dead too, so that nothing leaks.
func (f *file) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.closed {
		return fmt.Errorf("close %s: %w", f.path, fs.ErrClosed)
	}
	f.closed = true
	return nil
}
