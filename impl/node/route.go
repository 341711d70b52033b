package node

import (
	"context"
	"crypto/rand"
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/statemachine/metadata"
	"github.com/viewstamp/viewstamp/impl/statemachine/partition"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// route is what a session knows of a topic: as long as the catalogue does not change it need
// not ask the metadata's shard, which all sessions share.
type route struct {
	groups           []metadata.Group // by partition
	send, poll       protocol.Status
	consumerGroups   map[protocol.Identifier]uint32
	missing          protocol.Status // why there is no such topic
	unknownConsumers map[protocol.Identifier]protocol.Status
	shares           map[protocol.Identifier]protocol.Assignment // by consumer group
}

// find returns the route to a topic.
func (s *session) find(ctx context.Context, ref protocol.TopicRef) (*route, error) {
	c := s.node.catalogue
	if err := c.reach(ctx, s.seen); err != nil {
		return nil, err
	}
	version := c.op.Load()
	if s.routes == nil || s.version != version {
		s.routes, s.version = make(map[protocol.TopicRef]*route), version
	}
	if r := s.routes[ref]; r != nil {
		return r, nil
	}
	r := &route{
		consumerGroups:   make(map[protocol.Identifier]uint32),
		unknownConsumers: make(map[protocol.Identifier]protocol.Status),
		shares:           make(map[protocol.Identifier]protocol.Assignment),
	}
	err := c.do(ctx, func() {
		for p := uint32(0); ; p++ {
			g, status := c.machine.FindPartition(ref, p)
			if status != protocol.StatusOK {
				r.missing = status
				return
			}
			if p == 0 {
				r.send, r.poll = c.machine.MaySend(s.user, g), c.machine.MayPoll(s.user, g)
			}
			r.groups = append(r.groups, g)
		}
	})
	if err != nil {
		return nil, err
	}
	s.routes[ref] = r
	return r, nil
}

// partition returns the group of a partition.
func (r *route) partition(p uint32) (metadata.Group, protocol.Status) {
	if uint64(p) < uint64(len(r.groups)) {
		return r.groups[p], protocol.StatusOK
	}
	if len(r.groups) == 0 && r.missing != protocol.StatusOK {
		return metadata.Group{}, r.missing
	}
	return metadata.Group{}, protocol.StatusPartitionNotFound
}

// choose picks the partition of a batch.
func (s *session) choose(r *route, to protocol.Partitioning) uint32 {
	count := uint64(max(len(r.groups), 1))
	switch to.Kind {
	case protocol.ToPartition:
		return to.Partition
	case protocol.ByKey:
		return uint32(xxh3.Hash(to.Key) % count)
	case protocol.Balanced:
	}
	s.roundRobin++
	return uint32(uint64(s.roundRobin) % count)
}

// consumer gives a group of consumers, which may be named, the id that its offsets are stored
// under.
func (s *session) consumer(ctx context.Context, r *route, ref protocol.TopicRef,
	who *protocol.Consumer,
) (protocol.Status, error) {
	if id, known := r.consumerGroups[who.ID]; known {
		who.ID = protocol.ID(id)
		return protocol.StatusOK, nil
	}
	if status, known := r.unknownConsumers[who.ID]; known {
		return status, nil
	}
	var id uint32
	var status protocol.Status
	err := s.node.catalogue.do(ctx, func() {
		id, status = s.node.catalogue.machine.FindGroup(protocol.GroupRef{
			Stream: ref.Stream, Topic: ref.Topic, Group: who.ID,
		})
	})
	switch {
	case err != nil:
		return 0, err
	case status != protocol.StatusOK:
		r.unknownConsumers[who.ID] = status
		return status, nil
	}
	r.consumerGroups[who.ID] = id
	who.ID = protocol.ID(id)
	return protocol.StatusOK, nil
}

// target is where a request about a partition goes: to a group, with a body that names the
// consumer as it is stored. Without a group it is a member's poll of what is not its own.
type target struct {
	group *group
	body  []byte
}

// about is what a request says of the partition that it is about.
type about struct {
	topic protocol.TopicRef
	// to is set in a batch, selector in the others.
	to       *protocol.Partitioning
	selector protocol.Selector
	// consumer is a part of body, which is encoded again if the consumer is renamed.
	consumer *protocol.Consumer
	body     protocol.Body
}

// readAbout reads the body of an operation, or of a question; false if it cannot be read.
func readAbout(operation wire.Operation, code protocol.Code, body []byte) (about, bool) {
	var a about
	at := func(o *protocol.GetOffset) {
		a.topic = protocol.TopicRef{Stream: o.Stream, Topic: o.Topic}
		a.consumer, a.selector = &o.Consumer, o.Partition
	}
	switch {
	case operation == protocol.OperationSend:
		m := &protocol.Send{}
		a.body = m
		if protocol.Decode(body, m) != nil {
			return a, false
		}
		a.topic, a.to = protocol.TopicRef{Stream: m.Stream, Topic: m.Topic}, &m.Partitioning
		return a, true
	case operation == protocol.OperationStoreOffset:
		m := &protocol.StoreOffset{}
		a.body = m
		if protocol.Decode(body, m) != nil {
			return a, false
		}
		at(&m.GetOffset)
	case operation == protocol.OperationDeleteOffset:
		m := &protocol.DeleteOffset{}
		a.body = m
		if protocol.Decode(body, m) != nil {
			return a, false
		}
		at(&m.GetOffset)
	case code == protocol.CodeGetOffset:
		m := &protocol.GetOffset{}
		a.body = m
		if protocol.Decode(body, m) != nil {
			return a, false
		}
		at(m)
	default:
		m := &protocol.Poll{}
		a.body = m
		if protocol.Decode(body, m) != nil {
			return a, false
		}
		a.topic = protocol.TopicRef{Stream: m.Stream, Topic: m.Topic}
		a.consumer, a.selector = &m.Consumer, m.Partition
	}
	return a, true
}

// locate finds the partition that a request is about, and whether its client may. What this
// process knows of the catalogue may be old: before a strict request is refused, the primary
// says how far the catalogue has come.
//
// Errors: the catalogue does not answer in time.
func (s *session) locate(ctx context.Context, operation wire.Operation, code protocol.Code,
	body []byte, strict bool,
) (target, protocol.Status, error) {
	t, status, err := s.locateHere(ctx, operation, code, body)
	if err != nil || status == protocol.StatusOK || status == protocol.StatusInvalidFormat ||
		!strict {
		return t, status, err
	}
	if _, said := s.describe(ctx, protocol.CodePing, nil, true); said != protocol.StatusOK {
		return t, protocol.StatusNotAccepted, nil
	}
	return s.locateHere(ctx, operation, code, body)
}

// locateHere is locate by what this process knows of the catalogue.
func (s *session) locateHere(ctx context.Context, operation wire.Operation, code protocol.Code,
	body []byte,
) (target, protocol.Status, error) {
	a, ok := readAbout(operation, code, body)
	if !ok {
		return target{}, protocol.StatusInvalidFormat, nil
	}
	r, err := s.find(ctx, a.topic)
	if err != nil {
		return target{}, 0, err
	}
	may, place := r.poll, a.selector.Partition
	switch {
	case a.to != nil:
		may, place = r.send, s.choose(r, *a.to)
	case code == protocol.CodePoll && a.consumer.Kind == protocol.Group && len(r.groups) > 0:
		var status protocol.Status
		place, status = s.mayRead(ctx, r, protocol.GroupRef{
			Stream: a.topic.Stream, Topic: a.topic.Topic, Group: a.consumer.ID,
		}, a.selector)
		if status != protocol.StatusOK || place == resync {
			return target{}, status, nil
		}
	}
	where, status := r.partition(place)
	switch {
	case status != protocol.StatusOK:
		return target{}, status, nil
	case may != protocol.StatusOK:
		return target{}, may, nil
	}
	if a.consumer != nil && a.consumer.Kind == protocol.Group {
		status, err := s.consumer(ctx, r, a.topic, a.consumer)
		if err != nil || status != protocol.StatusOK {
			return target{}, status, err
		}
		body = protocol.MustAppend(nil, a.body)
	}
	t := target{group: s.node.group(where.ID), body: body}
	if t.group == nil {
		return t, protocol.StatusNotAccepted, nil // It is being started.
	}
	return t, protocol.StatusOK, nil
}

// writer is a session's own session in a partition's group: the log executes what the process
// sends again on its behalf once (R18), although the client's protocol has no such numbers.
type writer struct {
	client  wire.ClientID
	session wire.SessionNumber
	last    wire.RequestNumber
}

// partition puts an operation into the log of a partition.
func (s *session) partition(ctx context.Context, m *wire.Request) ([]byte, error) {
	t, status, err := s.locate(ctx, m.Operation, 0, m.Body, true)
	if err != nil {
		status = protocol.StatusNotAccepted
	}
	if status != protocol.StatusOK {
		return s.refuse(m, status), nil
	}
	reply := s.write(ctx, t.group, m.Operation, t.body)
	told := *reply
	told.Client, told.Number, told.RequestChecksum = m.Client, m.Number, m.RequestChecksum
	return wire.AppendClientReply(nil, &told), nil
}

// write executes an operation once in a partition's group.
func (s *session) write(ctx context.Context, g *group, operation wire.Operation, body []byte,
) *wire.Reply {
	w := s.writers[g.id]
	if w == nil {
		w = &writer{client: drawClient()}
		reply := s.node.ask(ctx, g, &wire.Request{
			Client: w.client, Operation: wire.OperationRegister, UserID: s.user,
		})
		session, _, _, ok := replica.ParseSessionBody(reply.Body)
		if reply.Status != 0 || !ok { // The request itself has not gone anywhere.
			refused := g.notAccepted(&wire.Request{Operation: operation})
			if reply.Status == replica.StatusDiskFull {
				refused.Status = reply.Status
			}
			return refused
		}
		w.session = session
		s.writers[g.id] = w
	}
	request := &wire.Request{
		Client: w.client, Session: w.session, Number: w.last + 1, Operation: operation,
		UserID: s.user, Body: body,
	}
	request.RequestChecksum = wire.ChecksumOf(body)
	reply := s.node.ask(ctx, g, request)
	switch protocol.Status(reply.Status) { //nolint:exhaustive // The others leave it open.
	case protocol.StatusOK:
		w.last++
	case protocol.StatusNotAccepted, protocol.StatusDiskFull,
		protocol.StatusMessagesTooLarge: // The number is still free.
	case protocol.StatusInvalidSession: // Forgotten by the table: so is what it had executed.
		delete(s.writers, g.id)
		unknown := *reply
		unknown.Status = uint32(protocol.StatusNotCommitted)
		return &unknown
	default:
		delete(s.writers, g.id)
	}
	return reply
}

// drawClient draws the name of a client.
func drawClient() wire.ClientID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // It never fails; the program ends if it does.
	return wire.ClientID{
		Lo: binary.LittleEndian.Uint64(b[:]) | 1, Hi: binary.LittleEndian.Uint64(b[8:]),
	}
}

// advance stores how far a consumer has read that wants this done for it. If it cannot be done
// now, the consumer reads some messages again.
func (s *session) advance(ctx context.Context, t target, answer []byte) {
	var ask protocol.Poll
	if protocol.Decode(t.body, &ask) != nil || !ask.AutoCommit {
		return
	}
	offset, found := partition.Reached(answer)
	if !found {
		return
	}
	body := protocol.MustAppend(nil, &protocol.StoreOffset{
		GetOffset: protocol.GetOffset{
			Consumer: ask.Consumer, Stream: ask.Stream, Topic: ask.Topic, Partition: ask.Partition,
		},
		Offset: offset, Quorum: true,
	})
	reply := s.write(ctx, t.group, partition.OperationAdvanceOffset, body)
	if reply.Status != 0 {
		s.node.log.Debug("offset not stored", "group", t.group.id, "status", reply.Status)
	}
}
