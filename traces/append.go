package traces

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Append opens a trace for more events, or begins one where there is none: a recorder that was
// killed goes on where it was. Half a line at the end is cut off. The trace is written in place,
// and not compressed.
//
// Errors: a file that is no trace, or one of another header; the file's. It is as it was then.
func Append(path string, h Header) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("append to trace: %w", err)
	}
	w := newWriter(file, path)
	w.finish = func(bool) error { return file.Close() }
	if err := w.resume(file, h); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// resume finds the end of what is there.
func (t *Writer) resume(file *os.File, h Header) error {
	h.Format, h.Version = Format, Version
	reader, err := NewReader(file, t.name)
	var bad *FormatError
	switch size, statErr := file.Seek(0, io.SeekEnd); {
	case statErr != nil:
		return fmt.Errorf("append to trace: %w", statErr)
	case size == 0 || errors.As(err, &bad) && bad.Truncated:
		if err := file.Truncate(0); err != nil {
			return fmt.Errorf("append to trace: %w", err)
		}
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("append to trace: %w", err)
		}
		return errors.Join(t.writeHeader(h), t.Flush())
	case err != nil:
		return err
	}
	found := reader.Header()
	if found.Source != h.Source || found.Replicas != h.Replicas || found.Order != h.Order {
		return fmt.Errorf("append to trace %s: it is of %q, %d replicas, expected %q, %d",
			t.name, found.Source, found.Replicas, h.Source, h.Replicas)
	}
	t.replicas, t.lines = found.Replicas, 1
	end, err := endOf(file, &t.lines)
	if err != nil {
		return fmt.Errorf("append to trace %s: %w", t.name, err)
	}
	if err := file.Truncate(end); err != nil {
		return fmt.Errorf("append to trace: %w", err)
	}
	_, err = file.Seek(end, io.SeekStart)
	return err
}

// endOf returns where the last whole line ends, and counts the lines.
func endOf(file io.ReaderAt, lines *int) (int64, error) {
	*lines = 0
	end, block := int64(0), make([]byte, 64<<10)
	for at := int64(0); ; {
		n, err := file.ReadAt(block, at)
		*lines += bytes.Count(block[:n], []byte{'\n'})
		if last := bytes.LastIndexByte(block[:n], '\n'); last >= 0 {
			end = at + int64(last) + 1
		}
		at += int64(n)
		if errors.Is(err, io.EOF) {
			return end, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
