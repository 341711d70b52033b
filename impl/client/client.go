package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/viewstamp/viewstamp/impl/protocol"
)

// Client speaks to a cluster. Its methods may be used from several goroutines; on each
// connection they take turns. It has one connection for the metadata plane and for questions
// about it, and one to each node that is the primary of a partition in use.
//
// Methods return nil, or an error whose tree has an [*Error]: errors.Is(err, [ErrUnknown])
// tells whether the request may have had its effect.
type Client struct {
	options Options
	main    *link

	mu     sync.Mutex
	closed bool
	links  map[string]*link
	routes map[route]string
	roster protocol.Roster
}

// route names a partition as the caller does.
type route struct {
	stream, topic protocol.Identifier
	partition     uint32
}

// Open connects to one of the nodes and logs in.
//
// Errors: options that are incomplete; [*LoginError] if the cluster refuses the login; else
// that of the last try when the context ended.
func Open(ctx context.Context, options Options) (*Client, error) {
	if err := options.withDefaults(); err != nil {
		return nil, err
	}
	c := &Client{options: options, links: map[string]*link{}, routes: map[route]string{}}
	main, err := newLink(&c.options, append([]string(nil), options.Addresses...), false)
	if err != nil {
		return nil, err
	}
	main.seek = c.seekMetadata
	c.main = main
	if _, err := c.Roster(ctx); err != nil {
		c.Close()
		var login *LoginError
		if errors.As(err, &login) {
			return nil, login
		}
		return nil, fmt.Errorf("open client: %w", err)
	}
	return c, nil
}

// Close ends the connections. Sessions stay in the cluster until others need their place; see
// [Client.Logout]. A request that is open ends first.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	all := []*link{c.main}
	for _, l := range c.links {
		all = append(all, l)
	}
	c.mu.Unlock()
	for _, l := range all {
		l.turn <- struct{}{}
		l.close()
		l.session.Disconnected()
		<-l.turn
	}
}

// errClosed is the cause of a failure after Close.
var errClosed = errors.New("the client is closed")

// limited gives a context without a deadline the default one.
func (c *Client) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.options.Timeout)
}

// metadata asks something of the metadata plane. The reply is decoded into it, if it is not
// nil; found is false if the reply is empty.
func (c *Client) metadata(
	ctx context.Context, code protocol.Code, body, reply protocol.Body,
) (found bool, err error) {
	r, err := request(code, body)
	if err != nil {
		return false, err
	}
	ctx, cancel := c.limited(ctx)
	defer cancel()
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return false, Outcome{Verdict: Failed, Code: code, Cause: errClosed}.Err()
	}
	outcome := c.main.do(ctx, r)
	return decodeReply(outcome, reply)
}

func request(code protocol.Code, body protocol.Body) (Request, error) {
	r := Request{Code: code}
	if body == nil {
		return r, nil
	}
	encoded, err := protocol.Encode(body)
	if err != nil {
		return r, Outcome{Verdict: Failed, Code: code, Cause: err}.Err()
	}
	r.Body = encoded
	return r, nil
}

func decodeReply(outcome Outcome, reply protocol.Body) (found bool, err error) {
	if outcome.Verdict != Succeeded {
		return false, outcome.Err()
	}
	if reply == nil || len(outcome.Payload) == 0 {
		return len(outcome.Payload) > 0, nil
	}
	if err := protocol.Decode(outcome.Payload, reply); err != nil {
		return false, fmt.Errorf("%s: it succeeded, but its reply cannot be read: %w",
			outcome.Code, err)
	}
	return true, nil
}

// Roster asks for the nodes of the cluster.
func (c *Client) Roster(ctx context.Context) (protocol.Roster, error) {
	var roster protocol.Roster
	_, err := c.metadata(ctx, protocol.CodeClusterMetadata, nil, &roster)
	if err == nil {
		c.note(roster)
	}
	return roster, err
}

func (c *Client) note(roster protocol.Roster) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.roster = roster
}

// addresses are those that nodes are known by.
func (c *Client) addresses() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return rosterAddresses(c.roster)
}

func rosterAddresses(roster protocol.Roster) []string {
	var all []string
	for _, m := range roster.Members {
		if m.TCP != 0 {
			all = append(all, hostPort(m.Address, m.TCP))
		}
	}
	return all
}

func hostPort(host string, port uint16) string {
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// seekMetadata asks a node that does not accept for the metadata group's primary.
func (c *Client) seekMetadata(ctx context.Context, l *link) string {
	payload, ok := l.ask(ctx, Request{Code: protocol.CodeClusterMetadata})
	var roster protocol.Roster
	if !ok || protocol.Decode(payload, &roster) != nil {
		return ""
	}
	c.note(roster)
	l.learn(rosterAddresses(roster)...)
	for _, m := range roster.Members {
		if m.Role == protocol.RolePrimary && m.Health == protocol.Healthy && m.TCP != 0 {
			return hostPort(m.Address, m.TCP)
		}
	}
	return ""
}

// Logout gives the sessions back and ends the client.
func (c *Client) Logout(ctx context.Context) error {
	_, err := c.metadata(ctx, protocol.CodeLogout, nil, nil)
	c.Close()
	return err
}

// Stats asks the node that the client is connected to what it says of itself.
func (c *Client) Stats(ctx context.Context) (protocol.Stats, error) {
	var stats protocol.Stats
	_, err := c.metadata(ctx, protocol.CodeStats, nil, &stats)
	return stats, err
}

// Ping asks for a sign of life of the node that the client is connected to.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.metadata(ctx, protocol.CodePing, nil, nil)
	return err
}
