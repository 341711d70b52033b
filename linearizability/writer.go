package linearizability

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/multierr"
)

// WriteFile writes a history to a new or emptied file, compressed if the path ends
// in ".zst". Errors: those of [WriteHistory], with nothing written if the history
// is not valid; those of the operating system, with a part written.
func WriteFile(path string, h *History) (err error) {
	if err := h.Validate(); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	// A failed close can be the only sign of a lost write.
	defer multierr.AppendInvoke(&err, multierr.Close(file))
	if !strings.HasSuffix(path, ".zst") {
		return WriteHistory(file, h)
	}
	encoder, err := zstd.NewWriter(file, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer multierr.AppendInvoke(&err, multierr.Close(encoder))
	return WriteHistory(encoder, h)
}

// WriteHistory writes a history with its operations in the order of
// [History.Sort]: equal sets of operations give equal bytes. It leaves h as it is.
//
// Errors: a history that is not valid, with nothing written; those of to.
func WriteHistory(to io.Writer, h *History) error {
	if err := h.Validate(); err != nil {
		return err
	}
	w, err := NewWriter(to, Header{Model: h.Model, Unit: h.Unit})
	if err != nil {
		return err
	}
	sorted := History{Operations: slices.Clone(h.Operations)}
	sorted.Sort()
	for _, o := range sorted.Operations {
		if err := w.Append(o); err != nil {
			return err
		}
	}
	return w.Close()
}

// Writer writes a history operation by operation, in whatever order they come, so
// that a recorder can save what it saw before anybody judges it.
//
// Close it at the end: a file without its end mark is refused as one that was cut off.
type Writer struct {
	to         *bufio.Writer
	spec       *specification
	operations int
}

// NewWriter writes the header. Errors: an unknown model or unit, with nothing
// written; those of to.
func NewWriter(to io.Writer, header Header) (*Writer, error) {
	if err := (&History{Model: header.Model, Unit: header.Unit}).Validate(); err != nil {
		return nil, err
	}
	w := &Writer{to: bufio.NewWriter(to)}
	w.spec, _ = header.Model.specification()
	return w, w.writeLine(wireHeader{
		Format: FormatName, Version: FormatVersion, Model: header.Model, Unit: header.Unit,
	})
}

// Append writes one operation. An open one is written without an answer, so append
// it when the recording ends.
//
// Errors: an operation that is not valid by itself, with nothing written; those of
// the destination. What concerns several operations is the caller's duty, see
// [History.Validate].
func (w *Writer) Append(o Operation) error {
	if f := validateOperation(w.spec, &o, new(Operation)); f != nil {
		return fmt.Errorf("write operation: expected %s, got %s", f.expected, f.got)
	}
	wire := wireOperation{
		Client: &o.Client, ID: &o.ID, Kind: &o.Kind, Key: o.Key,
		Input: encodeInput(&o), Output: encodeOutput(&o), Call: &o.Call,
	}
	if shape, shaped := w.spec.shapes[o.Kind]; shaped {
		wire.Input, wire.Output = shape.encode(&o)
	}
	if !o.Open {
		wire.Return = &o.Return
	}
	w.operations++
	return w.writeLine(wire)
}

// Close writes the end mark and hands everything to the destination, which it does not
// close. Nothing can be appended afterwards. Errors are those of the destination.
func (w *Writer) Close() error {
	if err := w.writeLine(wireEnd{End: &w.operations}); err != nil {
		return err
	}
	return w.Flush()
}

// Flush hands everything appended so far to the destination.
func (w *Writer) Flush() error {
	if err := w.to.Flush(); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

func (w *Writer) writeLine(wire any) error {
	encoder := json.NewEncoder(w.to)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(wire); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

func encodeInput(o *Operation) json.RawMessage {
	fields := o.Kind.fields()
	switch {
	case fields.inputValue:
		return encode(wireInput{Value: encodeValue(o.Input.Value)})
	case fields.fromTo:
		return encode(wireInput{From: encodeValue(o.Input.From), To: encodeValue(o.Input.To)})
	}
	return encode(wireInput{})
}

func encodeOutput(o *Operation) json.RawMessage {
	fields := o.Kind.fields()
	switch {
	case o.Open:
		return nil
	case o.Output.Unknown:
		return json.RawMessage("null")
	case fields.outputValue:
		return encode(wireOutput{Value: encodeValue(o.Output.Value)})
	case fields.outputOK:
		return encode(wireOutput{OK: &o.Output.OK})
	}
	return encode(wireOutput{})
}

func encodeValue(v Value) json.RawMessage {
	if !v.Present {
		return json.RawMessage("null")
	}
	return encode(v.Text)
}

// encode renders plain structs and texts, for which the encoder has no errors.
func encode(wire any) json.RawMessage {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(wire); err != nil {
		panic(fmt.Sprintf("encode %#v: %v", wire, err))
	}
	return bytes.TrimRight(text.Bytes(), "\n")
}
