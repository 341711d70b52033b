package memdisk

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// inode is the content of a file, whatever its names.
type inode struct {
	number int
	// cached is the page cache, stable what the disk holds.
	cached, stable content
	// dirty are the sectors of cached that a sync has to write.
	dirty sectors
	// sizes are the sizes that the file has taken since the last sync, in order.
	sizes []int64
	// astray are the dirty sectors that the disk will put elsewhere, or nowhere; nil if none.
	astray map[int64]target
}

// target is where a sector goes that goes astray; nowhere if inode is nil.
type target struct {
	inode  *inode
	sector int64
}

// touch marks the sectors of [from, to) dirty.
func (n *inode) touch(from, to int64) {
	if from >= to {
		return
	}
	first, end := from/SectorBytes, (to+SectorBytes-1)/SectorBytes
	n.dirty.add(first, end)
	if len(n.astray) > 0 {
		for s := first; s < end; s++ {
			delete(n.astray, s)
		}
	}
}

// stray sends the dirty sectors of [from, to) to others, one after the other.
func (n *inode) stray(from, to int64, first target) {
	if n.astray == nil {
		n.astray = map[int64]target{}
	}
	for s := from / SectorBytes; s*SectorBytes < to; s++ {
		n.astray[s] = first
		first.sector++
	}
}

// resize sets the length of the page cache, in bytes.
func (n *inode) resize(size int64) {
	old := n.cached.size
	if size == old {
		return
	}
	n.cached.resize(size)
	n.touch(min(old, size), max(old, size))
	n.sizes = append(n.sizes, size)
}

// write puts p into the page cache.
func (n *inode) write(p []byte, offset int64) {
	end := offset + int64(len(p))
	if end > n.cached.size {
		n.resize(end)
	}
	n.cached.write(p, offset)
	n.touch(offset, end)
}

// land makes that part of what is unsynced stable which survives; all of it if survives is nil.
// Afterwards all of it counts as clean, whether it is on the disk or not.
func (n *inode) land(path string, survives Survival) {
	for _, size := range n.sizes {
		if survives != nil && !survives(Unsynced{Kind: UnsyncedSize, Path: path, Size: size}) {
			break // No size without those before it: file systems keep a log of them.
		}
		n.stable.resize(size)
	}
	for first, end := range n.dirty.runs {
		if survives == nil && len(n.astray) == 0 {
			n.store(first, end, target{n, first})
			continue
		}
		for s := first; s < end; s++ {
			if survives != nil && !survives(Unsynced{Kind: UnsyncedSector, Path: path, Sector: s}) {
				continue
			}
			to := target{n, s}
			if other, strays := n.astray[s]; strays {
				to = other
			}
			n.store(s, s+1, to)
		}
	}
	n.sizes = n.sizes[:0]
	clear(n.dirty)
	n.dirty = n.dirty[:0]
	n.astray = nil
}

// store puts the sectors [first, end) as they are cached onto the disk from a place on, as far as
// the file there reaches.
func (n *inode) store(first, end int64, to target) {
	if to.inode == nil {
		return
	}
	at := to.sector * SectorBytes
	to.inode.stable.put(n.cached.slice(first*SectorBytes, end*SectorBytes), at,
		at+(end-first)*SectorBytes)
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
	n := f.inode.cached.read(p, offset)
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
	growth := offset + int64(len(p)) - f.inode.cached.size
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
	return f.inode.cached.size, nil
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
	growth := op.Bytes - f.inode.cached.size
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
	f.inode.land(f.path, nil)
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
