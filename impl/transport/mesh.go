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

// MeshConfig says who a process is among the replicas, and how much it bears.
type MeshConfig struct {
	Cluster wire.ClusterID
	Replica wire.ReplicaID
	// Addresses are those that each replica listens at for the others, by replica; the own
	// one is not dialed.
	Addresses []string
	// Listener is where the others reach this process. The mesh closes it.
	Listener net.Listener
	// Key is the secret of the cluster. Without one anybody who reaches the listener can
	// speak for a replica, unless TLS asks for certificates.
	Key []byte
	// ServerTLS and ClientTLS wrap the connections, if they are set: both or neither.
	ServerTLS, ClientTLS *tls.Config
	// Receive is called for each message, on the goroutine of its connection: while it does
	// not return, nothing more is read from that replica. The message's From is the
	// replica from, but in a prepare, which names the primary of its op, and in requests and
	// replies, which replicas hand on for clients.
	Receive func(from wire.ReplicaID, m wire.Message)
	Log     *slog.Logger
	Limits  MeshLimits
}

// MeshLimits bound what one peer may cost. Zero fields stand for the defaults.
type MeshLimits struct {
	// QueueFrames and QueueBytes bound what waits to be written to one peer. One frame
	// always fits, whatever its size.
	QueueFrames int
	QueueBytes  int64
	// FrameBytes is the largest frame.
	FrameBytes int
	// Handshake, Write and Keepalive: how long a handshake may take, how long one write,
	// and how often something is sent where there is nothing to say. A peer that has been
	// silent for three keepalives is taken to be gone.
	Handshake, Write, Keepalive time.Duration
	// Pace is how slowly frames may come. Its Idle is three keepalives.
	Pace Pace
	// Retry is the first and the longest pause between two attempts to connect.
	Retry Backoff
	// Pending bounds the connections whose ends have not shown who they are.
	Pending int
}

func (l MeshLimits) withDefaults() MeshLimits {
	orElse(&l.QueueFrames, 4096)
	orElse(&l.QueueBytes, 256<<20)
	orElse(&l.FrameBytes, wire.MaxFrameBytes)
	orElse(&l.Handshake, 5*time.Second)
	orElse(&l.Write, 10*time.Second)
	orElse(&l.Keepalive, 5*time.Second)
	orElse(&l.Pace.Frame, 10*time.Second)
	orElse(&l.Pace.BytesPerSecond, 1<<20)
	orElse(&l.Retry.First, 50*time.Millisecond)
	orElse(&l.Retry.Most, 2*time.Second)
	orElse(&l.Pending, 64)
	l.Pace.Idle = 3 * l.Keepalive
	return l
}

// orElse sets what is zero to its default.
func orElse[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Mesh connects a process to the others of its cluster. Its methods may be used from several
// goroutines.
type Mesh struct {
	config MeshConfig
	self   identity
	links  []*link // by replica; the own one is nil
	stats  meshCounters

	stop    context.CancelFunc
	done    context.Context
	running sync.WaitGroup
	pending chan struct{} // a token for each handshake under way

	mu       sync.Mutex
	accepted map[wire.ReplicaID]net.Conn // the newest of each
}

// OpenMesh starts to listen and to dial. Receive may be called before it returns.
//
// Errors: a configuration that cannot be. The listener is left open then.
func OpenMesh(config MeshConfig) (*Mesh, error) {
	count := len(config.Addresses)
	switch {
	case count < 1 || count >= int(wire.NoReplica):
		return nil, fmt.Errorf("open mesh: %d addresses, expected 1 to 254", count)
	case int(config.Replica) >= count:
		return nil, fmt.Errorf("open mesh: replica %d, expected 0 to %d", config.Replica, count-1)
	case config.Listener == nil || config.Receive == nil || config.Log == nil:
		return nil, errors.New("open mesh: expected a listener, a receiver and a log")
	case (config.ServerTLS == nil) != (config.ClientTLS == nil):
		return nil, errors.New("open mesh: TLS for one direction, expected both or neither")
	}
	config.Limits = config.Limits.withDefaults()
	done, stop := context.WithCancel(context.Background())
	m := &Mesh{
		config: config, done: done, stop: stop,
		self: identity{
			cluster: config.Cluster, replica: config.Replica, count: count, key: config.Key,
		},
		links:    make([]*link, count),
		pending:  make(chan struct{}, config.Limits.Pending),
		accepted: make(map[wire.ReplicaID]net.Conn),
	}
	for r := range count {
		if wire.ReplicaID(r) == config.Replica {
			continue
		}
		m.links[r] = newLink(m, wire.ReplicaID(r), config.Addresses[r])
		m.running.Go(m.links[r].run)
	}
	m.running.Go(m.listen)
	return m, nil
}

// Send queues a frame for a replica and returns at once. It reports whether the frame was
// queued; it may be lost even so. The frame must not change afterwards.
func (m *Mesh) Send(to wire.ReplicaID, frame []byte) bool {
	if int(to) >= len(m.links) || m.links[to] == nil {
		m.stats.dropped[DropUnknown].Add(1)
		return false
	}
	return m.links[to].send(frame)
}

// Connected reports whether frames to a replica are being written. The own replica is.
func (m *Mesh) Connected(to wire.ReplicaID) bool {
	if int(to) >= len(m.links) {
		return false
	}
	return m.links[to] == nil || m.links[to].connected.Load()
}

// Close ends all connections and waits for their goroutines.
func (m *Mesh) Close() error {
	m.stop()
	err := m.config.Listener.Close()
	m.mu.Lock()
	for _, conn := range m.accepted {
		_ = conn.Close() // Its reader ends either way.
	}
	m.mu.Unlock()
	m.running.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Drop says why a frame was not queued.
type Drop uint8

// The reasons.
const (
	// DropUnknown: no such replica.
	DropUnknown Drop = iota + 1
	// DropDisconnected: nothing is kept for a peer that is away.
	DropDisconnected
	// DropFull: the peer's queue has reached its limit of frames or bytes.
	DropFull
	// DropLost: it was queued when the connection broke.
	DropLost
	dropEnd
)

var dropNames = [...]string{
	DropUnknown: "unknown", DropDisconnected: "disconnected", DropFull: "full", DropLost: "lost",
}

// String returns the name in snake_case, fit for a metric's label.
func (d Drop) String() string {
	if d == 0 || int(d) >= len(dropNames) {
		return fmt.Sprintf("drop(%d)", uint8(d))
	}
	return dropNames[d]
}

// meshCounters count for [Mesh.Stats].
type meshCounters struct {
	sent, sentBytes, received, receivedBytes atomic.Uint64
	dialed, accepted, handshakes, refused    atomic.Uint64
	dropped                                  [dropEnd]atomic.Uint64
}

// MeshStats are counts since the start.
type MeshStats struct {
	Sent, SentBytes, Received, ReceivedBytes uint64
	// Dialed and Accepted are connections whose handshake has succeeded.
	Dialed, Accepted uint64
	// HandshakesFailed are those whose ends did not belong together, or took too long.
	HandshakesFailed uint64
	// Refused are frames that could not be what they claimed.
	Refused uint64
	// Dropped counts frames that were not sent, by reason.
	Dropped map[Drop]uint64
}

// Stats returns the counts.
func (m *Mesh) Stats() MeshStats {
	s := MeshStats{
		Sent: m.stats.sent.Load(), SentBytes: m.stats.sentBytes.Load(),
		Received: m.stats.received.Load(), ReceivedBytes: m.stats.receivedBytes.Load(),
		Dialed: m.stats.dialed.Load(), Accepted: m.stats.accepted.Load(),
		HandshakesFailed: m.stats.handshakes.Load(), Refused: m.stats.refused.Load(),
		Dropped: make(map[Drop]uint64),
	}
	for d := DropUnknown; d < dropEnd; d++ {
		s.Dropped[d] = m.stats.dropped[d].Load()
	}
	return s
}
