package wire

import "fmt"

// Reason says why [Decode] refused a frame, as a small fixed set that can be counted.
type Reason uint8

// The reasons, roughly in the order in which [Decode] looks.
const (
	// ReasonShort: fewer bytes than a header.
	ReasonShort Reason = iota + 1
	// ReasonSize: the size field is out of bounds or is not the frame's length.
	ReasonSize
	// ReasonChecksum: the header is not what its sender sealed.
	ReasonChecksum
	// ReasonChecksumBody: the body is not what its sender sealed.
	ReasonChecksumBody
	// ReasonCommand: the command is none that this package speaks, or not the one expected.
	ReasonCommand
	// ReasonReserved: a byte that must be zero is not.
	ReasonReserved
	// ReasonRange: a field is outside what the protocol allows.
	ReasonRange
	// ReasonBody: the length or the inner structure of the body does not fit the header.
	ReasonBody
	// ReasonOrder: the ops of nested headers are not consecutive.
	ReasonOrder
	// ReasonNested: a nested prepare or header is of another cluster or group than its frame.
	ReasonNested
)

var reasonNames = [...]string{
	ReasonShort:        "short",
	ReasonSize:         "size",
	ReasonChecksum:     "checksum",
	ReasonChecksumBody: "checksum_body",
	ReasonCommand:      "command",
	ReasonReserved:     "reserved",
	ReasonRange:        "range",
	ReasonBody:         "body",
	ReasonOrder:        "order",
	ReasonNested:       "nested",
}

// String returns the name in snake_case, fit for a metric's label.
func (r Reason) String() string {
	if r == 0 || int(r) >= len(reasonNames) {
		return fmt.Sprintf("reason(%d)", uint8(r))
	}
	return reasonNames[r]
}

// FrameError says why a frame was refused. Nothing of a refused frame may be used, not even
// the sender that it names.
type FrameError struct {
	Reason Reason
	// Field is the place in snake_case, e.g. "log_view" or "headers[3].checksum".
	Field string
	// Got is what the frame says, Want what it should say.
	Got, Want string
}

// Error returns one line: what, where, and what was expected.
func (e *FrameError) Error() string {
	return fmt.Sprintf("decode frame: %s: %s is %s, want %s", e.Reason, e.Field, e.Got, e.Want)
}

// refuse builds a FrameError from values of any type.
func refuse(reason Reason, field string, got any, want string) *FrameError {
	return &FrameError{Reason: reason, Field: field, Got: fmt.Sprint(got), Want: want}
}
