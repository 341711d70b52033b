package segment

import (
	"errors"
	"io"
	"slices"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// A walk reads so much at once, unless a batch is larger: little at first, since many want one
// batch only, and then more and more.
const (
	windowFirstBytes = 16 << 10
	windowBytes      = 256 << 10
)

// walker reads the batches of a segment file one after the other and verifies each: its
// checksum, its group, and that it continues the one before it.
type walker struct {
	file  io.ReaderAt
	group wire.GroupID
	// at is the position of the next batch, end where the walk ends.
	at, end int64
	// offset is the one expected next, chain and timestamp those of the batch before. Where
	// a walk begins in the middle the chain is not known.
	offset    uint64
	chain     wire.Checksum
	chained   bool
	timestamp uint64
	op        wire.Op

	window   []byte
	windowAt int64
	// ahead is how much was read at once the last time.
	ahead int64
	bytes int64 // Read so far.
}

// done says whether the walk has reached its end.
func (w *walker) done() bool { return w.at >= w.end }

// next returns the next batch, or the reason for which there is none. The body is valid until
// the next call. Errors are the disk's.
func (w *walker) next() (Batch, link, Reason, error) {
	header, err := w.load(BatchHeaderBytes)
	if err != nil || header == nil {
		return Batch{}, link{}, Short, err
	}
	size := sizeOf(header)
	if size == 0 {
		return Batch{}, link{}, Damaged, nil
	}
	whole, err := w.load(size)
	if err != nil || whole == nil {
		return Batch{}, link{}, Short, err
	}
	b, l, reason := decode(whole)
	if reason == 0 {
		reason = w.place(b, l)
	}
	if reason != 0 {
		return Batch{}, link{}, reason, nil
	}
	w.at += size
	w.offset, w.timestamp, w.op, w.chain, w.chained = b.next(), b.Timestamp, b.Op, l.after, true
	return b, l, 0, nil
}

// raw returns the bytes of the batch that began at a position and was returned last.
func (w *walker) raw(at int64) []byte { return w.window[at-w.windowAt : w.at-w.windowAt] }

// place says whether a batch that verifies belongs here.
func (w *walker) place(b Batch, l link) Reason {
	switch {
	case l.group != w.group:
		return Foreign
	case b.Offset != w.offset, b.Timestamp < w.timestamp, b.Op < w.op,
		w.chained && l.before != w.chain:
		return Unchained
	}
	return 0
}

// load returns so many bytes from the position on, nil if the walk's end comes before.
func (w *walker) load(n int64) ([]byte, error) {
	if w.at+n > w.end {
		return nil, nil
	}
	from := w.at - w.windowAt
	if from >= 0 && from+n <= int64(len(w.window)) {
		return w.window[from:][:n], nil
	}
	w.ahead = min(max(windowFirstBytes, 4*w.ahead), windowBytes)
	size := min(max(n, w.ahead), w.end-w.at)
	w.window = slices.Grow(w.window[:0], int(size))[:size]
	w.windowAt = w.at
	read, err := w.file.ReadAt(w.window, w.at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	w.bytes += int64(read)
	w.window = w.window[:read]
	if int64(read) < n {
		return nil, nil
	}
	return w.window[:n], nil
}
