package traces

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// LineMax is the size of the longest line, in bytes, without its newline.
const LineMax = 16 << 20

// Reader reads a trace one event at a time. It is not safe for concurrent use.
type Reader struct {
	in     *bufio.Reader
	name   string
	header Header
	line   int    // Number of the line read last.
	buf    []byte // Holds a line that does not fit the buffer of in.
	err    error  // Sticky: what ended the reading, io.EOF included.
	close  func() error
}

// NewReader reads and checks the header line of a trace. name stands for the trace
// in errors, usually its path. The reader reads ahead of what it returns; it does
// not close r.
//
// Errors: a [FormatError] if the header breaks the format, else r's own.
func NewReader(r io.Reader, name string) (*Reader, error) {
	t := &Reader{in: bufio.NewReaderSize(r, 64<<10), name: name}
	line, err := t.readLine()
	if err != nil {
		if errors.Is(err, io.EOF) {
			t.line = 1
			return nil, t.at(wrong("a header line", "an empty trace"))
		}
		return nil, err
	}
	if bad := parseHeader(line, &t.header); bad != nil {
		return nil, t.at(bad)
	}
	return t, nil
}

// Header returns the header of the trace.
func (t *Reader) Header() Header {
	return t.header
}

// Next returns the next event, or io.EOF after the last.
//
// Errors: a [FormatError] if the line breaks the format, else the source's own.
// After any error the reader returns the same error for ever.
func (t *Reader) Next() (Event, error) {
	if t.err != nil {
		return Event{}, t.err
	}
	event, err := t.next()
	if err != nil {
		t.err = err
		return Event{}, err
	}
	return event, nil
}

// Close releases the file of a reader made by [Open]; a reader made by [NewReader]
// has nothing to release. It must be called once, when the reader is done.
func (t *Reader) Close() error {
	if t.close == nil {
		return nil
	}
	return t.close()
}

func (t *Reader) next() (Event, error) {
	line, err := t.readLine()
	if err != nil {
		return Event{}, err
	}
	var event Event
	bad := parseEvent(line, &event)
	if bad == nil {
		// Line 1 is the header, so event n stands on line n+1.
		bad = checkEvent(&event, t.line-1, t.header.Replicas)
	}
	if bad != nil {
		return Event{}, t.at(bad)
	}
	return event, nil
}

// readLine returns the next line without its newline, valid until the next call.
// io.EOF means that there is no further line at all.
func (t *Reader) readLine() ([]byte, error) {
	t.buf = t.buf[:0]
	for {
		part, err := t.in.ReadSlice('\n')
		if len(t.buf) == 0 && len(part) == 0 && errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		if len(t.buf)+len(part) > LineMax {
			t.line++
			return nil, t.at(wrong(fmt.Sprintf("at most %d bytes in a line", LineMax), "more"))
		}
		if whole && len(t.buf) == 0 {
			t.line++
			return part, t.checkText(part)
		}
		t.buf = append(t.buf, part...)
		if whole {
			t.line++
			return t.buf, t.checkText(t.buf)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			t.line++
			return nil, t.readError(err)
		}
	}
}

// readError explains why a line could not be read to its newline.
func (t *Reader) readError(err error) error {
	var damaged *damagedError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return t.truncated(wrong("a line that ends in a newline",
			fmt.Sprintf("the end after %d bytes: the trace is truncated", len(t.buf))))
	case errors.Is(err, errHalfFrame):
		return t.truncated(wrong("Zstandard data", errHalfFrame.Error()))
	case errors.As(err, &damaged):
		return t.at(wrong("Zstandard data", damaged.Error()))
	default:
		return fmt.Errorf("read trace %s:%d: %w", t.name, t.line, err)
	}
}

func (t *Reader) checkText(line []byte) error {
	if utf8.Valid(line) {
		return nil
	}
	offset := 0
	for offset < len(line) {
		r, size := utf8.DecodeRune(line[offset:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		offset += size
	}
	return t.at(wrong("UTF-8 text",
		fmt.Sprintf("byte %#02x in column %d", line[offset], offset+1)))
}

func (t *Reader) truncated(bad *FormatError) error {
	bad.Truncated = true
	return t.at(bad)
}

// at completes a FormatError with the place of the line read last.
func (t *Reader) at(bad *FormatError) error {
	bad.Path, bad.Line = t.name, t.line
	return bad
}
