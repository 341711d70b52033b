package linearizability

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// FormatName is the "format" of a history's header.
	FormatName = "viewstamp.history"
	// FormatVersion is the version that this package writes: the last line is an end mark.
	FormatVersion = 2
	// formatVersionEndless is an older version that is still read: it has no end mark, so
	// that a file cut between two lines looks whole.
	formatVersionEndless = 1
	// lineBytesMax bounds one line, so that a file without newlines cannot fill the
	// memory.
	lineBytesMax = 16 << 20
)

// FormatError says where a file is not what its format demands, and what it should
// be. Its text is one line: "path:line: expected ..., got ...".
type FormatError struct {
	// Path is the name that the reader was given.
	Path string
	// Line counts from 1.
	Line int
	// Expected and Got complete "expected ..., got ...".
	Expected, Got string
}

// Error returns the one line.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s:%d: expected %s, got %s", e.Path, e.Line, e.Expected, e.Got)
}

// Header is the first line of a history.
type Header struct {
	Model Model
	Unit  Unit
}

// wireEnd is the last line of a history: how many operations stand before it.
type wireEnd struct {
	End *int `json:"end"`
}

type wireHeader struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Model   Model  `json:"model"`
	Unit    Unit   `json:"unit"`
}

// wireOperation has pointers and raw values where null or absence means something.
type wireOperation struct {
	Client *int            `json:"client"`
	ID     *uint64         `json:"id"`
	Kind   *Kind           `json:"kind"`
	Key    string          `json:"key,omitempty"`
	Input  json.RawMessage `json:"input,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
	Call   *int64          `json:"call"`
	Return *int64          `json:"return,omitempty"`
}

type wireInput struct {
	Value json.RawMessage `json:"value,omitempty"`
	From  json.RawMessage `json:"from,omitempty"`
	To    json.RawMessage `json:"to,omitempty"`
}

type wireOutput struct {
	Value json.RawMessage `json:"value,omitempty"`
	OK    *bool           `json:"ok,omitempty"`
}

// decodeStrictly decodes exactly one JSON value without unknown fields.
func decodeStrictly(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errTrailing
	}
	return nil
}

var errTrailing = errors.New("something behind it on the same line")

// jsonFault puts an error of the decoder into the words of this format.
func jsonFault(err error, expected string) *fault {
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return &fault{
			expected: fmt.Sprintf("%q to be %s", wrongType.Field, typeName(wrongType.Type.Kind())),
			got:      wrongType.Value,
		}
	case errors.As(err, &wrongType):
		return &fault{expected: expected, got: wrongType.Value}
	case errors.Is(err, io.EOF):
		return &fault{expected: expected, got: "an empty line"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &fault{expected: expected, got: "incomplete JSON"}
	}
	return &fault{expected: expected, got: strings.TrimPrefix(err.Error(), "json: ")}
}

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null"
}
