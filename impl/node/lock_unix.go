//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package node

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"go.uber.org/multierr"
)

// DirectoryLock keeps other processes out of a directory until it is closed; the kernel lets go
// when the process dies.
type DirectoryLock struct{ directory *os.File }

// Close lets the directory go. It says so, as closing the file alone does not while a child that
// is being started still has a copy of it.
func (l *DirectoryLock) Close() error {
	return multierr.Append(
		syscall.Flock(int(l.directory.Fd()), syscall.LOCK_UN), l.directory.Close())
}

// LockDirectory makes this process the only one to use a directory, for as long as the lock
// that it returns is held. The directory itself is locked: a file in it would be one that does
// not belong there.
//
// Errors: ErrBusy; what the system says.
func LockDirectory(name string) (*DirectoryLock, error) {
	d, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &DirectoryLock{d}, nil
	}
	_ = d.Close() // Nothing was done with it.
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("lock data directory %s: %w", name, ErrBusy)
	}
	return nil, fmt.Errorf("lock data directory %s: %w", name, err)
}
