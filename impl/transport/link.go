package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/viewstamp/viewstamp/impl/wire"
)

const (
	// commandPing is upstream's number for a frame that only says that somebody is there. It
	// never leaves this package.
	commandPing   = 1
	offsetSize    = 48
	offsetCommand = 60
	// batchFrames is how many frames go into one write at most.
	batchFrames = 64
)

// pingFrame is a header that says nothing.
var pingFrame = func() []byte {
	frame := make([]byte, wire.HeaderBytes)
	frame[offsetSize+1] = wire.HeaderBytes >> 8
	frame[offsetCommand] = commandPing
	return frame
}()

// link writes to one peer. What it dials it only writes to.
type link struct {
	mesh      *Mesh
	to        wire.ReplicaID
	address   string
	queue     chan []byte
	bytes     atomic.Int64
	connected atomic.Bool
}

func newLink(m *Mesh, to wire.ReplicaID, address string) *link {
	return &link{
		mesh: m, to: to, address: address, queue: make(chan []byte, m.config.Limits.QueueFrames),
	}
}

// send queues a frame or drops it, and never waits.
func (l *link) send(frame []byte) bool {
	if !l.connected.Load() {
		l.mesh.stats.dropped[DropDisconnected].Add(1)
		return false
	}
	size := int64(len(frame))
	if l.bytes.Add(size) > l.mesh.config.Limits.QueueBytes && l.bytes.Load() != size {
		l.bytes.Add(-size)
		l.mesh.stats.dropped[DropFull].Add(1)
		return false
	}
	select {
	case l.queue <- frame:
		return true
	default:
		l.bytes.Add(-size)
		l.mesh.stats.dropped[DropFull].Add(1)
		return false
	}
}

// run connects, writes, and connects again, until the mesh closes.
func (l *link) run() {
	retry := l.mesh.config.Limits.Retry
	for {
		reached, err := l.session()
		if l.mesh.done.Err() != nil {
			return
		}
		if reached {
			retry.Reset()
		}
		l.mesh.config.Log.Debug("no connection to replica", "replica", l.to,
			"address", l.address, "reached", reached, "reason", err)
		var refused *HandshakeError
		if errors.As(err, &refused) {
			l.mesh.config.Log.Warn("replica refused", "replica", l.to, "address", l.address,
				"reason", refused.Verdict.String())
		}
		if !wait(l.mesh.done, retry.Next()) {
			return
		}
	}
}

// wait returns after a time, or false once the context is done.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// session is one connection from dial to end. It reports whether the handshake succeeded.
func (l *link) session() (reached bool, err error) {
	conn, err := l.dial()
	if err != nil {
		return false, err
	}
	// Whatever ends the connection ends its two goroutines: the close is seen by the other.
	ctx, cancel := context.WithCancel(l.mesh.done)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	if err := l.mesh.self.dial(conn, l.to, l.mesh.config.Limits.Handshake); err != nil {
		l.mesh.stats.handshakes.Add(1)
		return false, err
	}
	l.mesh.stats.dialed.Add(1)
	l.mesh.config.Log.Info("connected to replica", "replica", l.to, "address", l.address)
	l.connected.Store(true)
	defer l.drain()
	defer l.connected.Store(false)
	// Nothing is sent here after the handshake: a read returns when the other end has gone.
	l.mesh.running.Go(func() {
		defer cancel()
		_, _ = conn.Read(make([]byte, 1))
	})
	return true, l.write(ctx, conn)
}

func (l *link) dial() (net.Conn, error) {
	ctx, cancel := context.WithTimeout(l.mesh.done, l.mesh.config.Limits.Handshake)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", l.address)
	if err != nil || l.mesh.config.ClientTLS == nil {
		return conn, err
	}
	config := l.mesh.config.ClientTLS.Clone()
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(l.address)
	}
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close() // The handshake's error says more.
		return nil, err
	}
	return secure, nil
}

// write sends what is queued, several frames at a time, and a ping where nothing is.
func (l *link) write(ctx context.Context, conn net.Conn) error {
	limits := l.mesh.config.Limits
	ping := time.NewTicker(limits.Keepalive)
	defer ping.Stop()
	quiet := true
	batch := make([][]byte, 0, batchFrames)
	for {
		batch = batch[:0]
		select {
		case <-ctx.Done():
			return net.ErrClosed
		case <-ping.C:
			if !quiet {
				quiet = true
				continue
			}
			batch = append(batch, pingFrame)
		case frame := <-l.queue:
			quiet = false
			batch = l.take(append(batch, frame))
		}
		if err := l.flush(conn, batch); err != nil {
			return err
		}
	}
}

// take adds what else is queued.
func (l *link) take(batch [][]byte) [][]byte {
	for len(batch) < batchFrames {
		select {
		case frame := <-l.queue:
			batch = append(batch, frame)
		default:
			return batch
		}
	}
	return batch
}

func (l *link) flush(conn net.Conn, batch [][]byte) error {
	ping, count := isPing(batch[0]), uint64(len(batch))
	var size int64
	for _, frame := range batch {
		size += int64(len(frame))
	}
	limit := l.mesh.config.Limits.Write + l.mesh.config.Limits.Pace.limit(int(size))
	err := conn.SetWriteDeadline(time.Now().Add(limit))
	if err == nil {
		buffers := net.Buffers(batch) // WriteTo eats the slices in it.
		_, err = buffers.WriteTo(conn)
	}
	if ping {
		return err
	}
	l.bytes.Add(-size)
	if err != nil {
		l.mesh.stats.dropped[DropLost].Add(count)
		return err
	}
	l.mesh.stats.sent.Add(count)
	l.mesh.stats.sentBytes.Add(uint64(size))
	return nil
}

func isPing(frame []byte) bool { return frame[offsetCommand] == commandPing }

// drain forgets what is queued: the protocol sends again what matters.
func (l *link) drain() {
	for {
		select {
		case frame := <-l.queue:
			l.bytes.Add(-int64(len(frame)))
			l.mesh.stats.dropped[DropLost].Add(1)
		default:
			return
		}
	}
}
