package node

import (
	"context"
	"time"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// retryPause is how often a request is asked again where no reply comes: the log executes it
// once (R18).
const retryPause = 500 * time.Millisecond

// ask puts a request to its group and waits for the reply. It asks again until the context's
// deadline where nobody answers. As long as nobody has taken the request the answer may be that
// it was not accepted; after that only a definite answer counts, and at the deadline the outcome
// is not known.
func (n *Node) ask(ctx context.Context, g *group, request *wire.Request) *wire.Reply {
	request.Cluster, request.Group = n.cluster, g.id
	for attempt := 0; ; attempt++ {
		a := &asked{request: request, from: wire.NoReplica, answer: make(chan *wire.Reply, 1)}
		if !g.shard.offer(event{group: g, asked: a}) && attempt == 0 {
			return g.notAccepted(request)
		}
		timer := time.NewTimer(retryPause)
		select {
		case reply := <-a.answer:
			if !protocol.Status(reply.Status).Open() || attempt == 0 {
				timer.Stop()
				return reply
			}
			select { // Somebody may have it in a log: only time tells.
			case <-timer.C:
			case <-ctx.Done():
			}
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			reply := g.notAccepted(request)
			reply.Status = uint32(protocol.StatusNotCommitted)
			return reply
		}
	}
}
