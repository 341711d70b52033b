package verify

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"
)

// directUnit is what offset, length and memory of a write past the page cache are multiples of.
const directUnit = 4096

// directLoop is a bare loop whose writes go past the page cache (O_DIRECT): what is gained by that?
type directLoop struct {
	file  *os.File
	frame []byte
	at    int64
}

// newDirectLoop makes a pre-zeroed file in a directory. It returns nil where the file system
// knows no such writes. Close it when done.
func newDirectLoop(directory string, bytes int) (*directLoop, error) {
	name := filepath.Join(directory, "direct")
	if err := os.WriteFile(name, make([]byte, walFileBytes), 0o600); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_RDWR|syscall.O_DIRECT, 0)
	if errors.Is(err, syscall.EINVAL) {
		return nil, nil //nolint:nilnil // The file system's answer, and no error.
	}
	if err != nil {
		return nil, err
	}
	if err := file.Sync(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &directLoop{file: file, frame: alignedBytes((bytes + directUnit - 1) / directUnit)}, nil
}

// alignedBytes is memory of so many units that begins at a multiple of the unit.
func alignedBytes(units int) []byte {
	b := make([]byte, (units+1)*directUnit)
	over := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % directUnit)
	return b[directUnit-over:][:units*directUnit]
}

// flush writes once, and flushes.
func (l *directLoop) flush() (time.Duration, error) {
	begin := time.Now()
	if _, err := l.file.WriteAt(l.frame, l.at); err != nil {
		return 0, err
	}
	if err := syscall.Fdatasync(int(l.file.Fd())); err != nil {
		return 0, fmt.Errorf("fdatasync: %w", err)
	}
	l.at = (l.at + int64(len(l.frame))) % (walFileBytes / 2)
	return time.Since(begin), nil
}

// Close closes the file.
func (l *directLoop) Close() error { return l.file.Close() }
