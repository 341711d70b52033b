package clienttest

import (
	"slices"

	"github.com/viewstamp/viewstamp/impl/batch"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// state is what the logs have made.
type state struct {
	streams []*stream
	nextID  uint32
}

type stream struct {
	id     uint32
	name   string
	topics []*topic
}

type topic struct {
	id         uint32
	name       string
	partitions []*partition
}

type partition struct {
	batches [][]byte
	next    uint64
	bytes   uint64
	offsets map[protocol.Consumer]uint64
}

func newState() *state { return &state{} }

func named(i protocol.Identifier, id uint32, name string) bool {
	return i == protocol.ID(id) || i == protocol.Named(name)
}

func (s *state) stream(i protocol.Identifier) (*stream, protocol.Status) {
	for _, v := range s.streams {
		if named(i, v.id, v.name) {
			return v, 0
		}
	}
	if i.Kind == protocol.ByID {
		return nil, protocol.StatusStreamIDNotFound
	}
	return nil, protocol.StatusStreamNameNotFound
}

func (s *state) topic(in, i protocol.Identifier) (*stream, *topic, protocol.Status) {
	v, status := s.stream(in)
	if status != 0 {
		return nil, nil, status
	}
	for _, t := range v.topics {
		if named(i, t.id, t.name) {
			return v, t, 0
		}
	}
	if i.Kind == protocol.ByID {
		return v, nil, protocol.StatusTopicIDNotFound
	}
	return v, nil, protocol.StatusTopicNameNotFound
}

func (s *state) at(in, of protocol.Identifier, id uint32) (*partition, protocol.Status) {
	_, t, status := s.topic(in, of)
	switch {
	case status != 0:
		return nil, status
	case id >= uint32(len(t.partitions)):
		return nil, protocol.StatusPartitionNotFound
	}
	return t.partitions[id], 0
}

func (v *stream) header() protocol.StreamHeader {
	h := protocol.StreamHeader{
		ID: v.id, Created: 1, Name: v.name, Topics: uint32(len(v.topics)),
	}
	for _, t := range v.topics {
		h.Messages += t.header().Messages
		h.Bytes += t.header().Bytes
	}
	return h
}

func (t *topic) header() protocol.TopicHeader {
	h := protocol.TopicHeader{
		ID: t.id, Created: 1, Name: t.name, Partitions: uint32(len(t.partitions)), Compression: 1,
	}
	for _, p := range t.partitions {
		h.Messages += p.next
		h.Bytes += p.bytes
	}
	return h
}

func (t *topic) details() *protocol.TopicDetails {
	d := &protocol.TopicDetails{TopicHeader: t.header()}
	for i, p := range t.partitions {
		d.States = append(d.States, protocol.PartitionState{
			ID: uint32(i), Created: 1, Segments: 1, Current: max(p.next, 1) - 1, Bytes: p.bytes,
			Messages: p.next,
		})
	}
	return d
}

// metadata executes an operation and returns the result.
func (s *state) metadata(o wire.Operation, body []byte) []byte {
	reply, status := s.change(o, body)
	if status != 0 {
		return protocol.Reject(nil, status)
	}
	result := make([]byte, 4)
	if reply != nil {
		result = protocol.MustAppend(result, reply)
	}
	return result
}

func (s *state) change(o wire.Operation, body []byte) (protocol.Body, protocol.Status) {
	var createStream protocol.CreateStream
	var createTopic protocol.CreateTopic
	var streamRef protocol.StreamRef
	var topicRef protocol.TopicRef
	switch {
	case o == protocol.OperationCreateStream && protocol.Decode(body, &createStream) == nil:
		if _, status := s.stream(protocol.Named(createStream.Name)); status == 0 {
			return nil, protocol.StatusStreamExists
		}
		s.nextID++
		v := &stream{id: s.nextID, name: createStream.Name}
		s.streams = append(s.streams, v)
		h := v.header()
		return &h, 0
	case o == protocol.OperationDeleteStream && protocol.Decode(body, &streamRef) == nil:
		v, status := s.stream(streamRef.Stream)
		s.streams = slices.DeleteFunc(s.streams, func(x *stream) bool { return x == v })
		return nil, status
	case o == protocol.OperationCreateTopic && protocol.Decode(body, &createTopic) == nil:
		v, _, status := s.topic(createTopic.Stream, protocol.Named(createTopic.Name))
		switch {
		case v == nil:
			return nil, status
		case status == 0:
			return nil, protocol.StatusTopicExists
		}
		s.nextID++
		t := &topic{id: s.nextID, name: createTopic.Name}
		for range createTopic.Partitions {
			t.partitions = append(t.partitions,
				&partition{offsets: map[protocol.Consumer]uint64{}})
		}
		v.topics = append(v.topics, t)
		return t.details(), 0
	case o == protocol.OperationDeleteTopic && protocol.Decode(body, &topicRef) == nil:
		v, t, status := s.topic(topicRef.Stream, topicRef.Topic)
		if v != nil {
			v.topics = slices.DeleteFunc(v.topics, func(x *topic) bool { return x == t })
		}
		return nil, status
	}
	return nil, protocol.StatusInvalidCommand
}

// question answers; nil with status 0 is an empty body.
func (s *state) question(code protocol.Code, body []byte) (protocol.Body, protocol.Status) {
	var streamRef protocol.StreamRef
	var topicRef protocol.TopicRef
	var poll protocol.Poll
	var offset protocol.GetOffset
	switch {
	case code == protocol.CodeListStreams:
		var list protocol.StreamList
		for _, v := range s.streams {
			list.Streams = append(list.Streams, v.header())
		}
		return &list, 0
	case code == protocol.CodeGetStream && protocol.Decode(body, &streamRef) == nil:
		v, status := s.stream(streamRef.Stream)
		if status != 0 {
			return nil, 0
		}
		d := &protocol.StreamDetails{StreamHeader: v.header()}
		for _, t := range v.topics {
			d.Headers = append(d.Headers, t.header())
		}
		return d, 0
	case code == protocol.CodeListTopics && protocol.Decode(body, &streamRef) == nil:
		v, status := s.stream(streamRef.Stream)
		if status != 0 {
			return nil, status
		}
		list := &protocol.TopicList{}
		for _, t := range v.topics {
			list.Topics = append(list.Topics, t.header())
		}
		return list, 0
	case code == protocol.CodeGetTopic && protocol.Decode(body, &topicRef) == nil:
		if _, t, status := s.topic(topicRef.Stream, topicRef.Topic); status == 0 {
			return t.details(), 0
		}
		return nil, 0
	case code == protocol.CodePoll && protocol.Decode(body, &poll) == nil:
		return s.poll(&poll)
	case code == protocol.CodeGetOffset && protocol.Decode(body, &offset) == nil:
		p, status := s.at(offset.Stream, offset.Topic, offset.Partition.Partition)
		if status != 0 {
			return nil, status
		}
		if stored, found := p.offsets[offset.Consumer]; found {
			return &protocol.OffsetReply{Current: max(p.next, 1) - 1, Stored: stored}, 0
		}
		return nil, 0
	}
	return nil, protocol.StatusInvalidCommand
}

func (s *state) poll(r *protocol.Poll) (protocol.Body, protocol.Status) {
	p, status := s.at(r.Stream, r.Topic, r.Partition.Partition)
	if status != 0 {
		return nil, status
	}
	first := r.Value
	switch r.Strategy {
	case protocol.FromFirst:
		first = 0
	case protocol.FromLast:
		first = p.next - min(uint64(r.Count), p.next)
	case protocol.FromNext:
		first = 0
		if stored, found := p.offsets[r.Consumer]; found {
			first = stored + 1
		}
	case protocol.FromOffset, protocol.FromTimestamp:
	}
	reply := &protocol.PollReply{Partition: r.Partition.Partition, Current: max(p.next, 1) - 1}
	for _, bytes := range p.batches {
		b, err := batch.Decode(bytes)
		if err != nil {
			panic(err)
		}
		var n uint32
		reply.Batches, n = b.AppendRange(reply.Batches, first, r.Count-reply.Count)
		reply.Count += n
	}
	if r.AutoCommit && reply.Count > 0 {
		p.offsets[r.Consumer] = max(first+uint64(reply.Count)-1, p.offsets[r.Consumer])
	}
	return reply, 0
}

// partition executes an operation of a partition's log.
func (s *state) partition(o wire.Operation, body []byte) ([]byte, protocol.Status) {
	var send protocol.Send
	var store protocol.StoreOffset
	var remove protocol.DeleteOffset
	switch {
	case o == protocol.OperationSend && protocol.Decode(body, &send) == nil:
		return s.append(&send)
	case o == protocol.OperationStoreOffset && protocol.Decode(body, &store) == nil:
		p, status := s.at(store.Stream, store.Topic, store.Partition.Partition)
		switch {
		case status != 0:
			return nil, status
		case store.Offset >= p.next:
			return nil, protocol.StatusInvalidOffset
		}
		p.offsets[store.Consumer] = store.Offset
		return make([]byte, 4), 0
	case o == protocol.OperationDeleteOffset && protocol.Decode(body, &remove) == nil:
		p, status := s.at(remove.Stream, remove.Topic, remove.Partition.Partition)
		if status != 0 {
			return nil, status
		}
		if _, found := p.offsets[remove.Consumer]; !found {
			return nil, protocol.StatusOffsetNotFound
		}
		delete(p.offsets, remove.Consumer)
		return make([]byte, 4), 0
	}
	return nil, protocol.StatusInvalidFormat
}

func (s *state) append(send *protocol.Send) ([]byte, protocol.Status) {
	id := send.Partitioning.Partition
	p, status := s.at(send.Stream, send.Topic, id)
	if status != 0 {
		return nil, status
	}
	b, err := batch.Decode(send.Batch)
	if err != nil {
		return nil, protocol.StatusInvalidMessages
	}
	stamped := slices.Clone(b.Bytes())
	batch.Stamp(stamped, uint64(id), p.next, 1)
	v, t, _ := s.topic(send.Stream, send.Topic)
	confirmed := &protocol.SendReply{Confirmations: []protocol.Confirmation{
		{Stream: v.id, Topic: t.id, Partition: id, BaseOffset: p.next},
	}}
	p.batches = append(p.batches, stamped)
	p.next += uint64(b.Header().Messages)
	p.bytes += uint64(len(stamped))
	return protocol.MustAppend(nil, confirmed), 0
}
