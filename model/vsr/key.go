package vsr

import "encoding/binary"

// appendKey appends an injective encoding of the state: every number as a varint,
// every sequence and set after its length. Most numbers take one byte.
func (s *State) appendKey(dst []byte) []byte {
	for r := range s.n {
		dst = append(dst, byte(s.status[r]))
		dst = appendNumber(dst, uint32(s.view[r]))
		dst = appendNumber(dst, uint32(s.logView[r]))
		dst = appendNumber(dst, uint32(s.logViewDurable[r]))
		dst = appendNumber(dst, uint32(s.commitMin[r]))
		dst = appendNumber(dst, uint32(s.commitMax[r]))
		dst = appendEntries(dst, s.headers[r])
		dst = appendEntries(dst, s.bodies[r])
		dst = appendEntries(dst, s.pipeline[r])
		if merged := s.merged[r]; merged == nil {
			dst = append(dst, 0)
		} else {
			dst = append(dst, 1)
			dst = appendEntries(dst, merged.Log)
			dst = appendNumber(dst, uint32(merged.Commit))
		}
		dst = appendNumber(dst, uint32(len(s.answers[r])))
		for _, m := range s.answers[r] {
			dst = appendNumber(dst, uint32(m.View))
			dst = appendNumber(dst, uint32(m.Commit))
			dst = appendEntries(dst, m.Log)
		}
	}
	dst = appendNumber(dst, uint32(len(s.network)))
	for _, m := range s.network {
		dst = m.appendKey(dst, s.n)
	}
	dst = appendEntries(dst, s.acknowledged)
	dst = appendNumber(dst, uint32(s.requests))
	return appendNumber(dst, s.restarts)
}

func (m *viewMessages) appendKey(dst []byte, n int) []byte {
	dst = appendNumber(dst, uint32(m.view))
	dst = appendNumber(dst, uint32(m.commit))
	dst = append(dst, byte(m.startViewChanges))
	dst = appendEntries(dst, m.prepares)
	for r := range n {
		dst = appendEntries(dst, m.prepareOKs[r])
		vote := m.votes[r]
		if vote == nil {
			dst = append(dst, 0)
			continue
		}
		dst = append(dst, 1)
		dst = appendNumber(dst, uint32(vote.LogView))
		dst = appendNumber(dst, uint32(vote.Commit))
		dst = appendEntries(dst, vote.Log)
		dst = appendEntries(dst, vote.Present)
	}
	dst = appendNumber(dst, uint32(len(m.startViews)))
	for _, start := range m.startViews {
		dst = appendNumber(dst, uint32(start.Commit))
		dst = appendEntries(dst, start.Log)
	}
	return dst
}

func appendNumber(dst []byte, n uint32) []byte {
	if n < 0x80 {
		return append(dst, byte(n))
	}
	return binary.AppendUvarint(dst, uint64(n))
}

func appendEntries(dst []byte, entries []Entry) []byte {
	dst = appendNumber(dst, uint32(len(entries)))
	for _, e := range entries {
		if e.Op < 0x80 && e.View < 0x80 && e.Request < 0x80 {
			dst = append(dst, byte(e.Op), byte(e.View), byte(e.Request))
			continue
		}
		dst = appendNumber(dst, uint32(e.Op))
		dst = appendNumber(dst, uint32(e.View))
		dst = appendNumber(dst, uint32(e.Request))
	}
	return dst
}
