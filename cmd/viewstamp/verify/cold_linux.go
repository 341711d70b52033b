//go:build linux && (amd64 || arm64)

package verify

import (
	"os"
	"path/filepath"
	"syscall"
)

// adviceNotNeeded is POSIX_FADV_DONTNEED.
const adviceNotNeeded = 4

// forgetPages empties the page cache of the flushed files in a directory, as far as the file
// system can. It reports whether it knows how.
func forgetPages(directory string) (bool, error) {
	names, err := filepath.Glob(filepath.Join(directory, "*"))
	if err != nil {
		return false, err
	}
	for _, name := range names {
		if err := forgetFile(name); err != nil {
			return false, err
		}
	}
	return true, nil
}

func forgetFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	_, _, code := syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, adviceNotNeeded, 0, 0)
	if err := f.Close(); err != nil {
		return err
	}
	if code != 0 {
		return code
	}
	return nil
}
