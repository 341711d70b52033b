package storage

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// directFlag opens a file around the page cache.
const directFlag = syscall.O_DIRECT

// reserveAndGrow is fallocate's default mode: the file becomes as long as the space.
const reserveAndGrow = 0

// Sync implements [File] with fdatasync: content and length, but not the time of the last
// change, which would cost the file system's journal a write of its own.
func (f osFile) Sync() error {
	if err := onDescriptor(f.File, syscall.Fdatasync); err != nil {
		return fmt.Errorf("sync %s: %w", f.path, err)
	}
	return nil
}

// reserve sets space aside, where the file system can.
func reserve(f *os.File, offset, bytes int64) error {
	err := onDescriptor(f, func(descriptor int) error {
		return syscall.Fallocate(descriptor, reserveAndGrow, offset, bytes)
	})
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return nil // The zeros that follow do it, later and more slowly.
	}
	return err
}
