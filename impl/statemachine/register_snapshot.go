package statemachine

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
)

// QueryRegister is the code of the one question that a [Register] answers: the value of the
// key that is the body, 8 bytes.
const QueryRegister uint32 = 240

// pairBytes is a key with its value.
const pairBytes = 16

// AppendSnapshot appends the keys that are not 0, in order, each with its value.
func (m *Register) AppendSnapshot(dst []byte) []byte {
	for _, key := range slices.Sorted(maps.Keys(m.values)) {
		if m.values[key] != 0 {
			dst = append(dst, RegisterBody(key, m.values[key])...)
		}
	}
	return dst
}

// Restore puts the registers of a snapshot in place of the machine's.
//
// Errors: bytes that AppendSnapshot never writes; nothing is changed then.
func (m *Register) Restore(snapshot []byte) error {
	if len(snapshot)%pairBytes != 0 {
		return fmt.Errorf("restore register: %d bytes, expected a multiple of %d",
			len(snapshot), pairBytes)
	}
	values := make(map[uint64]uint64, len(snapshot)/pairBytes)
	last := uint64(0)
	for at := 0; at < len(snapshot); at += pairBytes {
		key := binary.LittleEndian.Uint64(snapshot[at:])
		value := binary.LittleEndian.Uint64(snapshot[at+8:])
		if at > 0 && key <= last || value == 0 {
			return fmt.Errorf("restore register at byte %d: key %d with value %d after key %d, "+
				"expected rising keys and no value of 0", at, key, value, last)
		}
		values[key], last = value, key
	}
	m.values = values
	return nil
}

// Query returns the value of a register, as a read in the log does.
func (m *Register) Query(code uint32, body []byte) []byte {
	if code != QueryRegister || len(body) != 8 {
		return registerResult(ResultInvalid, 0)
	}
	return registerResult(ResultOK, m.values[binary.LittleEndian.Uint64(body)])
}
