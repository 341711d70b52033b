package metadata

import (
	"unicode/utf8"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// nameMaxBytes bounds every name: its length is one byte on the wire.
	nameMaxBytes = 255

	// firstID is the first id of a stream, topic and consumer group. Users begin with the root.
	firstID = 1
)

func validName(name string) bool {
	return name != "" && len(name) <= nameMaxBytes && utf8.ValidString(name)
}

type stream struct {
	label
	topics named[*topic]
}

type topic struct {
	label
	stream *stream
	// given are the options that clients set, options what holds.
	given      []protocol.Option
	options    TopicOptions
	partitions []partition // by id, from 0
	consumers  named[*consumerGroup]
}

// partition is one place of a topic, and the group that replicates its log.
type partition struct {
	group   wire.GroupID
	created uint64
	purges  uint64 // since it was created
	// below is the offset below which segments were to be dropped.
	below uint64
}

func (m *Machine) createStream(now uint64, name string) (*stream, protocol.Status) {
	switch _, taken := m.streams.byName(name); {
	case taken:
		return nil, protocol.StatusStreamExists
	case m.streams.full(m.limits.Streams):
		return nil, protocol.StatusTooManyStreams
	}
	s := &stream{label: label{name: name, created: now}, topics: newNamed[*topic](firstID)}
	m.streams.add(s)
	return s, protocol.StatusOK
}

func (m *Machine) updateStream(s *stream, name string) protocol.Status {
	if other, taken := m.streams.byName(name); taken && other != s {
		return protocol.StatusStreamExists
	}
	m.streams.rename(s, name)
	return protocol.StatusOK
}

func (m *Machine) deleteStream(s *stream) protocol.Status {
	for _, t := range s.topics.items {
		m.dropPartitions(t, len(t.partitions))
	}
	m.streams.remove(s)
	return protocol.StatusOK
}

func (m *Machine) purgeStream(s *stream) protocol.Status {
	for _, t := range s.topics.items {
		m.purgeTopic(t)
	}
	return protocol.StatusOK
}

func (m *Machine) createTopic(
	now uint64, s *stream, name string, partitions uint32, given []protocol.Option,
) (*topic, protocol.Status) {
	options, status := resolve(DefaultTopicOptions(), given, m.limits.OptionBytes, creating)
	switch _, taken := s.topics.byName(name); {
	case taken:
		return nil, protocol.StatusTopicExists
	case status != protocol.StatusOK:
		return nil, status
	case partitions > m.room(0):
		return nil, protocol.StatusTooManyPartitions
	case s.topics.full(m.limits.Topics):
		return nil, protocol.StatusTooManyTopics
	}
	t := &topic{
		label: label{name: name, created: now}, stream: s, given: merge(nil, given),
		options:   options,
		consumers: newNamed[*consumerGroup](firstID),
	}
	s.topics.add(t)
	m.addPartitions(now, t, partitions)
	return t, protocol.StatusOK
}

func (m *Machine) updateTopic(t *topic, name string, changed []protocol.Option) protocol.Status {
	options, status := resolve(t.options, changed, m.limits.OptionBytes, changing)
	given := merge(t.given, changed)
	switch other, taken := t.stream.topics.byName(name); {
	case taken && other != t:
		return protocol.StatusTopicExists
	case status != protocol.StatusOK:
		return status
	case optionBytes(given) > m.limits.OptionBytes:
		return protocol.StatusInvalidFormat
	}
	t.stream.topics.rename(t, name)
	t.given, t.options = given, options
	m.touchTopic(t)
	return protocol.StatusOK
}

func (m *Machine) deleteTopic(t *topic) protocol.Status {
	m.dropPartitions(t, len(t.partitions))
	t.stream.topics.remove(t)
	return protocol.StatusOK
}

func (m *Machine) purgeTopic(t *topic) protocol.Status {
	for i := range t.partitions {
		t.partitions[i].purges++
	}
	m.touchTopic(t)
	return protocol.StatusOK
}

// deleteSegments has the segments of a partition dropped that end at or below an offset.
func (m *Machine) deleteSegments(t *topic, place uint32, below uint64) protocol.Status {
	p := &t.partitions[place]
	p.below = max(p.below, below)
	m.touch(p.group)
	return protocol.StatusOK
}

func (m *Machine) createPartitions(now uint64, t *topic, count uint32) protocol.Status {
	switch {
	case count == 0:
		return protocol.StatusInvalidPartitions
	case count > m.room(len(t.partitions)):
		return protocol.StatusTooManyPartitions
	}
	m.addPartitions(now, t, count)
	m.touchTopic(t)
	t.redistribute()
	return protocol.StatusOK
}

// deletePartitions removes the newest partitions, all if there are no more than count.
func (m *Machine) deletePartitions(_ uint64, t *topic, count uint32) protocol.Status {
	if count == 0 {
		return protocol.StatusInvalidPartitions
	}
	m.dropPartitions(t, int(min(uint64(count), uint64(len(t.partitions)))))
	m.touchTopic(t)
	t.redistribute()
	return protocol.StatusOK
}

// room is how many partitions a topic that has some can get.
func (m *Machine) room(has int) uint32 {
	topic := max(int64(m.limits.TopicPartitions)-int64(has), 0)
	all := max(int64(m.limits.Partitions)-int64(len(m.homes)), 0)
	return uint32(min(topic, all))
}

func (m *Machine) createConsumerGroup(
	now uint64, t *topic, name string,
) (*consumerGroup, protocol.Status) {
	switch _, taken := t.consumers.byName(name); {
	case taken:
		return nil, protocol.StatusGroupExists
	case t.consumers.full(m.limits.ConsumerGroups):
		return nil, protocol.StatusTooManyGroups
	}
	g := &consumerGroup{label: label{name: name, created: now}}
	t.consumers.add(g)
	return g, protocol.StatusOK
}

func (t *topic) deleteGroup(g *consumerGroup) protocol.Status {
	t.consumers.remove(g)
	return protocol.StatusOK
}
