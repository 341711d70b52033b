package partition

import (
	"encoding/binary"
	"math"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// truncate drops the segments that end at or below an offset; the last always stays.
func (m *Machine) truncate(p *wire.Prepare) protocol.Status {
	if len(p.Body) != 8 {
		return protocol.StatusInvalidFormat
	}
	offset := binary.LittleEndian.Uint64(p.Body)
	m.drop(func(e extent, _ int64) bool { return e.next <= offset })
	return protocol.StatusOK
}

// retain drops the oldest segments by age and size; the last always stays.
func (m *Machine) retain(p *wire.Prepare) protocol.Status {
	if len(p.Body) != 17 || p.Body[16] > 1 {
		return protocol.StatusInvalidFormat
	}
	age, bytes := binary.LittleEndian.Uint64(p.Body), binary.LittleEndian.Uint64(p.Body[8:])
	m.drop(m.outOfBounds(p.Header.Timestamp, age, bytes, p.Body[16] == 1))
	return protocol.StatusOK
}

// outOfBounds says which segments retention drops at a time, oldest first.
func (m *Machine) outOfBounds(now, age, bytes uint64, held bool) func(extent, int64) bool {
	hold := uint64(math.MaxUint64)
	if held {
		hold = m.unread()
	}
	return func(e extent, kept int64) bool {
		old := age > 0 && now > e.timestamp && now-e.timestamp >= age
		much := bytes > 0 && uint64(kept) > bytes
		return e.next <= hold && (old || much)
	}
}

// WouldRetain says whether an [OperationRetain] at that time would drop something: one that would
// not need not enter the log.
func (m *Machine) WouldRetain(now, age, bytes uint64, hold bool) bool {
	return len(m.extents) > 1 && m.outOfBounds(now, age, bytes, hold)(m.extents[0], m.Stats().Bytes)
}

// WouldTruncate says whether an [OperationTruncate] would drop something.
func (m *Machine) WouldTruncate(offset uint64) bool {
	return len(m.extents) > 1 && m.extents[0].next <= offset
}

// EndOfOldest returns the offset at which the oldest segments end, so many of them; the last
// segment is never one of them. It is the start if there are none.
func (m *Machine) EndOfOldest(segments uint32) uint64 {
	n := min(uint64(segments), uint64(max(len(m.extents), 1)-1))
	if n == 0 {
		return m.start
	}
	return m.extents[n-1].next
}

// Generation is that of the last purge.
func (m *Machine) Generation() uint64 { return m.generation }

// purge drops everything, the last segment too, unless it did so in this generation already.
func (m *Machine) purge(p *wire.Prepare) protocol.Status {
	if len(p.Body) != 8 {
		return protocol.StatusInvalidFormat
	}
	if generation := binary.LittleEndian.Uint64(p.Body); generation > m.generation {
		m.generation = generation
		m.extents = nil
		m.startAt(m.next)
	}
	return protocol.StatusOK
}

// drop moves the start over the oldest segments while goes says so of the next, given how many
// bytes are kept with it.
func (m *Machine) drop(goes func(e extent, kept int64) bool) {
	kept := m.Stats().Bytes
	n := 0
	for n < len(m.extents)-1 && goes(m.extents[n], kept) && m.mayGo(m.extents[n]) {
		kept -= m.extents[n].bytes
		n++
	}
	if n > 0 {
		m.extents = append([]extent(nil), m.extents[n:]...)
		m.startAt(m.extents[0].start)
	}
}

// mayGo is true, but of a mutant that counts the segments in files instead of those of the ops.
func (m *Machine) mayGo(e extent) bool {
	return m.config.Defect != DefectRetainsByFiles || e.next <= m.mark().Next
}

// startAt moves the start. Without a disk what lies below is let go at once; with one it waits
// for Materialise, which has to take it into the chain of the segments.
func (m *Machine) startAt(offset uint64) {
	m.start = offset
	if m.config.Disk == nil {
		m.forget(offset)
	}
}

// forget lets go of the tail below an offset, which is the beginning of a batch.
func (m *Machine) forget(offset uint64) {
	n := 0
	for n < len(m.tail) && m.tail[n].next <= offset {
		m.tailBytes -= int64(len(m.tail[n].bytes))
		n++
	}
	if n == 0 {
		return
	}
	m.tail = append([]record(nil), m.tail[n:]...)
	if len(m.tail) == 0 {
		m.tail, m.slab = nil, nil
	}
}
