package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/transport"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// errEnded ends a connection whose client has been told why.
var errEnded = errors.New("the session has ended")

// session is one client's connection: who it is, and what it has open.
type session struct {
	node   *Node
	remote net.Addr

	// client, user and number are those of the login; number is 0 before it.
	client wire.ClientID
	user   uint32
	number wire.SessionNumber
	// seen is the last op of the metadata that the client knows has happened.
	seen wire.Op

	routes     map[protocol.TopicRef]*route
	writers    map[wire.GroupID]*writer
	reader     reader
	version    uint64 // op of the catalogue that routes are of
	roundRobin uint32
}

var _ transport.Session = (*session)(nil)

// Serve answers one request.
func (s *session) Serve(ctx context.Context, frame []byte) ([]byte, error) {
	message, err := wire.Decode(frame)
	if err != nil {
		return nil, fmt.Errorf("request refused: %w", err)
	}
	request, ok := message.(*wire.Request)
	if !ok {
		return nil, fmt.Errorf("request refused: a %s, expected a request", message.Command())
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(s.node.config.Clients.Deadline))
	defer cancel()
	switch {
	case request.Operation == wire.OperationRegister:
		return s.login(ctx, request)
	case request.Operation == wire.OperationNonReplicated:
		return s.question(ctx, request)
	case s.number == 0 || request.Client != s.client:
		return s.refuse(request, protocol.StatusUnauthenticated), nil
	case protocol.PlaneOf(request.Operation) == protocol.PlanePartition:
		return s.partition(ctx, request)
	case protocol.PlaneOf(request.Operation) == protocol.PlaneMetadata:
		return s.metadata(ctx, request)
	}
	return s.evict(request.Client, wire.EvictedInvalidOperation)
}

// Refuse answers a frame of which only the header was taken.
func (s *session) Refuse(header []byte, why transport.Refusal) []byte {
	bare := append([]byte(nil), header...)
	bare[48], bare[49], bare[50], bare[51] = 0, 1, 0, 0 // A header alone.
	clear(bare[:32])
	message, err := wire.Decode(bare)
	request, ok := message.(*wire.Request)
	if err != nil || !ok {
		return nil
	}
	if why == transport.RefusedSize {
		return wire.AppendEviction(nil, &wire.Eviction{
			Client: request.Client, Reason: wire.EvictedInvalidBodySize,
		})
	}
	return s.refuse(request, protocol.StatusNotAccepted)
}

// Close says that the client is not connected any more. All else that a connection holds, it holds
// alone, and the log forgets clients by itself.
func (s *session) Close() {
	if s.number != 0 {
		s.node.connected.add(s.client, -1)
	}
}

// answer is the reply to a request that entered no log.
func (s *session) answer(m *wire.Request, status protocol.Status, body []byte) []byte {
	return wire.AppendClientReply(nil, &wire.Reply{
		Replica: s.node.replica, Client: m.Client, Number: m.Number, Operation: m.Operation,
		RequestChecksum: m.RequestChecksum, Status: uint32(status), Body: body,
	})
}

func (s *session) refuse(m *wire.Request, status protocol.Status) []byte {
	return s.answer(m, status, nil)
}

// evict ends the connection with a reason.
func (s *session) evict(client wire.ClientID, why wire.EvictionReason) ([]byte, error) {
	return wire.AppendEviction(nil, &wire.Eviction{Client: client, Reason: why}),
		fmt.Errorf("%w: %s", errEnded, why)
}

// metadata puts an operation into the log of the metadata, in the client's own session.
func (s *session) metadata(ctx context.Context, m *wire.Request) ([]byte, error) {
	n := s.node
	admitted := *m
	admitted.UserID = s.user
	token := ""
	if m.Operation == protocol.OperationDeleteSegments {
		body, err := s.withOffset(ctx, m.Body)
		if err != nil {
			return s.refuse(m, protocol.StatusNotAccepted), nil
		}
		admitted.Body = body
	} else if m.Operation != wire.OperationLogout {
		body, made, err := n.catalogue.admit(ctx, m)
		if err != nil {
			return s.refuse(m, protocol.StatusNotAccepted), nil
		}
		admitted.Body, token = body, made
	}
	reply := n.ask(ctx, n.catalogue.group, &admitted)
	s.seen = max(s.seen, reply.Op)
	if m.Operation == protocol.OperationCreateToken && reply.Status == 0 {
		reply = withToken(reply, token)
	}
	if reply.Status == uint32(protocol.StatusInvalidSession) {
		return s.evict(m.Client, wire.EvictedNoSession)
	}
	return wire.AppendClientReply(nil, reply), nil
}
