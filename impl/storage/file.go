package storage

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"go.uber.org/multierr"
)

// zerosBytes is how much Allocate writes at once.
const zerosBytes = 1 << 20

// osFile is a file of the operating system. Its errors name operation and path
// already.
type osFile struct {
	*os.File
	path string
	// around is nil where the page cache is the only way.
	around *around
}

// Close implements [File].
func (f osFile) Close() error {
	err := f.File.Close()
	if f.around != nil {
		multierr.AppendInvoke(&err, multierr.Invoke(f.around.close))
	}
	return err
}

// Path implements [File].
func (f osFile) Path() string { return f.path }

// Size implements [File].
func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// WriteAt implements [File].
func (f osFile) WriteAt(p []byte, offset int64) (int, error) {
	n, err := f.File.WriteAt(p, offset)
	return n, full(err)
}

// Allocate implements [File]. The space is reserved first, where the file system can do
// that, so that a full disk is noticed before anything is written. Reserved space alone
// would not do: the first write to it makes the file system note that it is in use, which
// costs each flush as much as a file that grows.
func (f osFile) Allocate(sizeBytes int64) error {
	size, err := f.Size()
	if err != nil || size >= sizeBytes {
		return err
	}
	if err := reserve(f.File, size, sizeBytes-size); err != nil {
		return fmt.Errorf("allocate %s: %w", f.path, full(err))
	}
	zeros := make([]byte, min(zerosBytes, sizeBytes-size))
	for size < sizeBytes {
		n, err := f.WriteAt(zeros[:min(int64(len(zeros)), sizeBytes-size)], size)
		if err != nil {
			return err
		}
		size += int64(n)
	}
	return nil
}

// full makes ErrFull known in an error that says so in the system's own words.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// ignoringInterrupts repeats a system call that a signal has interrupted.
func ignoringInterrupts(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// onDescriptor makes a system call on an open file.
func onDescriptor(f *os.File, call func(descriptor int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := conn.Control(func(descriptor uintptr) {
		failed = ignoringInterrupts(func() error { return call(int(descriptor)) })
	}); err != nil {
		return os.ErrClosed // The only thing that keeps the call from being made.
	}
	return failed
}
