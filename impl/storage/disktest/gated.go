package disktest

import (
	"strings"
	"sync/atomic"

	"github.com/viewstamp/viewstamp/impl/storage"
)

// Gated is a disk some of whose files are flushed when the test lets them.
type Gated struct {
	storage.Disk
	// Waiting has the path of each file whose flush waits; it goes on with what comes from Let: an
	// error that takes the flush's place, or nil.
	Waiting chan string
	Let     chan error

	held atomic.Pointer[[]string]
}

// NewGated holds nothing yet.
func NewGated(below storage.Disk) *Gated {
	return &Gated{Disk: below, Waiting: make(chan string), Let: make(chan error)}
}

// Hold has those flushes wait from now on that are of files whose paths begin so, and no others.
func (d *Gated) Hold(prefixes ...string) { d.held.Store(&prefixes) }

func (d *Gated) holds(path string) bool {
	held := d.held.Load()
	if held == nil {
		return false
	}
	for _, prefix := range *held {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// Open implements [storage.Disk].
func (d *Gated) Open(path string) (storage.File, error) { return d.gate(d.Disk.Open(path)) }

// Create implements [storage.Disk].
func (d *Gated) Create(path string) (storage.File, error) { return d.gate(d.Disk.Create(path)) }

func (d *Gated) gate(f storage.File, err error) (storage.File, error) {
	if err != nil {
		return nil, err
	}
	return gatedFile{f, d}, nil
}

type gatedFile struct {
	storage.File
	disk *Gated
}

// Sync implements [storage.File].
func (f gatedFile) Sync() error {
	if f.disk.holds(f.Path()) {
		f.disk.Waiting <- f.Path()
		if err := <-f.disk.Let; err != nil {
			return err
		}
	}
	return f.File.Sync()
}

// WriteAround implements [storage.AroundWriter] as the file below does.
func (f gatedFile) WriteAround(p []byte, offset int64) (int, error) {
	return storage.WriteAround(f.File, p, offset)
}
