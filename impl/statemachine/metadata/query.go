package metadata

import (
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// PartitionFigures are what a partition's replica knows of its log.
type PartitionFigures struct {
	Segments uint32
	// Current is the offset of the newest message, 0 also of an empty partition.
	Current         uint64
	Bytes, Messages uint64
}

// Figures says what a partition has; zeros if the process does not know. It may be asked while a
// question is answered, never while an op is executed.
type Figures func(wire.GroupID) PartitionFigures

// SetFigures lends the machine the figures of the partitions for answers to questions. Without
// any, all are zero.
func (m *Machine) SetFigures(figures Figures) { m.figures = figures }

// Query answers a question as the root's; nil if it is refused.
func (m *Machine) Query(code uint32, body []byte) []byte {
	payload, _ := m.QueryAs(RootID, code, body)
	return payload
}

// QueryAs answers a question of a user from the state. It changes nothing. The body of the reply
// is empty if what is asked for does not exist.
//
// Refusals: [protocol.StatusUnauthorized]; [protocol.StatusInvalidFormat] for a body that cannot
// be read; [protocol.StatusInvalidCommand] for a code that is none of the catalogue's;
// [protocol.StatusFeatureUnavailable] for a list that is too long for a frame.
func (m *Machine) QueryAs(user, code uint32, body []byte) ([]byte, protocol.Status) {
	e := execution{Machine: m, user: user}
	answer, status := e.query(protocol.Code(code).Query(), body)
	if status != protocol.StatusOK || answer == nil {
		return nil, status
	}
	payload := protocol.MustAppend(nil, answer)
	if len(payload) > wire.MaxBodyBytes {
		return nil, protocol.StatusFeatureUnavailable
	}
	return payload, protocol.StatusOK
}

func (e *execution) query(code protocol.Code, body []byte) (protocol.Body, protocol.Status) {
	if u, found := e.users.byID(e.user); !found || u.status != protocol.UserActive {
		return nil, protocol.StatusUnauthorized
	}
	switch code { //nolint:exhaustive // the others are refused, or not the catalogue's
	case protocol.CodeListStreams, protocol.CodeListUsers, protocol.CodeListTokens:
		if len(body) > 0 {
			return nil, protocol.StatusInvalidFormat
		}
		return e.list(code)
	case protocol.CodeGetStream:
		return answered(body, e.onGetStream)
	case protocol.CodeGetTopic:
		return answered(body, e.onGetTopic)
	case protocol.CodeListTopics:
		return answered(body, e.onListTopics)
	case protocol.CodeGetGroup:
		return answered(body, e.onGetGroup)
	case protocol.CodeListGroups:
		return answered(body, e.onListGroups)
	case protocol.CodeGetUser:
		return answered(body, e.onGetUser)
	}
	return nil, protocol.StatusInvalidCommand
}

// Describe adds what there is to what a process says of itself, with the figures that it has.
//
// Refusals: [protocol.StatusUnauthorized].
func (m *Machine) Describe(user uint32, to *protocol.Stats) protocol.Status {
	e := execution{Machine: m, user: user}
	if status := e.may(actReadServer, nil, nil); status != protocol.StatusOK {
		return status
	}
	for _, s := range m.streams.items {
		to.Streams++
		for _, t := range s.topics.items {
			to.Topics++
			to.Partitions += uint32(len(t.partitions))
			to.ConsumerGroups += uint32(len(t.consumers.items))
			for _, p := range t.partitions {
				if m.figures == nil {
					continue
				}
				f := m.figures(p.group)
				to.Segments += f.Segments
				to.Messages += f.Messages
				to.MessageBytes += f.Bytes
			}
		}
	}
	return protocol.StatusOK
}

func (e *execution) list(code protocol.Code) (protocol.Body, protocol.Status) {
	switch code { //nolint:exhaustive // query calls it for three
	case protocol.CodeListStreams:
		all := &protocol.StreamList{}
		for _, s := range e.streams.items {
			all.Streams = append(all.Streams, *s.header(e.figures))
		}
		return all, e.may(actListStreams, nil, nil)
	case protocol.CodeListUsers:
		all := &protocol.UserList{}
		for _, u := range e.users.items {
			all.Users = append(all.Users, u.header())
		}
		return all, e.may(actReadUsers, nil, nil)
	}
	all := &protocol.TokenList{}
	u, _ := e.users.byID(e.user)
	for _, t := range u.tokens {
		all.Tokens = append(all.Tokens, protocol.TokenInfo{Name: t.name, Expiry: t.expires})
	}
	return all, protocol.StatusOK
}

// absent is the answer about something that does not exist.
func absent() (protocol.Body, protocol.Status) { return nil, protocol.StatusOK }

func (e *execution) onGetStream(r *protocol.StreamRef) (protocol.Body, protocol.Status) {
	s, status := e.findStream(r.Stream)
	if status != protocol.StatusOK {
		return absent()
	}
	details := &protocol.StreamDetails{StreamHeader: *s.header(e.figures)}
	for _, t := range s.topics.items {
		details.Headers = append(details.Headers, t.header(e.figures))
	}
	return details, e.may(actReadStream, s, nil)
}

func (e *execution) onListTopics(r *protocol.StreamRef) (protocol.Body, protocol.Status) {
	s, status := e.findStream(r.Stream)
	if status != protocol.StatusOK {
		return nil, status
	}
	all := &protocol.TopicList{}
	for _, t := range s.topics.items {
		all.Topics = append(all.Topics, t.header(e.figures))
	}
	return all, e.may(actReadTopic, s, nil)
}

func (e *execution) onGetTopic(r *protocol.TopicRef) (protocol.Body, protocol.Status) {
	t, status := e.findTopic(*r)
	if status != protocol.StatusOK {
		return absent()
	}
	return t.details(e.figures), e.may(actReadTopic, t.stream, t)
}

func (e *execution) onGetGroup(r *protocol.GroupRef) (protocol.Body, protocol.Status) {
	t, status := e.findTopic(protocol.TopicRef{Stream: r.Stream, Topic: r.Topic})
	if status != protocol.StatusOK {
		return absent()
	}
	g, status := t.findGroup(r.Group)
	if status != protocol.StatusOK {
		return absent()
	}
	return g.details(t), e.may(actReadTopic, t.stream, t)
}

func (e *execution) onListGroups(r *protocol.TopicRef) (protocol.Body, protocol.Status) {
	t, status := e.findTopic(*r)
	if status != protocol.StatusOK {
		return nil, status
	}
	all := &protocol.GroupList{}
	for _, g := range t.consumers.items {
		all.Groups = append(all.Groups, t.groupHeader(g))
	}
	return all, e.may(actReadTopic, t.stream, t)
}

// onGetUser needs no permission for oneself.
func (e *execution) onGetUser(r *protocol.UserRef) (protocol.Body, protocol.Status) {
	u, status := e.findUser(r.User)
	if status != protocol.StatusOK {
		return absent()
	}
	if u.id == e.user {
		return u.details(), protocol.StatusOK
	}
	return u.details(), e.may(actReadUsers, nil, nil)
}
