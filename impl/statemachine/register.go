package statemachine

import (
	"encoding/binary"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Operations of [Register]. They lie above those of upstream's client protocol.
const (
	RegisterRead  wire.Operation = 240
	RegisterWrite wire.Operation = 241
	RegisterCAS   wire.Operation = 242
)

// Results of [Register]: the first byte of a reply's body.
const (
	ResultOK      byte = 1 // followed by the value, 8 bytes
	ResultFailed  byte = 2 // compare and set found another value; followed by it
	ResultInvalid byte = 3 // the request cannot be read
)

// Register is a map of keys to 64-bit values, each 0 at first, with read, write, and compare
// and set. Body of a request, little-endian u64: key, then value (write), then expected value
// and new value (compare and set).
type Register struct{ values map[uint64]uint64 }

// NewRegister returns a machine with every register at 0. It is a [Snapshotter] and a [Querier].
func NewRegister() Machine { return &Register{values: map[uint64]uint64{}} }

// RegisterBody returns the body of a request: the key and what the operation needs.
func RegisterBody(key uint64, values ...uint64) []byte {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+8*len(values)), key)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// ParseRegisterKey returns the first word of a body that [RegisterBody] made.
func ParseRegisterKey(body []byte) (key uint64, ok bool) {
	if len(body) < 8 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(body), true
}

// ParseRegisterResult splits the body of a reply into its result byte and value.
func ParseRegisterResult(body []byte) (result byte, value uint64, ok bool) {
	if len(body) != 9 {
		return 0, 0, false
	}
	return body[0], binary.LittleEndian.Uint64(body[1:]), true
}

// Execute applies one request.
func (m *Register) Execute(p *wire.Prepare) []byte {
	if n := registerWords(p.Header.Operation); n == 0 || len(p.Body) != 8*n {
		return registerResult(ResultInvalid, 0)
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(p.Body[8*i:]) }
	key := word(0)
	switch {
	case p.Header.Operation == RegisterWrite:
		m.values[key] = word(1)
	case p.Header.Operation == RegisterCAS && m.values[key] != word(1):
		return registerResult(ResultFailed, m.values[key])
	case p.Header.Operation == RegisterCAS:
		m.values[key] = word(2)
	}
	return registerResult(ResultOK, m.values[key])
}

// registerWords is how many words the body of an operation has, 0 if it is none of ours.
func registerWords(operation wire.Operation) int {
	switch operation { //nolint:exhaustive // the others are not this machine's
	case RegisterRead:
		return 1
	case RegisterWrite:
		return 2
	case RegisterCAS:
		return 3
	}
	return 0
}

func registerResult(result byte, value uint64) []byte {
	b := make([]byte, 1+8)
	b[0] = result
	binary.LittleEndian.PutUint64(b[1:], value)
	return b
}

// Checksum covers the keys in order with their values.
func (m *Register) Checksum() wire.Checksum {
	return wire.ChecksumOf(m.AppendSnapshot(nil))
}
