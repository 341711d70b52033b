package batch

import "fmt"

// Reason says why bytes are no batch.
type Reason uint8

// The reasons.
const (
	// Short: fewer bytes than a header, or than the batch says it has.
	Short Reason = iota + 1
	// Long: bytes behind the batch.
	Long
	// Length: a length below that of a header, or above BytesMax.
	Length
	// Reserved: a reserved byte is not zero.
	Reserved
	// Tiling: the frames do not fill the batch, or are not as many as it says.
	Tiling
	// Deltas: the offsets of the messages do not rise by one, or go beyond 64 bits.
	Deltas
	// FrameChecksum: a message does not verify.
	FrameChecksum
	// BatchChecksum: the batch does not verify.
	BatchChecksum
)

var reasonNames = [...]string{
	Short: "short", Long: "long", Length: "length", Reserved: "reserved", Tiling: "tiling",
	Deltas: "deltas", FrameChecksum: "frame_checksum", BatchChecksum: "batch_checksum",
}

// String returns the name in snake_case, fit for a metric's label.
func (r Reason) String() string {
	if r == 0 || int(r) >= len(reasonNames) {
		return fmt.Sprintf("reason(%d)", uint8(r))
	}
	return reasonNames[r]
}

// Error refuses bytes that are no batch.
type Error struct {
	Reason Reason
	// At is where, in bytes from the beginning of the batch.
	At uint64
	// Got and Want are what was found there and what was expected.
	Got, Want uint64
}

// Error says in one line what, where, and what was expected.
func (e *Error) Error() string {
	return fmt.Sprintf("decode batch: %s at byte %d: %d, expected %d", e.Reason, e.At, e.Got, e.Want)
}

func refuse(reason Reason, at int, got, want uint64) *Error {
	return &Error{reason, uint64(at), got, want}
}
