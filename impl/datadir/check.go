package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"go.uber.org/multierr"
)

// Exists refuses a path at which there is no directory. It opens nothing, so a pipe makes it wait
// for nobody.
func Exists(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("%w, expected a data directory", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: %s, expected a data directory", name, kind(info.Mode()))
	}
	return nil
}

// Check refuses a directory that holds anything but the files of a data directory, or files that
// cannot be opened with the flag: os.O_RDONLY or os.O_RDWR. It changes nothing: who is about to
// write asks it first, so that no directory is half written before it is refused.
func Check(name string, flag int) (err error) {
	if err := Exists(name); err != nil {
		return err
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return err
	}
	defer multierr.AppendInvoke(&err, multierr.Close(root))
	return fs.WalkDir(root.FS(), ".", func(at string, entry fs.DirEntry, err error) error {
		whole := path.Join(name, at)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w, expected to read it", whole, reason(err))
		case !entry.IsDir() && !entry.Type().IsRegular():
			return fmt.Errorf("%s: %s, expected files and directories only", whole, kind(entry.Type()))
		case !Known(at, entry.IsDir()):
			return fmt.Errorf("%s: no part of a data directory, expected superblock.a, superblock.b, "+
				"wal and groups", whole)
		case entry.IsDir():
			return nil
		}
		f, err := root.OpenFile(at, flag, 0)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return fmt.Errorf("%s: %w, expected to %s it", whole, reason(err),
				map[bool]string{true: "read", false: "read and write"}[flag == os.O_RDONLY])
		}
		return nil
	})
}

// reason is what the system says of a path, without the path.
func reason(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// kind says in words what lies at a path.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
