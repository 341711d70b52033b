package storage

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// AroundBytes is what offset, length and memory of a write around the page cache are multiples of.
// Disks with larger sectors refuse those that are no multiples of theirs.
const AroundBytes = 512

// memoryBytes is what [Aligned] memory begins at a multiple of: a page.
const memoryBytes = 4096

// Aligned returns zeroed memory from which [WriteAround] can write without a copy.
func Aligned(bytes int) []byte {
	b := make([]byte, bytes+memoryBytes-1)
	over := int(addressOf(b) % memoryBytes)
	start := (memoryBytes - over) % memoryBytes
	return b[start : start+bytes : start+bytes]
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// AroundWriter is a [File] that has a way of its own to carry out [WriteAround].
type AroundWriter interface {
	WriteAround(p []byte, offset int64) (int, error)
}

// WriteAround is WriteAt, for bytes that are flushed next: they go to the disk at once, around the
// page cache, where disk and file system can do that, and offset, length and memory are multiples
// of [AroundBytes]; else it is WriteAt. It promises what WriteAt does: the bytes survive the death
// of the process, and no loss of power before [File.Sync]. Reads find them.
//
// Errors: as WriteAt's.
func WriteAround(f File, p []byte, offset int64) (int, error) {
	if a, ok := f.(AroundWriter); ok {
		return a.WriteAround(p, offset)
	}
	return f.WriteAt(p, offset)
}

// around is a file's second descriptor, which is opened when it is needed first. Most files
// never are written to in this way.
type around struct {
	// reopen opens the file once more. It returns nil if that is another file by now.
	reopen func() (aroundFile, error)

	mu   sync.Mutex
	file aroundFile
	// done: it is not opened any more. Then no file means the page cache for good.
	done bool
}

// aroundFile is what is needed of the second descriptor.
type aroundFile interface {
	io.WriterAt
	io.Closer
}

// take returns the second descriptor; nil if there is none to be had. Whatever the reason is: the
// page cache takes the write, and tells of what is wrong with the disk.
func (a *around) take() aroundFile {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.done {
		a.done = true
		if file, err := a.reopen(); err == nil {
			a.file = file
		}
	}
	return a.file
}

// close gives the descriptor back, for good.
func (a *around) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	file := a.file
	a.file, a.done = nil, true
	if file == nil {
		return nil
	}
	return file.Close()
}

// WriteAround carries out [WriteAround]. Bytes of the same page may wait in the page cache, from a
// WriteAt before: the kernel writes that page back before the disk gets these, and forgets it
// before and after, so neither is lost, reads through the first descriptor find both, and one
// flush is for both. It cannot forget a page that is being made dirty meanwhile; whoever uses both
// ways has one writer at a time.
func (f osFile) WriteAround(p []byte, offset int64) (int, error) {
	if f.around == nil || !alignedFor(p, offset) {
		return f.WriteAt(p, offset)
	}
	file := f.around.take()
	if file == nil {
		return f.WriteAt(p, offset)
	}
	n, err := file.WriteAt(p, offset)
	if !refused(err) {
		return n, full(err)
	}
	// The sectors are larger, or the file system takes no such write. A part that it did take is
	// written again, with the same bytes.
	if err := f.around.close(); err != nil {
		return 0, err
	}
	return f.WriteAt(p, offset)
}

func alignedFor(p []byte, offset int64) bool {
	return len(p) > 0 && len(p)%AroundBytes == 0 && offset%AroundBytes == 0 &&
		addressOf(p)%AroundBytes == 0
}

// refused says that this is no way to write here, and nothing about the disk.
func refused(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EOPNOTSUPP)
}

// aroundOf prepares the second descriptor of a file that was opened by its name. The name may
// lead elsewhere when it is needed.
func (d *Directory) aroundOf(f *os.File, name string) *around {
	if directFlag == 0 {
		return nil
	}
	return &around{reopen: func() (aroundFile, error) {
		second, err := d.root.OpenFile(name, os.O_RDWR|directFlag|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		if same(f, second) {
			return second, nil
		}
		return nil, errors.Join(os.ErrNotExist, second.Close())
	}}
}

func same(a, b *os.File) bool {
	first, err := a.Stat()
	if err != nil {
		return false
	}
	second, err := b.Stat()
	return err == nil && os.SameFile(first, second)
}
