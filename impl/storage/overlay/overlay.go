package overlay

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// Base is what lies below.
type Base interface {
	Open(path string) (storage.File, error)
	List(directory string) ([]string, error)
}

// Disk is a storage.Disk over a base. Use it from one goroutine at a time.
type Disk struct {
	base Base
	// changed are files with their names here; nil where the name was removed.
	changed map[string]*content
}

var _ storage.Disk = (*Disk)(nil)

// content is a file in memory, or one that lies below, as long as nobody has written to it.
type content struct {
	below storage.File
	bytes []byte
}

// New returns a disk that shows what the base has.
func New(base Base) *Disk { return &Disk{base, map[string]*content{}} }

// Create implements [storage.Disk].
func (d *Disk) Create(name string) (storage.File, error) {
	if f, err := d.Open(name); err == nil {
		_ = f.Close() // Only read.
		return nil, fmt.Errorf("create %s: %w", name, fs.ErrExist)
	}
	d.changed[name] = &content{}
	return &file{content: d.changed[name], name: name}, nil
}

// Open implements [storage.Disk].
func (d *Disk) Open(name string) (storage.File, error) {
	c, known := d.changed[name]
	if known && c == nil {
		return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
	}
	if !known {
		below, err := d.base.Open(name)
		if err != nil {
			return nil, err
		}
		c = &content{below: below}
		d.changed[name] = c
	}
	return &file{content: c, name: name}, nil
}

// Rename implements [storage.Disk].
func (d *Disk) Rename(from, to string) error {
	if err := storage.CheckRename(from, to); err != nil {
		return err
	}
	if _, err := d.Open(from); err != nil {
		return err
	}
	d.changed[to], d.changed[from] = d.changed[from], nil
	return nil
}

// Remove implements [storage.Disk].
func (d *Disk) Remove(name string) error {
	if _, err := d.Open(name); err != nil {
		return err
	}
	d.changed[name] = nil
	return nil
}

// List implements [storage.Disk].
func (d *Disk) List(directory string) ([]string, error) {
	names, err := d.base.List(directory)
	if err != nil {
		return nil, err
	}
	for name, c := range d.changed {
		if path.Dir(name) != directory {
			continue
		}
		base := path.Base(name)
		names = slices.DeleteFunc(names, func(n string) bool { return n == base })
		if c != nil {
			names = append(names, base)
		}
	}
	slices.Sort(names)
	return names, nil
}

// SyncDir implements [storage.Disk].
func (d *Disk) SyncDir(string) error { return nil }

// Close releases the files below.
func (d *Disk) Close() error {
	for _, c := range d.changed {
		if c != nil && c.below != nil {
			if err := c.below.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// file is a handle.
type file struct {
	*content
	name string
}

// Path implements [storage.File].
func (f *file) Path() string { return f.name }

// Size implements [storage.File].
func (f *file) Size() (int64, error) {
	if f.below != nil {
		return f.below.Size()
	}
	return int64(len(f.bytes)), nil
}

// ReadAt implements [io.ReaderAt].
func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	if f.below != nil {
		return f.below.ReadAt(p, offset)
	}
	if offset < 0 || offset >= int64(len(f.bytes)) {
		return 0, io.EOF
	}
	n := copy(p, f.bytes[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// own copies a file into memory before its first change.
func (f *file) own() error {
	if f.below == nil {
		return nil
	}
	size, err := f.below.Size()
	if err != nil {
		return err
	}
	bytes := make([]byte, size)
	if _, err := f.below.ReadAt(bytes, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	below := f.below
	f.below, f.bytes = nil, bytes
	return below.Close()
}

// WriteAt implements [io.WriterAt].
func (f *file) WriteAt(p []byte, offset int64) (int, error) {
	if err := f.own(); err != nil {
		return 0, err
	}
	if end := offset + int64(len(p)); end > int64(len(f.bytes)) {
		f.bytes = append(f.bytes, make([]byte, end-int64(len(f.bytes)))...)
	}
	return copy(f.bytes[offset:], p), nil
}

// Truncate implements [storage.File].
func (f *file) Truncate(sizeBytes int64) error {
	if err := f.own(); err != nil {
		return err
	}
	if sizeBytes <= int64(len(f.bytes)) {
		f.bytes = f.bytes[:sizeBytes]
		return nil
	}
	f.bytes = append(f.bytes, make([]byte, sizeBytes-int64(len(f.bytes)))...)
	return nil
}

// Allocate implements [storage.File].
func (f *file) Allocate(sizeBytes int64) error {
	size, err := f.Size()
	if err != nil || size >= sizeBytes {
		return err
	}
	return f.Truncate(sizeBytes)
}

// Sync implements [storage.File].
func (f *file) Sync() error { return nil }

// Close implements [io.Closer]. What lies below stays open until [Disk.Close].
func (f *file) Close() error { return nil }
