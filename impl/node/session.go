package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/viewstamp/viewstamp/impl/replica"
	"github.com/viewstamp/viewstamp/impl/transport"
	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// statusUnknown: the outcome of a request is not known. Upstream's 57.
	statusUnknown uint32 = 57
	// retryPause is how often a request is asked again where no reply comes: the log executes
	// it once (R18).
	retryPause = 500 * time.Millisecond
)

// session is one client's connection.
type session struct {
	node   *Node
	remote net.Addr
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
		return nil, errors.New("request refused: no request")
	}
	reply := s.node.ask(ctx, request)
	if reply == nil {
		return nil, nil
	}
	return wire.Encode(reply), nil
}

// Refuse answers a frame that was not read.
func (s *session) Refuse(header []byte, why transport.Refusal) []byte {
	s.node.log.Debug("request refused", "address", s.remote.String(), "reason", why.String())
	_ = header // Size and memory are no matter of one request: the client sees it end.
	return nil
}

// Close does nothing: a connection holds nothing.
func (s *session) Close() {}

// ask puts a request to its group and waits for the reply; nil if there is no such group. It asks
// again until the deadline where nobody answers. As long as nobody has taken the request the
// answer may be that it was not accepted; after that only a definite answer counts, and at the
// deadline the outcome is not known.
func (n *Node) ask(ctx context.Context, request *wire.Request) *wire.Reply {
	g := n.group(request.Group)
	if g == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(n.config.Clients.Deadline))
	defer cancel()
	for attempt := 0; ; attempt++ {
		a := &asked{request: request, from: wire.NoReplica, answer: make(chan *wire.Reply, 1)}
		if !g.shard.offer(event{group: g, asked: a}) && attempt == 0 {
			return g.notAccepted(request)
		}
		timer := time.NewTimer(retryPause)
		select {
		case reply := <-a.answer:
			if reply.Status != replica.StatusNotAccepted || attempt == 0 {
				timer.Stop()
				return reply
			}
			select { // Somebody may have it in its log: only time tells.
			case <-timer.C:
			case <-ctx.Done():
			}
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			reply := g.notAccepted(request)
			reply.Status = statusUnknown
			return reply
		}
	}
}
