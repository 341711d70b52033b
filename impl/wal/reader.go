package wal

import (
	"errors"
	"io"
	"slices"
)

// reader reads whole files for the scan, one at a time, the next one while the scan is at work
// on this one: so recovery takes as long as the disk or as the checksums, and not as both.
// There is never more than one read under way, and their order is always the same.
type reader struct {
	images []image
	loaded int // Which image content is of; -1: none.
	// content is the whole file, whatever its length.
	content []byte

	// ahead is the read under way; nil if there is none.
	ahead *read
	// spare is memory for the next read.
	spare []byte
	// stopped: nothing is read ahead any more.
	stopped bool
}

// read is a file that is being read.
type read struct {
	image   int
	content []byte
	err     error
	done    chan struct{}
}

func newReader(images []image) reader { return reader{images: images, loaded: -1} }

// load returns what is in a file, until the next load of another. A short one ends early: what
// is missing is not there.
func (r *reader) load(i int) ([]byte, error) {
	if r.loaded == i {
		return r.content, nil
	}
	memory := r.content
	r.content, r.loaded = nil, -1
	if r.ahead == nil || r.ahead.image != i {
		r.wait()
		r.begin(i)
	}
	<-r.ahead.done
	next := r.ahead
	r.ahead, r.spare = nil, memory
	if next.err != nil {
		return nil, next.err
	}
	r.content, r.loaded = next.content, i
	if i+1 < len(r.images) && !r.stopped {
		r.begin(i + 1)
	}
	return r.content, nil
}

// begin starts to read a file.
func (r *reader) begin(i int) {
	next := &read{image: i, content: r.spare, done: make(chan struct{})}
	r.ahead, r.spare = next, nil
	go func() {
		defer close(next.done)
		next.content, next.err = r.images[i].read(next.content)
	}()
}

// wait returns when no read is under way. What it read is forgotten.
func (r *reader) wait() {
	if r.ahead == nil {
		return
	}
	<-r.ahead.done
	r.ahead, r.spare = nil, r.ahead.content
}

// stop is wait, for good: from then on files are read when they are asked for.
func (r *reader) stop() {
	r.wait()
	r.stopped = true
}

// read returns the whole file, in the memory given if it is enough.
//
// Errors: [*VersionError]; else the disk's.
func (i image) read(memory []byte) ([]byte, error) {
	size, err := i.file.Size()
	if err != nil {
		return nil, err
	}
	size = min(size, fileBytesMax)
	memory = slices.Grow(memory[:0], int(size))[:size]
	n, err := i.file.ReadAt(memory, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if version, found := otherVersion(memory[:n]); found {
		return nil, &VersionError{Path: i.file.Path(), Version: version}
	}
	return memory[:n], nil
}
