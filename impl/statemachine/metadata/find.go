package metadata

import "github.com/viewstamp/viewstamp/impl/protocol"

// find looks something up by id or name.
func (s *named[T]) find(who protocol.Identifier, noID, noName protocol.Status) (
	T, protocol.Status,
) {
	if who.Kind == protocol.ByName {
		if item, found := s.byName(who.Name); found {
			return item, protocol.StatusOK
		}
		return *new(T), noName
	}
	item, found := s.byID(who.ID)
	if !found {
		return item, noID
	}
	return item, protocol.StatusOK
}

func (m *Machine) findStream(who protocol.Identifier) (*stream, protocol.Status) {
	return m.streams.find(who, protocol.StatusStreamIDNotFound, protocol.StatusStreamNameNotFound)
}

func (m *Machine) findTopic(who protocol.TopicRef) (*topic, protocol.Status) {
	s, status := m.findStream(who.Stream)
	if status != protocol.StatusOK {
		return nil, status
	}
	return s.topics.find(who.Topic,
		protocol.StatusTopicIDNotFound, protocol.StatusTopicNameNotFound)
}

func (t *topic) findGroup(who protocol.Identifier) (*consumerGroup, protocol.Status) {
	return t.consumers.find(who, protocol.StatusGroupIDNotFound, protocol.StatusGroupNameNotFound)
}

func (m *Machine) findUser(who protocol.Identifier) (*user, protocol.Status) {
	return m.users.find(who, protocol.StatusResourceNotFound, protocol.StatusResourceNotFound)
}

// FindPartition returns the group of a partition.
//
// Refusals: those of a stream, topic or partition that is not there.
func (m *Machine) FindPartition(who protocol.TopicRef, partition uint32) (Group, protocol.Status) {
	t, status := m.findTopic(who)
	switch {
	case status != protocol.StatusOK:
		return Group{}, status
	case uint64(partition) >= uint64(len(t.partitions)):
		return Group{}, protocol.StatusPartitionNotFound
	}
	return home{topic: t, partition: partition}.group(), protocol.StatusOK
}

// FindGroup returns the id of a consumer group, under which its offsets are stored.
//
// Refusals: those of a stream, topic or consumer group that is not there.
func (m *Machine) FindGroup(who protocol.GroupRef) (uint32, protocol.Status) {
	t, status := m.findTopic(protocol.TopicRef{Stream: who.Stream, Topic: who.Topic})
	if status != protocol.StatusOK {
		return 0, status
	}
	g, status := t.findGroup(who.Group)
	if status != protocol.StatusOK {
		return 0, status
	}
	return g.id, status
}

// MayPoll says whether the user may poll the partition's messages and handle its offsets: OK,
// or [protocol.StatusUnauthorized]. Of a group that does not exist nobody may but the root.
func (m *Machine) MayPoll(user uint32, group Group) protocol.Status {
	return m.mayUse(user, actPoll, group)
}

// MaySend says the same of sending to the partition.
func (m *Machine) MaySend(user uint32, group Group) protocol.Status {
	return m.mayUse(user, actSend, group)
}

func (m *Machine) mayUse(user uint32, act action, group Group) protocol.Status {
	var s *stream
	var t *topic
	if h, exists := m.homes[group.ID]; exists {
		s, t = h.topic.stream, h.topic
	}
	if m.allowed(user, act, s, t) {
		return protocol.StatusOK
	}
	return protocol.StatusUnauthorized
}
