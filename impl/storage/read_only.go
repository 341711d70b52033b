package storage

import (
	"fmt"
	"os"
)

// ReadOnly is a directory of the operating system that is never written to: it opens files
// for reading only, also those that this process may not write.
type ReadOnly struct{ directory *Directory }

// OpenReadOnly opens an existing directory for reading. Close it when done.
func OpenReadOnly(name string) (*ReadOnly, error) {
	d, err := OpenDirectory(name)
	if err != nil {
		return nil, err
	}
	return &ReadOnly{d}, nil
}

// Close releases the directory. Files that are open stay open.
func (r *ReadOnly) Close() error { return r.directory.Close() }

// Open opens a regular file for reading: its other methods fail.
//
// Errors: fs.ErrNotExist; [ErrNotRegular].
func (r *ReadOnly) Open(name string) (File, error) {
	if err := CheckPath("open", name); err != nil {
		return nil, err
	}
	return r.directory.open("open", name, os.O_RDONLY)
}

// List returns the names of the files in a directory, as [Disk] does.
func (r *ReadOnly) List(directory string) ([]string, error) {
	names, err := r.directory.List(directory)
	if err != nil {
		return nil, fmt.Errorf("read only: %w", err)
	}
	return names, nil
}
