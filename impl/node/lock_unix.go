//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package node

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockDirectory makes this process the only one to use a directory, for as long as the file
// that it returns is open; the kernel lets go when the process dies. The directory itself is
// locked: a file in it would be one that does not belong there.
//
// Errors: ErrBusy; what the system says.
func lockDirectory(name string) (*os.File, error) {
	d, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return d, nil
	}
	_ = d.Close() // Nothing was done with it.
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("lock data directory %s: %w", name, ErrBusy)
	}
	return nil, fmt.Errorf("lock data directory %s: %w", name, err)
}
