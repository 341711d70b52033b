package traces

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// zstdSuffix marks a compressed trace.
const zstdSuffix = ".zst"

// windowMax bounds, in bytes, the memory that a compressed trace can claim.
const windowMax = 64 << 20

// damagedError says that compressed data does not decompress.
type damagedError struct{ err error }

func (e *damagedError) Error() string { return e.err.Error() }
func (e *damagedError) Unwrap() error { return e.err }

// errHalfFrame explains an end inside of compressed data. How many whole lines the
// rest holds cannot be said: they come out of the decoder block by block.
var errHalfFrame = errors.New("half a frame: the trace is truncated")

// zstdSource tells damage in the data from failures of the file.
type zstdSource struct{ decoder *zstd.Decoder }

func (s zstdSource) Read(p []byte) (int, error) {
	n, err := s.decoder.Read(p)
	var file *fs.PathError
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.As(err, &file):
		return n, err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return n, &damagedError{errHalfFrame}
	default:
		return n, &damagedError{err}
	}
}

// Open opens a trace for reading one event at a time, decompressed if its name ends
// in .zst, and checks its header. The caller closes the reader.
func Open(path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open trace: %w", err)
	}
	var source io.Reader = file
	closeAll := file.Close
	if strings.HasSuffix(path, zstdSuffix) {
		// One goroutine and little memory: verification reads thousands of small files.
		decoder, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(windowMax))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open trace %s: %w", path, err), file.Close())
		}
		source = zstdSource{decoder}
		closeAll = func() error {
			decoder.Close()
			return file.Close()
		}
	}
	reader, err := NewReader(source, path)
	if err != nil {
		return nil, errors.Join(err, closeAll())
	}
	reader.close = closeAll
	return reader, nil
}

// ReadFile reads and checks a whole trace, decompressed if its name ends in .zst, until the context
// ends. There is no trace with an error: what stands before a bad line is not returned.
func ReadFile(ctx context.Context, path string) (_ *Trace, err error) {
	reader, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	t := &Trace{Header: reader.Header(), Path: path}
	for ctx.Err() == nil {
		event, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t.Events = append(t.Events, event)
	}
	return nil, fmt.Errorf("read trace %s: %w", path, ctx.Err())
}

// Create opens a trace file for writing one event at a time, compressed if the name
// ends in .zst, and writes the header. The file takes its place, over an older one,
// when Close succeeds; until then a reader of path sees the older one or none. What
// is not a regular file, such as /dev/stdout, is written to directly.
func Create(path string, h Header) (*Writer, error) {
	file, finish, err := createFile(path)
	if err != nil {
		return nil, fmt.Errorf("create trace: %w", err)
	}
	var sink io.Writer = file
	if strings.HasSuffix(path, zstdSuffix) {
		// One goroutine makes equal traces equal bytes; a small window keeps the cost
		// of a small trace small.
		encoder, err := zstd.NewWriter(file, zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("create trace %s: %w", path, err), finish(false))
		}
		sink = encoder
		finishFile := finish
		finish = func(keep bool) error {
			if !keep {
				return finishFile(false) // One goroutine: nothing to stop.
			}
			err := encoder.Close()
			return errors.Join(err, finishFile(err == nil))
		}
	}
	writer := newWriter(sink, path)
	writer.finish = finish
	if err := writer.writeHeader(h); err != nil {
		return nil, errors.Join(err, writer.Abort())
	}
	return writer, nil
}

// WriteFile writes a whole trace, compressed if the name ends in .zst, as [Create]
// does. It numbers the steps itself. On an error the file at path is as it was.
func WriteFile(path string, t *Trace) error {
	writer, err := Create(path, t.Header)
	if err != nil {
		return err
	}
	for _, event := range t.Events {
		if err := writer.Write(event); err != nil {
			return errors.Join(err, writer.Abort())
		}
	}
	return writer.Close()
}

// createFile opens a temporary file beside path. finish closes it and, if keep is
// set, renames it to path; otherwise it removes it.
func createFile(path string) (file *os.File, finish func(keep bool) error, err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		// A device or a pipe must not be replaced by a file.
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, nil, err
		}
		return file, func(bool) error { return file.Close() }, nil
	}
	file, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, nil, err
	}
	return file, func(keep bool) error {
		var err error
		if keep {
			err = file.Chmod(0o644) // A temporary file is the owner's only.
		}
		err = errors.Join(err, file.Close())
		if keep && err == nil {
			err = os.Rename(file.Name(), path)
		}
		if !keep || err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
		return err
	}, nil
}
