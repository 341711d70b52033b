package partition

import (
	"encoding/binary"
	"slices"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/segment"
)

// Query answers [protocol.CodePoll] and [protocol.CodeGetOffset], at whatever level: that is
// for the caller to see to (R19). What it cannot read, and what it cannot find, has the empty
// answer of its code; nil for a code that it does not know.
//
// The position that a poll with AutoCommit reaches is not stored here, since a query changes
// nothing: the caller reads it from the answer with [Reached], and asks the group for an
// OperationAdvanceOffset.
func (m *Machine) Query(code uint32, body []byte) []byte {
	m.unreadable = nil
	switch protocol.Code(code).Query() { //nolint:exhaustive // the others are not this machine's
	case protocol.CodePoll:
		return m.poll(body)
	case protocol.CodeGetOffset:
		return m.getOffset(body)
	}
	return nil
}

func (m *Machine) getOffset(body []byte) []byte {
	var ask protocol.GetOffset
	if protocol.Decode(body, &ask) != nil {
		return nil
	}
	offset, found := m.offsets.get(ask.Consumer)
	if !found {
		return nil
	}
	return protocol.MustAppend(nil, &protocol.OffsetReply{
		Partition: m.config.Partition, Current: m.current(), Stored: offset,
	})
}

// current is the offset of the newest message, 0 if there never was one.
func (m *Machine) current() uint64 { return max(m.next, 1) - 1 }

// pollHeaderBytes is the size of an answer to a poll without messages, and atPollCount where in
// it the number of messages stands.
const (
	pollHeaderBytes = 16
	atPollCount     = 12
)

// polling collects the answer to a poll.
type polling struct {
	answer []byte
	// next is the offset that is wanted next, left how many messages.
	next uint64
	left uint32
	// bytes is how large the answer may become.
	bytes int
}

// take adds what is wanted of a batch, and says whether more is.
func (p *polling) take(record []byte) bool {
	if len(p.answer) > pollHeaderBytes && len(p.answer)+len(record) > p.bytes {
		p.left = 0
		return false
	}
	b, _ := batch.View(record)
	var n uint32
	p.answer, n = b.AppendRange(p.answer, p.next, p.left)
	p.next += uint64(n)
	p.left -= n
	return p.left > 0
}

func (m *Machine) poll(body []byte) []byte {
	p := polling{bytes: pollHeaderBytes + m.config.PollBytes}
	p.answer = protocol.MustAppend(nil, &protocol.PollReply{
		Partition: m.config.Partition, Current: m.current(),
	})
	var ask protocol.Poll
	if protocol.Decode(body, &ask) != nil || ask.Count == 0 || m.start == m.next {
		return p.answer
	}
	from, err := m.seek(&ask)
	p.next, p.left = from, ask.Count
	if err == nil && from < m.next {
		err = m.collect(&p)
	}
	if err != nil {
		// No answer could say which messages are missing, so there are none.
		m.unreadable = err
		return p.answer[:pollHeaderBytes]
	}
	binary.LittleEndian.PutUint32(p.answer[atPollCount:], uint32(p.next-from))
	return p.answer
}

// seek returns the offset from which a poll reads; next or above if there is nothing for it.
func (m *Machine) seek(ask *protocol.Poll) (uint64, error) {
	switch ask.Strategy {
	case protocol.FromOffset:
		return max(ask.Value, m.start), nil
	case protocol.FromTimestamp:
		return m.seekTime(ask.Value)
	case protocol.FromLast:
		return max(m.start, m.next-min(m.next, uint64(ask.Count))), nil
	case protocol.FromNext:
		if offset, found := m.offsets.get(ask.Consumer); found {
			return max(offset+1, m.start), nil
		}
	case protocol.FromFirst:
	}
	return m.start, nil
}

// seekTime returns the offset of the first message that was taken at a time or later.
func (m *Machine) seekTime(timestamp uint64) (uint64, error) {
	if timestamp > m.timestamp {
		return m.next, nil
	}
	if m.log != nil && m.log.Mark().Timestamp >= timestamp {
		found, err := m.log.Find(timestamp)
		if err != nil || found < m.log.Mark().Next {
			return max(found, m.start), err
		}
	}
	i, _ := slices.BinarySearchFunc(m.tail, timestamp, func(r record, t uint64) int {
		if r.timestamp < t {
			return -1
		}
		return 1
	})
	if i == len(m.tail) {
		return m.next, nil
	}
	return max(m.tail[i].offset, m.start), nil
}

// collect reads from the segment files, and then from the tail.
func (m *Machine) collect(p *polling) error {
	if m.log != nil && p.next < m.log.Mark().Next {
		err := m.log.From(p.next, func(b segment.Batch) bool { return p.take(b.Body) })
		if err != nil {
			return err
		}
	}
	if p.left == 0 {
		return nil
	}
	i, found := slices.BinarySearchFunc(m.tail, p.next, func(r record, offset uint64) int {
		switch {
		case r.next <= offset:
			return -1
		case r.offset > offset:
			return 1
		}
		return 0
	})
	for found && i < len(m.tail) && p.take(m.tail[i].bytes) {
		i++
	}
	return nil
}

// Reached returns the offset of the last message in the answer to a poll, if it has any: what
// a consumer that commits by itself has read up to.
func Reached(answer []byte) (offset uint64, found bool) {
	var reply protocol.PollReply
	if protocol.Decode(answer, &reply) != nil {
		return 0, false
	}
	next := uint64(0)
	for rest := reply.Batches; len(rest) > 0; {
		b, behind, err := batch.DecodeFirst(rest)
		if err != nil {
			return 0, false
		}
		next, rest = b.Next(), behind
	}
	return next - min(next, 1), next > 0
}
