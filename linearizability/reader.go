package linearizability

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/multierr"
)

// ReadFile reads a history, compressed or not.
//
// Errors: a [*FormatError] with file and line for what is not well-formed; the
// operating system's error otherwise. No part of the history is returned then.
func ReadFile(path string) (h *History, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	defer multierr.AppendInvoke(&err, multierr.Close(file))
	return ReadHistory(file, path)
}

// ReadHistory reads a whole history and validates it, as [ReadFile] does. The name
// stands for the path in errors.
func ReadHistory(from io.Reader, name string) (*History, error) {
	r, err := NewReader(from, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	header := r.Header()
	h := &History{Model: header.Model, Unit: header.Unit}
	for {
		o, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		h.Operations = append(h.Operations, o)
	}
	if f := validateClients(h.Operations); f != nil {
		const firstLine = 2 // Behind the header.
		return nil, &FormatError{
			Path: name, Line: f.at + firstLine, Expected: f.expected, Got: f.got,
		}
	}
	return h, nil
}

// Reader reads a history operation by operation. It validates each of them by
// itself; what concerns several of them (ids, overlaps) is for [ReadHistory] or
// [History.Validate].
type Reader struct {
	lines  *lineReader
	header Header
	spec   *specification
	// endMarked says that the last line must be an end mark; operations counts those read.
	endMarked  bool
	operations int
}

// NewReader reads the header of a history. It finds out by itself whether the
// input is compressed. Errors are those of [ReadFile].
func NewReader(from io.Reader, name string) (*Reader, error) {
	lines, err := newLineReader(from, name)
	if err != nil {
		return nil, err
	}
	r := &Reader{lines: lines}
	if err := r.readHeader(); err != nil {
		lines.close()
		return nil, err
	}
	return r, nil
}

func (r *Reader) readHeader() error {
	line, err := r.lines.next()
	if errors.Is(err, io.EOF) {
		r.lines.line = 1
		return r.lines.fail(&fault{expected: "a header", got: "an empty file"})
	}
	if err != nil {
		return err
	}
	header, endMarked, f := decodeHeader(line)
	if f != nil {
		return r.lines.fail(f)
	}
	r.header, r.endMarked = header, endMarked
	r.spec, _ = header.Model.specification()
	return nil
}

// Header returns the first line.
func (r *Reader) Header() Header { return r.header }

// EndMarked reports whether the history says where it ends, so that io.EOF means that
// nothing is missing. Older files do not (version 1).
func (r *Reader) EndMarked() bool { return r.endMarked }

// Next returns the next operation, or io.EOF behind the last one. Other errors are
// those of [ReadFile]; nothing can be read behind them. The end of a file that lacks its
// end mark is such an error.
func (r *Reader) Next() (Operation, error) {
	line, err := r.lines.next()
	switch {
	case errors.Is(err, io.EOF) && r.endMarked:
		return Operation{}, r.lines.fail(&fault{
			expected: "an operation or the end mark " + r.endMark(),
			got:      "the end of the file: the history is cut off",
		})
	case err != nil:
		return Operation{}, err
	case r.endMarked:
		if count, isEnd := decodeEnd(line); isEnd {
			return Operation{}, r.end(count)
		}
	}
	o, f := decodeOperation(r.spec, line)
	if f != nil {
		return Operation{}, r.lines.fail(f)
	}
	r.operations++
	return o, nil
}

// endMark is the mark that would be right here.
func (r *Reader) endMark() string { return fmt.Sprintf(`{"end":%d}`, r.operations) }

// end is io.EOF if nothing is missing before the end mark and nothing follows it.
func (r *Reader) end(count int) error {
	if count != r.operations {
		return r.lines.fail(&fault{
			expected: "the end mark " + r.endMark() + ", which counts the operations",
			got:      fmt.Sprintf(`{"end":%d}`, count),
		})
	}
	switch _, err := r.lines.next(); {
	case err == nil:
		return r.lines.fail(&fault{expected: "nothing behind the end mark", got: "a line"})
	case !errors.Is(err, io.EOF):
		return err
	}
	return io.EOF
}

// Close releases the decompressor. It does not close what it reads from.
func (r *Reader) Close() { r.lines.close() }

// lineReader cuts a text, compressed or not, into lines, each of which must be
// UTF-8, ended and of bearable length.
type lineReader struct {
	from  *bufio.Reader
	close func()
	name  string
	line  int // Number of the line read last.
}

// zstdMagic begins every zstd frame (RFC 8878, 3.1.1).
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

func newLineReader(from io.Reader, name string) (*lineReader, error) {
	r := &lineReader{from: bufio.NewReaderSize(from, 1<<16), close: func() {}, name: name}
	start, err := r.from.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if !bytes.Equal(start, zstdMagic) {
		return r, nil
	}
	decoder, err := zstd.NewReader(r.from, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	r.from, r.close = bufio.NewReaderSize(decoder, 1<<16), decoder.Close
	return r, nil
}

func (r *lineReader) fail(f *fault) error {
	return &FormatError{Path: r.name, Line: r.line, Expected: f.expected, Got: f.got}
}

// next returns the next line without its newline, or io.EOF.
func (r *lineReader) next() ([]byte, error) {
	r.line++
	var line []byte
	for {
		part, err := r.from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > lineBytesMax:
			return nil, r.fail(&fault{
				expected: fmt.Sprintf("a line of at most %d bytes", lineBytesMax), got: "more",
			})
		case err == nil:
			return r.checked(line[:len(line)-1])
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, r.fail(&fault{
				expected: "a newline at the end of the last line", got: "the end of the file",
			})
		case isCompression(err):
			return nil, r.fail(&fault{expected: "intact zstd data", got: err.Error()})
		}
		return nil, fmt.Errorf("read %s: %w", r.name, err)
	}
}

func (r *lineReader) checked(line []byte) ([]byte, error) {
	if !utf8.Valid(line) {
		return nil, r.fail(&fault{expected: "text in UTF-8", got: "other bytes"})
	}
	return line, nil
}

// isCompression tells damaged data from a failing disk.
func isCompression(err error) bool {
	for _, damage := range []error{
		io.ErrUnexpectedEOF, zstd.ErrMagicMismatch, zstd.ErrCRCMismatch,
		zstd.ErrReservedBlockType, zstd.ErrCompressedSizeTooBig, zstd.ErrBlockTooSmall,
		zstd.ErrUnexpectedBlockSize, zstd.ErrWindowSizeExceeded, zstd.ErrWindowSizeTooSmall,
		zstd.ErrDecoderSizeExceeded, zstd.ErrUnknownDictionary, zstd.ErrFrameSizeExceeded,
		zstd.ErrFrameSizeMismatch,
	} {
		if errors.Is(err, damage) {
			return true
		}
	}
	return false
}
