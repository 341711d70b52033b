//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package node

import (
	"fmt"
	"os"
)

// lockDirectory opens a directory. This system has no lock that a dead process lets go of, so
// that a second process is not kept out.
func lockDirectory(name string) (*os.File, error) {
	d, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	return d, nil
}
