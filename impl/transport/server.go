package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// Session serves one client's connection. Its methods are called one at a time.
type Session interface {
	// Serve answers one frame; a nil reply is none. The frame's memory is the session's until
	// Serve returns. After an error the reply is sent and the connection closed.
	Serve(ctx context.Context, frame []byte) (reply []byte, err error)
	// Refuse answers a frame of which only the header was taken.
	Refuse(header []byte, why Refusal) []byte
	// Close says that the connection has ended.
	Close()
}

// Refusal says why a client's frame was not taken.
type Refusal uint8

// The reasons.
const (
	// RefusedSize: the frame is larger than a client's may be. The connection ends.
	RefusedSize Refusal = iota + 1
	// RefusedMemory: there is no room for it now. The connection goes on.
	RefusedMemory
)

// String returns the name in snake_case, fit for a metric's label.
func (r Refusal) String() string {
	switch r {
	case RefusedSize:
		return "size"
	case RefusedMemory:
		return "memory"
	}
	return fmt.Sprintf("refusal(%d)", uint8(r))
}

// ServerConfig says who serves clients, and what each may cost.
type ServerConfig struct {
	// Listener is where clients connect. The server closes it.
	Listener net.Listener
	// TLS wraps the connections, if it is set.
	TLS *tls.Config
	// Open makes the session of a new connection.
	Open   func(remote net.Addr) Session
	Log    *slog.Logger
	Limits ServerLimits
}

// ServerLimits bound what clients may cost. Zero fields stand for the defaults.
type ServerLimits struct {
	// Connections bounds how many there are at once; further ones are closed unread.
	Connections int
	// FrameBytes is the largest frame.
	FrameBytes int
	// MemoryBytes bounds the frames that are being read or served, all together.
	MemoryBytes int64
	// Handshake bounds that of TLS, Write the writing of a reply.
	Handshake, Write time.Duration
	// Pace is how slowly frames may come, and how long a client may say nothing.
	Pace Pace
}

func (l ServerLimits) withDefaults() ServerLimits {
	orElse(&l.Connections, 10_000)
	orElse(&l.FrameBytes, 16<<20)
	orElse(&l.MemoryBytes, 512<<20)
	orElse(&l.Handshake, 10*time.Second)
	orElse(&l.Write, 10*time.Second)
	orElse(&l.Pace.Idle, 10*time.Minute)
	orElse(&l.Pace.Frame, 10*time.Second)
	orElse(&l.Pace.BytesPerSecond, 64<<10)
	return l
}

// Server accepts clients. Its methods may be used from several goroutines.
type Server struct {
	config   ServerConfig
	budget   *Budget
	running  sync.WaitGroup
	done     context.Context
	stop     context.CancelFunc
	draining atomic.Bool
	stats    serverCounters

	mu    sync.Mutex
	conns map[*clientConn]struct{}
}

type serverCounters struct {
	accepted, turnedAway, requests, replies, tooLarge, noMemory atomic.Uint64
	broken                                                      atomic.Uint64
}

// ServerStats are counts since the start, and what is the case now.
type ServerStats struct {
	Accepted, Requests, Replies uint64
	// TurnedAway are connections beyond the limit.
	TurnedAway uint64
	// Refused counts requests by reason.
	Refused map[Refusal]uint64
	// Broken are connections that ended within a frame, or were too slow.
	Broken uint64
	// Connections and MemoryBytes are those of now.
	Connections int
	MemoryBytes int64
}

// OpenServer starts to accept.
func OpenServer(config ServerConfig) (*Server, error) {
	if config.Listener == nil || config.Open == nil || config.Log == nil {
		return nil, errors.New("open server: expected a listener, sessions and a log")
	}
	config.Limits = config.Limits.withDefaults()
	if config.Limits.FrameBytes < wire.HeaderBytes || config.Limits.FrameBytes > wire.MaxFrameBytes {
		return nil, fmt.Errorf("open server: frames of %d bytes, expected %d to %d",
			config.Limits.FrameBytes, wire.HeaderBytes, wire.MaxFrameBytes)
	}
	done, stop := context.WithCancel(context.Background())
	s := &Server{
		config: config, budget: NewBudget(config.Limits.MemoryBytes), done: done, stop: stop,
		conns: map[*clientConn]struct{}{},
	}
	s.running.Go(s.listen)
	return s, nil
}

func (s *Server) listen() {
	pause := Backoff{First: time.Millisecond, Most: time.Second}
	for {
		conn, err := s.config.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // Out of descriptors, say: it may pass.
			s.config.Log.Warn("accept client", "reason", err)
			if !wait(s.done, pause.Next()) {
				return
			}
			continue
		}
		pause.Reset()
		if c := s.admit(conn); c != nil {
			s.running.Go(c.run)
		}
	}
}

// admit counts a connection in, or closes it where there are too many.
func (s *Server) admit(conn net.Conn) *clientConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= s.config.Limits.Connections || s.draining.Load() {
		s.stats.turnedAway.Add(1)
		_ = conn.Close() // It was never used.
		return nil
	}
	s.stats.accepted.Add(1)
	c := &clientConn{server: s, conn: conn}
	s.conns[c] = struct{}{}
	return c
}

func (s *Server) forget(c *clientConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// GiveUp ends the context of all requests, those under way and those that come: each is answered
// with what can be said of it.
func (s *Server) GiveUp() { s.stop() }

// Shutdown accepts nobody any more, closes the connections that wait for a request, and waits
// until the requests under way are answered, or until the context is done: then it closes all.
func (s *Server) Shutdown(ctx context.Context) error {
	s.draining.Store(true)
	err := s.config.Listener.Close()
	s.mu.Lock()
	for c := range s.conns {
		c.wake()
	}
	s.mu.Unlock()
	answered := make(chan struct{})
	go func() {
		s.running.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-ctx.Done():
		s.stop()
		s.mu.Lock()
		for c := range s.conns {
			_ = c.conn.Close() // Its goroutine ends.
		}
		s.mu.Unlock()
		<-answered
	}
	s.stop()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Stats returns the counts.
func (s *Server) Stats() ServerStats {
	s.mu.Lock()
	connections := len(s.conns)
	s.mu.Unlock()
	return ServerStats{
		Accepted: s.stats.accepted.Load(), Requests: s.stats.requests.Load(),
		Replies: s.stats.replies.Load(), TurnedAway: s.stats.turnedAway.Load(),
		Refused: map[Refusal]uint64{
			RefusedSize: s.stats.tooLarge.Load(), RefusedMemory: s.stats.noMemory.Load(),
		},
		Broken: s.stats.broken.Load(), Connections: connections, MemoryBytes: s.budget.Used(),
	}
}
