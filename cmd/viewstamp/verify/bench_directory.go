package verify

import (
	"os"

	"go.uber.org/multierr"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// benchDirectory makes a directory for the files of a benchmark, below another, and returns it as a
// disk, its name, and what closes and removes it.
func benchDirectory(below string) (*storage.Directory, string, func() error, error) {
	root, err := os.MkdirTemp(below, "viewstamp-bench-")
	if err != nil {
		return nil, "", nil, err
	}
	disk, err := storage.OpenDirectory(root)
	if err != nil {
		return nil, "", nil, multierr.Append(err, os.RemoveAll(root))
	}
	return disk, root, func() error {
		return multierr.Append(disk.Close(), os.RemoveAll(root))
	}, nil
}
