package metadata

import "github.com/viewstamp/viewstamp/impl/protocol"

// action is what a user may or may not do.
type action uint8

const (
	actCreateStream action = iota + 1
	actChangeStream        // update, delete, purge
	actListStreams
	actReadStream
	actCreateTopic
	actChangeTopic // update, delete, purge; partitions, segments
	actReadTopic   // also list them; everything about consumer groups
	actChangeUsers
	actReadUsers
	actReadServer
	actPoll
	actSend
)

// allowed says whether the user may do it to the stream and topic, which are nil where the
// action is about none. The root may do everything; who does not exist or is not active, nothing.
//
// The rules are upstream's: a permission for everything holds for each stream, one for a stream
// for each of its topics, and to manage includes to read, poll and send.
func (m *Machine) allowed(user uint32, act action, s *stream, t *topic) bool {
	if user == RootID {
		return true
	}
	u, found := m.users.byID(user)
	if !found || u.status != protocol.UserActive || u.permissions == nil {
		return false
	}
	if everywhere(u.permissions.GlobalPermissions, act) {
		return true
	}
	if s == nil {
		return false
	}
	for i := range u.permissions.Streams {
		p := &u.permissions.Streams[i]
		if p.Stream == s.id {
			return inStream(p, act) || t != nil && inTopic(p, t.id, act)
		}
	}
	return false
}

func everywhere(p protocol.GlobalPermissions, act action) bool {
	topics := p.ManageStreams || p.ManageTopics
	switch act {
	case actCreateStream, actChangeStream:
		return p.ManageStreams
	case actListStreams, actReadStream:
		return p.ManageStreams || p.ReadStreams
	case actCreateTopic, actChangeTopic:
		return topics
	case actReadTopic:
		return topics || p.ReadStreams || p.ReadTopics
	case actChangeUsers:
		return p.ManageUsers
	case actReadUsers:
		return p.ManageUsers || p.ReadUsers
	case actReadServer:
		return p.ManageServers || p.ReadServers
	case actPoll:
		return topics || p.ReadStreams || p.ReadTopics || p.Poll
	case actSend:
		return topics || p.Send
	}
	return false
}

func inStream(p *protocol.StreamPermissions, act action) bool {
	topics := p.ManageStream || p.ManageTopics
	switch act {
	case actChangeStream:
		return p.ManageStream
	case actReadStream:
		return p.ManageStream || p.ReadStream
	case actCreateTopic, actChangeTopic:
		return topics
	case actReadTopic:
		return topics || p.ReadStream || p.ReadTopics
	case actPoll:
		return topics || p.ReadStream || p.ReadTopics || p.Poll
	case actSend:
		return topics || p.Send
	case actCreateStream, actListStreams, actChangeUsers, actReadUsers, actReadServer:
	}
	return false
}

func inTopic(p *protocol.StreamPermissions, id uint32, act action) bool {
	for _, t := range p.Topics {
		switch {
		case t.Topic != id:
		case act == actChangeTopic:
			return t.ManageTopic
		case act == actReadTopic:
			return t.ManageTopic || t.ReadTopic
		case act == actPoll:
			return t.ManageTopic || t.ReadTopic || t.Poll
		case act == actSend:
			return t.ManageTopic || t.Send
		}
	}
	return false
}
