package metadata

import "github.com/viewstamp/viewstamp/impl/protocol"

// What clients are told of things. Figures are nil where an op is executed: what it answers must
// not depend on what this process knows.

func (s *stream) header(figures Figures) *protocol.StreamHeader {
	h := &protocol.StreamHeader{
		ID: s.id, Created: s.created, Topics: uint32(len(s.topics.items)), Name: s.name,
	}
	for _, t := range s.topics.items {
		bytes, messages := t.sums(figures)
		h.Bytes += bytes
		h.Messages += messages
	}
	return h
}

func (t *topic) sums(figures Figures) (bytes, messages uint64) {
	if figures == nil {
		return 0, 0
	}
	for _, p := range t.partitions {
		f := figures(p.group)
		bytes += f.Bytes
		messages += f.Messages
	}
	return bytes, messages
}

func (t *topic) header(figures Figures) protocol.TopicHeader {
	bytes, messages := t.sums(figures)
	return protocol.TopicHeader{
		ID: t.id, Created: t.created, Partitions: uint32(len(t.partitions)),
		Expiry: t.options.Expiry, Compression: t.options.Compression,
		MaxBytes: t.options.MaxBytes, Bytes: bytes, Messages: messages, Name: t.name,
		Options: t.given, Derived: t.derived(),
	}
}

func (t *topic) details(figures Figures) *protocol.TopicDetails {
	d := &protocol.TopicDetails{TopicHeader: t.header(figures)}
	for i, p := range t.partitions {
		state := protocol.PartitionState{ID: uint32(i), Created: p.created}
		if figures != nil {
			f := figures(p.group)
			state.Segments, state.Current = f.Segments, f.Current
			state.Bytes, state.Messages = f.Bytes, f.Messages
		}
		d.States = append(d.States, state)
	}
	return d
}

func (t *topic) groupHeader(g *consumerGroup) protocol.GroupHeader {
	return protocol.GroupHeader{
		ID: g.id, Partitions: uint32(len(t.partitions)), Members: uint32(len(g.members)),
		Name: g.name,
	}
}

func (u *user) header() protocol.UserHeader {
	return protocol.UserHeader{ID: u.id, Created: u.created, Status: u.status, Name: u.name}
}

func (u *user) details() *protocol.UserDetails {
	return &protocol.UserDetails{UserHeader: u.header(), Permissions: u.permissions}
}
