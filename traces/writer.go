package traces

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// ErrClosed says that a writer was used after Close or Abort.
var ErrClosed = errors.New("the trace writer is closed")

// Writer writes a trace one event at a time. It refuses what [Reader] would
// refuse. It is not safe for concurrent use.
type Writer struct {
	out      *bufio.Writer
	name     string
	replicas int
	lines    int // Lines written, the header included.
	line     bytes.Buffer
	encoder  *json.Encoder // Into line.
	err      error         // Sticky.
	finish   func(keep bool) error
}

// NewWriter writes the header line, with format and version set. The writer
// buffers: call Flush or Close at the end. It does not close w.
//
// Errors: a [FormatError] if the header breaks the format, with nothing written;
// else w's own.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	t := newWriter(w, "")
	if err := t.writeHeader(h); err != nil {
		return nil, err
	}
	return t, nil
}

func newWriter(w io.Writer, name string) *Writer {
	t := &Writer{out: bufio.NewWriterSize(w, 64<<10), name: name}
	t.encoder = json.NewEncoder(&t.line)
	t.encoder.SetEscapeHTML(false)
	return t
}

func (t *Writer) writeHeader(h Header) error {
	h.Format, h.Version = Format, Version
	if h.Groups == nil {
		h.Groups = []Group{}
	}
	if bad := checkHeader(&h); bad != nil {
		return t.at(bad)
	}
	t.replicas = h.Replicas
	return t.writeLine(h)
}

// Write writes one event. It numbers the steps itself: the first is 1, whatever
// e.Step says.
//
// Errors: a [FormatError] if the event breaks the format, else the error of the
// file. After any error nothing more is written and all calls return that error.
func (t *Writer) Write(e Event) error {
	if t.err != nil {
		return t.err
	}
	e.Step = t.lines // The header is line 1.
	if bad := checkEvent(&e, e.Step, t.replicas); bad != nil {
		t.err = t.at(bad)
		return t.err
	}
	if e.After.Hollow == nil {
		e.After.Hollow = []uint64{}
	}
	if e.After.Pipeline == nil {
		e.After.Pipeline = []uint64{}
	}
	t.err = t.writeLine(e)
	return t.err
}

// Steps returns the number of events written.
func (t *Writer) Steps() int {
	return t.lines - 1
}

// Flush hands what is buffered to the underlying writer.
func (t *Writer) Flush() error {
	if t.err != nil {
		return t.err
	}
	if err := t.out.Flush(); err != nil {
		t.err = fmt.Errorf("write trace: %w", err)
	}
	return t.err
}

// Close flushes. For a writer made by [Create] it also puts the file in its place,
// or, if any call before has failed, removes what was written. Further calls of
// any method but Abort return [ErrClosed].
func (t *Writer) Close() error {
	err := t.Flush()
	if errors.Is(err, ErrClosed) {
		return err
	}
	t.err = ErrClosed
	return errors.Join(err, t.end(err == nil))
}

// Abort gives a trace up: the unfinished file of a writer made by [Create] is
// removed. After Close it does nothing, so it can be deferred.
func (t *Writer) Abort() error {
	if errors.Is(t.err, ErrClosed) {
		return nil
	}
	t.err = ErrClosed
	return t.end(false)
}

func (t *Writer) end(keep bool) error {
	if t.finish == nil {
		return nil
	}
	return t.finish(keep)
}

func (t *Writer) writeLine(object any) error {
	t.line.Reset()
	if err := t.encoder.Encode(object); err != nil {
		return fmt.Errorf("encode line %d of the trace: %w", t.lines+1, err)
	}
	if t.line.Len()-1 > LineMax {
		return t.at(wrong(fmt.Sprintf("at most %d bytes in a line", LineMax),
			strconv.Itoa(t.line.Len()-1)))
	}
	if _, err := t.out.Write(t.line.Bytes()); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	t.lines++
	return nil
}

// at completes a FormatError with the line that was about to be written.
func (t *Writer) at(bad *FormatError) error {
	bad.Path, bad.Line = t.name, t.lines+1
	return bad
}
