package segment

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// MarkBytes is the encoded size of a [Mark].
const MarkBytes = 64

// Mark says how far the segments of a partition reach: what a checkpoint says of them. The
// zero Mark is that of a partition without batches.
type Mark struct {
	// Start is the first offset that is kept, and the start of a segment.
	Start uint64
	// Last is the start of the last segment, Bytes its size. Bytes is 0 if no segment is
	// kept: Start, Last and Next are equal then.
	Last  uint64
	Bytes int64
	// Next is the offset of the next message.
	Next uint64
	// Op and Timestamp are those of the last batch.
	Op        wire.Op
	Timestamp uint64
	// Chain is the checksum of the last batch.
	Chain wire.Checksum
}

// check returns what is wrong with a mark by itself.
func (m Mark) check() error {
	switch {
	case m.Start > m.Last, m.Last > m.Next, m.Bytes < 0:
	case m.Bytes == 0 && m.Start != m.Next, m.Bytes > 0 && m.Last == m.Next:
	case (m.Op == 0) != m.Chain.IsZero(), (m.Op == 0) != (m.Next == 0):
	default:
		return nil
	}
	return fmt.Errorf("segments from %d to %d, the last from %d with %d bytes, up to op %d: "+
		"expected offsets that rise", m.Start, m.Next, m.Last, m.Bytes, m.Op)
}

// AppendBinary appends the 64 bytes of the mark: its fields in their order. The error is
// always nil.
func (m Mark) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, m.Start)
	b = binary.LittleEndian.AppendUint64(b, m.Last)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.Bytes))
	b = binary.LittleEndian.AppendUint64(b, m.Next)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.Op))
	b = binary.LittleEndian.AppendUint64(b, m.Timestamp)
	b = binary.LittleEndian.AppendUint64(b, m.Chain.Lo)
	return binary.LittleEndian.AppendUint64(b, m.Chain.Hi), nil
}

// UnmarshalBinary reads a mark from exactly 64 bytes.
//
// Errors: another length; a mark that no log has. m is unchanged then.
func (m *Mark) UnmarshalBinary(b []byte) error {
	if len(b) != MarkBytes {
		return fmt.Errorf("decode mark: %d bytes, expected %d", len(b), MarkBytes)
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	read := Mark{
		Start: word(0), Last: word(1), Bytes: int64(word(2)), Next: word(3),
		Op: wire.Op(word(4)), Timestamp: word(5), Chain: getChecksum(b[48:]),
	}
	if err := read.check(); err != nil {
		return fmt.Errorf("decode mark: %w", err)
	}
	*m = read
	return nil
}
