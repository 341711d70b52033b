package partition

import (
	"encoding/binary"
	"fmt"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// reader reads a snapshot. After the first error it returns zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) refuse(format string, args ...any) { r.note(fmt.Errorf(format, args...)) }

func (r *reader) take(n int) []byte {
	if r.err != nil || n > len(r.rest) {
		r.note(errEnd)
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// count reads how many things follow, each of at least so many bytes.
func (r *reader) count(leastBytes int) int {
	n := r.u64()
	if n > uint64(len(r.rest)/leastBytes) {
		r.note(errEnd)
		return 0
	}
	return int(n)
}

func (m *Machine) decodeState(r *reader) {
	if got := r.u64(); r.err == nil && got != uint64(m.config.Partition) {
		r.refuse("a snapshot of partition %d, expected %d", got, m.config.Partition)
	}
	m.start, m.next, m.timestamp, m.generation = r.u64(), r.u64(), r.u64(), r.u64()
	m.chain = wire.Checksum{Lo: r.u64(), Hi: r.u64()}
	for range r.count(extentBytes) {
		m.extents = append(m.extents, extent{
			start: r.u64(), next: r.u64(), bytes: int64(r.u64()), timestamp: r.u64(),
		})
	}
	for range r.count(8 + 3) {
		s := stored{offset: r.u64()}
		s.consumer = r.consumer()
		m.offsets = append(m.offsets, s)
	}
}

func (r *reader) consumer() (c protocol.Consumer) {
	head := r.take(3)
	if head == nil {
		return c
	}
	value := r.take(int(head[2]))
	c.Kind, c.ID.Kind = protocol.ConsumerKind(head[0]), protocol.IdentifierKind(head[1])
	known := c.Kind == protocol.Single || c.Kind == protocol.Group
	switch {
	case known && c.ID.Kind == protocol.ByID && len(value) == 4:
		c.ID.ID = binary.LittleEndian.Uint32(value)
	case known && c.ID.Kind == protocol.ByName && len(value) > 0:
		c.ID.Name = string(value)
	default:
		r.refuse("a consumer of kind %d with %d bytes of kind %d", head[0], head[2], head[1])
	}
	return c
}

func (m *Machine) decodeTail(r *reader) {
	for range r.count(8 + batch.HeaderBytes) {
		op := wire.Op(r.u64())
		if r.err != nil {
			return
		}
		b, rest, err := batch.DecodeFirst(r.rest)
		if err != nil {
			r.note(err)
			return
		}
		r.rest = rest
		h := b.Header()
		if !b.Fresh() || h.Partition != uint64(m.config.Partition) || op == 0 {
			r.refuse("op %d has a batch of partition %d at offset %d, expected a whole one",
				op, h.Partition, b.First())
			return
		}
		m.tail = append(m.tail, record{
			op, b.First(), b.Next(), h.BaseTimestamp, m.keep(b.Bytes()),
		})
		m.tailBytes += int64(len(b.Bytes()))
	}
}

// checkState says what in a snapshot does not go together.
func (m *Machine) checkState(mark segment.Mark) error {
	for _, check := range []func(segment.Mark) error{
		m.checkExtents, m.checkOffsets, m.checkTail,
	} {
		if err := check(mark); err != nil {
			return err
		}
	}
	return nil
}

func (m *Machine) checkExtents(segment.Mark) error {
	at, timestamp := m.start, uint64(0)
	for _, e := range m.extents {
		if e.start != at || e.next <= e.start || e.bytes <= 0 || e.timestamp < timestamp {
			return fmt.Errorf("a segment from %d to %d, expected one from %d on", e.start, e.next, at)
		}
		at, timestamp = e.next, e.timestamp
	}
	if at != m.next || timestamp > m.timestamp {
		return fmt.Errorf("segments up to %d, expected %d", at, m.next)
	}
	return nil
}

func (m *Machine) checkOffsets(segment.Mark) error {
	for i, s := range m.offsets {
		if s.offset >= m.next || i > 0 && compareConsumers(m.offsets[i-1].consumer, s.consumer) >= 0 {
			return fmt.Errorf("stored offset %d of %v, expected one below %d, in order",
				s.offset, s.consumer.ID, m.next)
		}
	}
	if len(m.offsets) > ConsumersMax {
		return fmt.Errorf("%d stored offsets, expected at most %d", len(m.offsets), ConsumersMax)
	}
	return nil
}

// checkTail: the tail goes on where the files end, or begins at the start where there are none.
func (m *Machine) checkTail(mark segment.Mark) error {
	at, op, timestamp := mark.Next, mark.Op, mark.Timestamp
	if m.config.Disk == nil {
		if mark != (segment.Mark{}) {
			return fmt.Errorf("segment files up to offset %d, expected none without a disk", mark.Next)
		}
		at = m.start
	}
	for _, r := range m.tail {
		if r.offset != at || r.op < op || r.timestamp < timestamp {
			return fmt.Errorf("a batch of op %d at offset %d, expected %d", r.op, r.offset, at)
		}
		at, op, timestamp = r.next, r.op, r.timestamp
	}
	if at != m.next || timestamp > m.timestamp || mark.Start > m.start {
		return fmt.Errorf("batches up to %d, expected %d", at, m.next)
	}
	return nil
}
