//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package node

import (
	"fmt"
	"os"
)

// DirectoryLock is an open directory.
type DirectoryLock struct{ *os.File }

// LockDirectory opens a directory. This system has no lock that a dead process lets go of, so
// that a second process is not kept out.
func LockDirectory(name string) (*DirectoryLock, error) {
	d, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	return &DirectoryLock{d}, nil
}
