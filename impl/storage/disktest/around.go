package disktest

import (
	"unsafe"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// Around is a disk that sees which writes are to go around the page cache. One goroutine writes.
type Around struct {
	storage.Disk
	// Writes are those around the page cache, Misaligned of them what no disk would take so.
	Writes, Misaligned int
	// Fail is what such writes fail with, nil for none.
	Fail error
}

// Open implements [storage.Disk].
func (d *Around) Open(path string) (storage.File, error) {
	f, err := d.Disk.Open(path)
	if err != nil {
		return nil, err
	}
	return aroundFile{f, d}, nil
}

type aroundFile struct {
	storage.File
	disk *Around
}

// WriteAround implements [storage.AroundWriter].
func (f aroundFile) WriteAround(p []byte, offset int64) (int, error) {
	f.disk.Writes++
	at := uintptr(unsafe.Pointer(unsafe.SliceData(p)))
	if at%storage.AroundBytes != 0 || len(p)%storage.AroundBytes != 0 ||
		offset%storage.AroundBytes != 0 {
		f.disk.Misaligned++
	}
	if f.disk.Fail != nil {
		return 0, f.disk.Fail
	}
	return f.WriteAt(p, offset)
}
