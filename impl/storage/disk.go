package storage

import (
	"fmt"
	"io"
	"io/fs"
	"path"
)

// Disk holds files by their paths. Implementations may be used from several
// goroutines.
type Disk interface {
	// Create makes an empty file and opens it for reading and writing. Directories
	// that the path needs are made too. The name is durable after SyncDir.
	//
	// Errors: fs.ErrExist if the path names a file.
	Create(path string) (File, error)

	// Open opens a file that exists for reading and writing.
	//
	// Errors: fs.ErrNotExist.
	Open(path string) (File, error)

	// Rename gives a file another name in the same directory, in one step: a reader,
	// and a crash, sees the old names or the new ones. A file that had the name is
	// replaced. The names are durable after SyncDir; the content is the matter of
	// File.Sync, which must come first.
	//
	// Errors: fs.ErrNotExist; ErrDirectory if the directories differ.
	Rename(from, to string) error

	// Remove takes a name away. It is durable after SyncDir.
	//
	// Errors: fs.ErrNotExist.
	Remove(path string) error

	// List returns the names of the files in a directory, sorted, without the
	// directory's own path. A directory that does not exist has none.
	List(directory string) ([]string, error)

	// SyncDir makes the names in a directory durable, and the directory itself.
	SyncDir(directory string) error
}

// File is an open file. It has no cursor: every access names its offset, in bytes.
type File interface {
	io.ReaderAt
	// WriterAt returns once the operating system has the bytes. A write beyond the
	// end leaves zeros in between. After an error any part may have been written.
	// ErrFull: no space is left.
	io.WriterAt
	io.Closer

	// Path returns the path that the file was opened with.
	Path() string

	// Size returns the file's length in bytes.
	Size() (int64, error)

	// Truncate sets the length in bytes: it cuts the end off, or adds zeros.
	Truncate(sizeBytes int64) error

	// Allocate makes the file at least so many bytes long, in space that is set aside for
	// it: the bytes added are zeros, written as such, so that overwriting them later
	// neither runs out of space nor makes the file system note anything but content.
	// What the file holds stays. Durable after Sync.
	//
	// Errors: ErrFull, with the file somewhere between both lengths.
	Allocate(sizeBytes int64) error

	// Sync returns once the disk has content and length. After an error nobody
	// knows what the disk has: do not retry.
	Sync() error
}

// Error is a reason for which a [Disk] refuses a call.
type Error string

// ErrFull: no space is left. What was on the disk before is intact.
const ErrFull Error = "no space left on the disk"

// ErrNotRegular refuses to open what is no regular file: a directory, a symbolic link,
// a device. Only the disk of the operating system has such.
const ErrNotRegular Error = "not a regular file"

// ErrDirectory refuses a rename into another directory: that is two steps to a crash.
const ErrDirectory Error = "the directories differ"

// Error returns the reason.
func (e Error) Error() string { return string(e) }

// CheckPath refuses paths that are not relative, clean and with slashes, with an
// error that names the operation.
func CheckPath(operation, name string) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("%s %q: %w: expected a clean relative path with slashes",
			operation, name, fs.ErrInvalid)
	}
	return nil
}

// CheckRename refuses what [Disk.Rename] refuses by the look of the paths alone.
func CheckRename(from, to string) error {
	if err := CheckPath("rename", from); err != nil {
		return err
	}
	if err := CheckPath("rename", to); err != nil {
		return err
	}
	if path.Dir(from) != path.Dir(to) {
		return fmt.Errorf("rename %s to %s: %w", from, to, ErrDirectory)
	}
	return nil
}
