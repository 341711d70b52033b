package partition

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
)

const (
	magic   = "VSPL"
	version = 1
	// headBytes are before the state.
	headBytes = 8

	extentBytes = 32
)

// AppendSnapshot appends the state as drawn in doc.go. With a disk the messages that are in
// segment files are not in it: the mark names them, as far as the last Materialise has come.
// Right after it equal states have equal snapshots.
func (m *Machine) AppendSnapshot(dst []byte) []byte {
	dst = append(dst, magic...)
	dst = append(dst, version, 0, 0, 0)
	dst = m.appendState(dst)
	dst, _ = m.mark().AppendBinary(dst) // Its error is always nil.
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(m.tail)))
	for _, r := range m.tail {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(r.op))
		dst = append(dst, r.bytes...)
	}
	return dst
}

func (m *Machine) mark() segment.Mark {
	if m.log == nil {
		return segment.Mark{}
	}
	return m.log.Mark()
}

// appendState appends what does not depend on where the messages are.
func (m *Machine) appendState(dst []byte) []byte {
	for _, word := range []uint64{
		uint64(m.config.Partition), m.start, m.next, m.timestamp, m.generation,
		m.chain.Lo, m.chain.Hi, uint64(len(m.extents)),
	} {
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	for _, e := range m.extents {
		dst = binary.LittleEndian.AppendUint64(dst, e.start)
		dst = binary.LittleEndian.AppendUint64(dst, e.next)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(e.bytes))
		dst = binary.LittleEndian.AppendUint64(dst, e.timestamp)
	}
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(m.offsets)))
	for _, s := range m.offsets {
		dst = binary.LittleEndian.AppendUint64(dst, s.offset)
		dst = appendConsumer(dst, s.consumer)
	}
	return dst
}

// appendConsumer appends kind and identifier in the protocol's form.
func appendConsumer(dst []byte, c protocol.Consumer) []byte {
	dst = append(dst, byte(c.Kind), byte(c.ID.Kind))
	if c.ID.Kind == protocol.ByID {
		return binary.LittleEndian.AppendUint32(append(dst, 4), c.ID.ID)
	}
	return append(append(dst, byte(len(c.ID.Name))), c.ID.Name...)
}

// Restore puts a snapshot's state in place of the machine's, and opens the segment files that
// its mark names; what they have beyond it is removed.
//
// Errors, with the state as it was: the bytes are no snapshot of this partition; they name
// files, and the machine has no disk; [*segment.LostError] if the files lack what it names; the
// disk's.
func (m *Machine) Restore(snapshot []byte) error {
	next := &Machine{config: m.config}
	mark, err := next.decode(snapshot)
	if err != nil {
		return fmt.Errorf("restore partition %d: %w", m.config.Partition, err)
	}
	if m.config.Disk != nil {
		log, _, err := segment.Open(m.config.Disk, m.config.Segments, mark)
		if err != nil {
			return fmt.Errorf("restore partition %d: %w", m.config.Partition, err)
		}
		next.log = log
	}
	err = m.Close()
	*m = *next
	if err != nil { // Of files that are not ours any more.
		return fmt.Errorf("restore partition %d: close what was open: %w", m.config.Partition, err)
	}
	return nil
}

// errEnd: the snapshot ends too early.
var errEnd = errors.New("the snapshot ends early")

// decode fills a new machine.
func (m *Machine) decode(p []byte) (segment.Mark, error) {
	if len(p) < headBytes || string(p[:6]) != magic+"\x01\x00" || p[6] != 0 || p[7] != 0 {
		return segment.Mark{}, errors.New("no snapshot of a partition in version 1")
	}
	r := &reader{rest: p[headBytes:]}
	m.decodeState(r)
	var mark segment.Mark
	if b := r.take(segment.MarkBytes); b != nil {
		r.note(mark.UnmarshalBinary(b))
	}
	m.decodeTail(r)
	if r.err == nil && len(r.rest) > 0 {
		r.refuse("%d bytes behind the tail, expected none", len(r.rest))
	}
	if r.err == nil {
		r.note(m.checkState(mark))
	}
	return mark, r.err
}
