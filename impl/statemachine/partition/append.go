package partition

import (
	"encoding/binary"
	"math"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// slabBytes is how much memory the tail takes at once for small batches, slabFirstBytes how much it
// begins with: each time it takes twice as much as before.
const (
	slabBytes      = 256 << 10
	slabFirstBytes = slabBytes / 8
)

// record is one batch of the tail.
type record struct {
	op                      wire.Op
	offset, next, timestamp uint64
	bytes                   []byte
}

// segmented is the batch as a segment has it.
func (r *record) segmented() segment.Batch {
	return segment.Batch{
		Op: r.op, Offset: r.offset, Timestamp: r.timestamp,
		Messages: uint32(r.next - r.offset), Body: r.bytes,
	}
}

// extent is one segment, as the ops count it.
type extent struct {
	start, next uint64
	bytes       int64
	timestamp   uint64
}

// send appends a batch and confirms where. The empty result refuses: its operation has no
// frame that could say why, and clients take it for an error.
func (m *Machine) send(p *wire.Prepare) []byte {
	content, count, status := Sent(p.Body)
	if status != protocol.StatusOK || m.next > math.MaxUint64-uint64(count) {
		return nil
	}
	m.timestamp = max(m.timestamp, p.Header.Timestamp)
	r := record{p.Header.Op, m.next, m.next + uint64(count), m.timestamp, m.keep(content)}
	batch.Stamp(r.bytes, uint64(m.config.Partition), r.offset, r.timestamp)
	m.add(r)
	return confirmation(m.config, r.offset)
}

// Sent returns the batch that the body of a send carries, in the body's memory, and how many
// messages it has; or why a partition would refuse it. A primary asks before it prepares, so
// that the client hears a reason; Execute asks again, and decides.
func Sent(body []byte) (content []byte, messages uint32, refused protocol.Status) {
	var send protocol.Send
	if protocol.Decode(body, &send) != nil {
		return nil, 0, protocol.StatusInvalidFormat
	}
	b, err := batch.Decode(send.Batch)
	if err != nil || !b.Fresh() || b.Header().Messages != send.Messages {
		return nil, 0, protocol.StatusInvalidMessages
	}
	return send.Batch, send.Messages, protocol.StatusOK
}

// keep copies a batch into memory of the tail: the prepare is not ours to change.
func (m *Machine) keep(content []byte) []byte {
	if len(content) > slabBytes/8 {
		return append([]byte(nil), content...)
	}
	if cap(m.slab)-len(m.slab) < len(content) {
		m.slab = make([]byte, 0, min(slabBytes, max(slabFirstBytes, 2*cap(m.slab))))
	}
	start := len(m.slab)
	m.slab = append(m.slab, content...)
	return m.slab[start:len(m.slab):len(m.slab)]
}

// add puts a stamped batch at the end of the log.
func (m *Machine) add(r record) {
	m.tail = append(m.tail, r)
	m.tailBytes += int64(len(r.bytes))
	m.next = r.next
	m.extents = follow(m.extents, m.config.Segments, r)
	link := binary.LittleEndian.AppendUint64(make([]byte, 0, 16+chained), m.chain.Lo)
	link = binary.LittleEndian.AppendUint64(link, m.chain.Hi)
	m.chain = wire.ChecksumOf(append(link, r.bytes[:chained]...))
}

// chained is how much of a batch's header goes into the chain: all that is not zero. The
// checksum in it stands for the rest.
const chained = 52

// follow counts a batch into the segment that it goes to, as [segment.Log.Append] does.
func follow(extents []extent, config segment.Config, r record) []extent {
	n := len(extents)
	if n == 0 || !config.Fits(extents[n-1].bytes, int64(len(r.bytes))) {
		extents = append(extents, extent{start: r.offset})
		n++
	}
	e := &extents[n-1]
	e.next, e.timestamp = r.next, r.timestamp
	e.bytes += segment.BatchHeaderBytes + int64(len(r.bytes))
	return extents
}

// confirmation is the body of the answer to a send.
func confirmation(c Config, offset uint64) []byte {
	return protocol.MustAppend(nil, &protocol.SendReply{Confirmations: []protocol.Confirmation{{
		Stream: c.Stream, Topic: c.Topic, Partition: c.Partition, BaseOffset: offset,
	}}})
}
