//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package node

import (
	"fmt"
	"os"
)

// directoryLock is an open directory.
type directoryLock struct{ *os.File }

// lockDirectory opens a directory. This system has no lock that a dead process lets go of, so
// that a second process is not kept out.
func lockDirectory(name string) (*directoryLock, error) {
	d, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	return &directoryLock{d}, nil
}
