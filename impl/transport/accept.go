package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/viewstamp/viewstamp/impl/wire"
)

// listen accepts until the mesh closes.
func (m *Mesh) listen() {
	pause := Backoff{First: time.Millisecond, Most: time.Second}
	for {
		conn, err := m.config.Listener.Accept()
		if errors.Is(err, net.ErrClosed) || m.done.Err() != nil {
			if conn != nil {
				_ = conn.Close() // The mesh is closing.
			}
			return
		}
		if err != nil { // Out of descriptors, say: it may pass.
			m.config.Log.Warn("accept replica", "reason", err)
			if !wait(m.done, pause.Next()) {
				return
			}
			continue
		}
		pause.Reset()
		select {
		case m.pending <- struct{}{}:
			m.running.Go(func() { m.receive(conn) })
		default: // Strangers hold all places: the next one must knock again.
			m.stats.handshakes.Add(1)
			_ = conn.Close()
		}
	}
}

// receive reads from one connection until its end.
func (m *Mesh) receive(conn net.Conn) {
	defer context.AfterFunc(m.done, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	if m.config.ServerTLS != nil {
		conn = tls.Server(conn, m.config.ServerTLS)
	}
	from, err := m.self.accept(conn, m.config.Limits.Handshake)
	<-m.pending
	if err != nil {
		m.stats.handshakes.Add(1)
		m.config.Log.Warn("connection refused", "address", conn.RemoteAddr().String(), "reason", err)
		return
	}
	m.stats.accepted.Add(1)
	m.replace(from, conn)
	err = m.read(from, conn)
	m.config.Log.Debug("connection from replica ended", "replica", from, "reason", err)
	m.mu.Lock()
	if m.accepted[from] == conn {
		delete(m.accepted, from)
	}
	m.mu.Unlock()
}

// replace makes a connection the one of its replica: a process that comes back has forgotten
// the one before.
func (m *Mesh) replace(from wire.ReplicaID, conn net.Conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old := m.accepted[from]; old != nil {
		_ = old.Close() // Its reader ends.
	}
	m.accepted[from] = conn
}

// read delivers frames until the connection ends or says what cannot be.
func (m *Mesh) read(from wire.ReplicaID, conn net.Conn) error {
	reader := frameReader{
		conn: conn, pace: m.config.Limits.Pace, maxBytes: m.config.Limits.FrameBytes,
	}
	for {
		frame, _, err := reader.next()
		if err != nil {
			return err
		}
		if isPing(frame) {
			continue
		}
		m.stats.received.Add(1)
		m.stats.receivedBytes.Add(uint64(len(frame)))
		message, err := wire.Decode(frame)
		if err != nil {
			m.stats.refused.Add(1)
			m.config.Log.Warn("frame refused", "replica", from, "reason", err)
			var refused *wire.FrameError
			if errors.As(err, &refused) && refused.Reason == wire.ReasonCommand {
				continue // A newer program may know more commands.
			}
			return err
		}
		if !mayCarry(from, message) {
			m.stats.refused.Add(1)
			m.config.Log.Warn("frame refused", "replica", from, "reason", "another sender",
				"command", message.Command().String(), "sender", message.From())
			continue
		}
		m.config.Receive(from, message)
	}
}

// mayCarry says whether a message can come from a replica. A prepare names the primary of its
// op; requests and replies are the clients', and replicas hand them on (R20).
func mayCarry(from wire.ReplicaID, message wire.Message) bool {
	command := message.Command()
	return message.From() == from || command == wire.CommandPrepare ||
		command == wire.CommandRequest || command == wire.CommandReply
}
