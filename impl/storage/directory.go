package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"go.uber.org/multierr"
)

// Directory is the [Disk] of the operating system below one directory, which paths
// and symbolic links cannot leave.
type Directory struct {
	root *os.Root
}

var _ Disk = (*Directory)(nil)

// OpenDirectory opens an existing directory as a disk. Close it when done.
func OpenDirectory(name string) (*Directory, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", err)
	}
	return &Directory{root: root}, nil
}

// Close releases the directory. Files that are open stay open.
func (d *Directory) Close() error { return d.root.Close() }

// Create implements [Disk].
func (d *Directory) Create(name string) (File, error) {
	if err := CheckPath("create", name); err != nil {
		return nil, err
	}
	if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, fmt.Errorf("create %s: %w", name, full(err))
	}
	return d.open("create", name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

// Open implements [Disk].
func (d *Directory) Open(name string) (File, error) {
	if err := CheckPath("open", name); err != nil {
		return nil, err
	}
	return d.open("open", name, os.O_RDWR)
}

// open opens a regular file and nothing else: what a path leads to through a symbolic
// link is not ours, and opening a pipe would wait for its other end.
func (d *Directory) open(operation, name string, flags int) (File, error) {
	info, err := d.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s %s: %w: %s", operation, name, ErrNotRegular, info.Mode().Type())
	}
	f, err := d.root.OpenFile(name, flags, 0o644)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", operation, name, full(err))
	}
	if flags&os.O_RDWR == 0 {
		return osFile{File: f, path: name}, nil
	}
	return osFile{File: f, path: name, around: d.aroundOf(f, name)}, nil
}

// Rename implements [Disk].
func (d *Directory) Rename(from, to string) error {
	if err := CheckRename(from, to); err != nil {
		return err
	}
	if err := d.root.Rename(from, to); err != nil {
		return fmt.Errorf("rename %s to %s: %w", from, to, full(err))
	}
	return nil
}

// Remove implements [Disk].
func (d *Directory) Remove(name string) error {
	if err := CheckPath("remove", name); err != nil {
		return err
	}
	if err := d.root.Remove(name); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return nil
}

// List implements [Disk].
func (d *Directory) List(directory string) ([]string, error) {
	if err := CheckPath("list", directory); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(d.root.FS(), directory) // Sorted by name.
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", directory, err)
	}
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// SyncDir implements [Disk]. Create may have made several directories, and each is a
// name in its parent, so it goes up to the root.
func (d *Directory) SyncDir(directory string) error {
	if err := CheckPath("sync directory", directory); err != nil {
		return err
	}
	for {
		if err := d.syncOne(directory); err != nil {
			return fmt.Errorf("sync directory %s: %w", directory, err)
		}
		if directory == "." {
			return nil
		}
		directory = path.Dir(directory)
	}
}

func (d *Directory) syncOne(directory string) (err error) {
	f, err := d.root.Open(directory)
	if err != nil {
		return err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(f))
	return f.Sync()
}
