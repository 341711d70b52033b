package transport

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// firstBytes is how much memory a body gets before any of it has arrived.
const firstBytes = 64 << 10

// errMemory refuses a body for which the budget has no room. The stream is intact: the body
// can be skipped.
var errMemory = errors.New("no memory left for the frame")

// SizeError refuses a frame that is larger than the connection may send, or whose size is
// none. The stream is lost.
type SizeError struct {
	// Header is the frame's header, as it came.
	Header []byte
	// Declared is what the header says, Limit what it may say at most, both in bytes.
	Declared, Limit int
}

// Error names both sizes.
func (e *SizeError) Error() string {
	return fmt.Sprintf("read frame: %d bytes declared, expected %d to %d",
		e.Declared, wire.HeaderBytes, e.Limit)
}

// Pace bounds how slowly the other end may send.
type Pace struct {
	// Idle is how long it may say nothing between two frames; 0 is for ever.
	Idle time.Duration
	// Frame is how long a frame may take once it has begun, and BytesPerSecond what its size
	// adds to that.
	Frame          time.Duration
	BytesPerSecond int
}

// limit is the time that a frame of a size may take.
func (p Pace) limit(sizeBytes int) time.Duration {
	return p.Frame + time.Duration(float64(sizeBytes)/float64(p.BytesPerSecond)*float64(time.Second))
}

// frameReader reads the frames of one connection.
type frameReader struct {
	conn     net.Conn
	pace     Pace
	maxBytes int
	budget   *Budget
	header   [wire.HeaderBytes]byte
}

// next returns a whole frame, in memory of its own that the budget has been charged for: the
// caller releases len(frame). Nothing but the size has been verified.
//
// Errors: io.EOF between two frames; *SizeError; errMemory with the header in r.header and
// the body unread as far as left says; whatever the connection says.
func (r *frameReader) next() (frame []byte, left int, err error) {
	if err := r.begin(); err != nil {
		return nil, 0, err
	}
	size, err := wire.FrameSize(r.header[:])
	if err != nil || size > r.maxBytes {
		if err != nil {
			size = int(uint32(r.header[48]) | uint32(r.header[49])<<8 |
				uint32(r.header[50])<<16 | uint32(r.header[51])<<24)
		}
		return nil, 0, &SizeError{Header: r.header[:], Declared: size, Limit: r.maxBytes}
	}
	if err := r.conn.SetReadDeadline(time.Now().Add(r.pace.limit(size))); err != nil {
		return nil, 0, err
	}
	return r.body(size)
}

// begin reads a header. A connection may be silent before it, not within it.
func (r *frameReader) begin() error {
	var idle time.Time
	if r.pace.Idle > 0 {
		idle = time.Now().Add(r.pace.Idle)
	}
	if err := r.conn.SetReadDeadline(idle); err != nil {
		return err
	}
	n, err := r.conn.Read(r.header[:])
	if n == 0 {
		if err == nil {
			err = io.ErrNoProgress
		}
		return err
	}
	if err := r.conn.SetReadDeadline(time.Now().Add(r.pace.Frame)); err != nil {
		return err
	}
	if _, err := io.ReadFull(r.conn, r.header[n:]); err != nil {
		return unexpected(err)
	}
	return nil
}

// body reads what follows the header. Memory is taken as the bytes arrive, so that declaring
// a large frame costs its sender more than us.
func (r *frameReader) body(size int) (frame []byte, left int, err error) {
	held := min(size, firstBytes)
	if !r.budget.Acquire(held) {
		return nil, size - wire.HeaderBytes, errMemory
	}
	frame = append(make([]byte, 0, held), r.header[:]...)
	for {
		n, err := io.ReadFull(r.conn, frame[len(frame):cap(frame)])
		frame = frame[:len(frame)+n]
		if err != nil {
			r.budget.Release(held)
			return nil, 0, unexpected(err)
		}
		if len(frame) == size {
			return frame, 0, nil
		}
		more := min(size-held, held)
		if !r.budget.Acquire(more) {
			r.budget.Release(held)
			return nil, size - len(frame), errMemory
		}
		held += more
		frame = append(make([]byte, 0, held), frame...)
	}
}

// skip reads what is left of a frame and forgets it.
func (r *frameReader) skip(left int) error {
	if err := r.conn.SetReadDeadline(time.Now().Add(r.pace.limit(left))); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, r.conn, int64(left))
	return unexpected(err)
}

// unexpected turns an end within a frame into what it is.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
