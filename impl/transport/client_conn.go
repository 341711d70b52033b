package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

const (
	lingerTime  = time.Second
	lingerBytes = 4 << 20
)

// clientConn is one client's connection: a request, its reply, the next request.
type clientConn struct {
	server *Server
	conn   net.Conn

	mu   sync.Mutex
	busy bool // A frame has been read and is not answered yet.
}

// wake ends the wait for the next request. It leaves a request that is being served alone:
// that ends the connection once it is answered.
func (c *clientConn) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.busy {
		_ = c.conn.Close() // Its goroutine ends.
	}
}

// setBusy reports whether the connection may go on.
func (c *clientConn) setBusy(busy bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = busy
	return busy || !c.server.draining.Load()
}

func (c *clientConn) run() {
	defer c.server.forget(c)
	defer func() { _ = c.conn.Close() }()
	conn := c.conn
	if c.server.config.TLS != nil {
		secure := tls.Server(conn, c.server.config.TLS)
		ctx, cancel := context.WithTimeout(c.server.done, c.server.config.Limits.Handshake)
		err := secure.HandshakeContext(ctx)
		cancel()
		if err != nil {
			c.server.stats.broken.Add(1)
			c.server.config.Log.Debug("client refused", "address", c.conn.RemoteAddr().String(),
				"reason", err)
			return
		}
		conn = secure
	}
	session := c.server.config.Open(conn.RemoteAddr())
	defer session.Close()
	err := c.serve(conn, session)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		c.server.config.Log.Debug("client's connection ended", "address",
			conn.RemoteAddr().String(), "reason", err)
	}
}

// serve answers frames in turn.
func (c *clientConn) serve(conn net.Conn, session Session) error {
	// Each request has a deadline, which takes the lock of the context that it is derived from, twice:
	// that of this connection, and not one that all share.
	done, stop := context.WithCancel(c.server.done)
	defer stop()
	limits := c.server.config.Limits
	reader := frameReader{
		conn: conn, pace: limits.Pace, maxBytes: limits.FrameBytes, budget: c.server.budget,
	}
	for c.setBusy(false) {
		frame, left, err := reader.next()
		c.setBusy(true)
		switch {
		case errors.Is(err, errMemory):
			c.server.stats.noMemory.Add(1)
			if err := reader.skip(left); err != nil {
				return err
			}
			if err := c.reply(conn, session.Refuse(reader.header[:], RefusedMemory)); err != nil {
				return err
			}
			continue
		case err != nil:
			return c.broken(conn, session, err)
		}
		c.server.stats.requests.Add(1)
		reply, err := session.Serve(done, frame)
		c.server.budget.Release(len(frame))
		if sendErr := c.reply(conn, reply); sendErr != nil {
			return sendErr
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// broken counts why a connection ended, and says so where its other end can still hear it.
func (c *clientConn) broken(conn net.Conn, session Session, err error) error {
	var size *SizeError
	if errors.As(err, &size) {
		c.server.stats.tooLarge.Add(1)
		if c.reply(conn, session.Refuse(bytes.Clone(size.Header), RefusedSize)) == nil {
			linger(conn)
		}
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrDeadlineExceeded) {
		c.server.stats.broken.Add(1)
	}
	return err
}

// linger takes some of what the other end is still sending: closing at once would reset the
// connection, and the answer could be lost with it.
func linger(conn net.Conn) {
	if conn.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, conn, lingerBytes) // Whatever it is, nobody wants it.
	}
}

func (c *clientConn) reply(conn net.Conn, frame []byte) error {
	if frame == nil {
		return nil
	}
	limit := c.server.config.Limits.Write + c.server.config.Limits.Pace.limit(len(frame))
	if err := conn.SetWriteDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	if _, err := conn.Write(frame); err != nil {
		return err
	}
	c.server.stats.replies.Add(1)
	return nil
}
