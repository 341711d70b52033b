package client

import (
	"context"
	"errors"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// partition asks something of a partition's group, at its primary as far as that is known. It
// goes on until the primary has answered, or nobody can tell any more what became of it.
func (c *Client) partition(ctx context.Context, at route, r Request) Outcome {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	uncertain, said := false, protocol.StatusOK
	for tries := 0; ; tries++ {
		l, err := c.link(ctx, at, tries)
		if err != nil {
			return Outcome{Verdict: Failed, Code: r.Code, Cause: err}
		}
		outcome := l.do(ctx, r)
		if outcome.Verdict == Succeeded {
			return outcome
		}
		repeatable := outcome.Verdict == Unknown && r.Repeat
		uncertain = uncertain || outcome.Verdict == Unknown
		var login *LoginError
		if ctx.Err() != nil || errors.As(outcome.Cause, &login) || !repeatable && !again(outcome) {
			if uncertain {
				outcome.Verdict = Unknown // An earlier copy may have been executed.
			}
			if outcome.Verdict == Failed && outcome.Status == 0 && outcome.Eviction == 0 {
				outcome.Status = said // Why it was waited for: the disk is full, say.
			}
			return outcome
		}
		if outcome.Status != 0 {
			said = outcome.Status
		}
		c.forget(at)
		l.wait(ctx, c.options.Pause)
	}
}

// again says that another node, or a later moment, may have a better answer: nothing was done,
// and nobody has said that nothing ever will be.
func again(o Outcome) bool {
	return o.Verdict == Failed && !errors.Is(o.Cause, errTooLarge) &&
		(o.Status.Open() || o.Status == 0 && o.Eviction == 0 ||
			o.Status == protocol.StatusUnauthenticated || o.Status == protocol.StatusInvalidSession)
}

// link returns the connection to a partition's primary. Where nobody knows the primary, the
// nodes are tried in turn.
func (c *Client) link(ctx context.Context, at route, tries int) (*link, error) {
	c.mu.Lock()
	address := c.routes[at]
	c.mu.Unlock()
	if address == "" {
		address = c.find(ctx, at, tries)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	c.routes[at] = address
	if l := c.links[address]; l != nil {
		return l, nil
	}
	l, err := newLink(&c.options, []string{address}, true)
	if err != nil {
		return nil, err
	}
	c.links[address] = l
	return l, nil
}

// find asks which node has the primary. Upstream's nodes do not know the question.
func (c *Client) find(ctx context.Context, at route, tries int) string {
	var found protocol.PrimaryFound
	asked := &protocol.FindPrimary{Stream: at.stream, Topic: at.topic, Partition: at.partition}
	_, err := c.metadata(ctx, protocol.CodeFindPrimary, asked, &found)
	if err == nil && found.Address != "" && found.TCP != 0 {
		return hostPort(found.Address, found.TCP)
	}
	known := append(c.addresses(), c.options.Addresses...)
	return known[tries%len(known)]
}

func (c *Client) forget(at route) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.routes, at)
}
