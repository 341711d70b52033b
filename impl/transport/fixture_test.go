package transport_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/transport"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// patience bounds every wait of these tests. It is reached by failures only.
const patience = 10 * time.Second

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() }) // Mostly closed by its owner before.
	return l
}

// echo answers each frame with itself, and notes what happens to it.
type echo struct {
	refused chan transport.Refusal
	closed  chan struct{}
}

func newEcho() *echo {
	return &echo{refused: make(chan transport.Refusal, 64), closed: make(chan struct{}, 2048)}
}

func (e *echo) Serve(_ context.Context, frame []byte) ([]byte, error) { return frame, nil }
func (e *echo) Refuse(header []byte, why transport.Refusal) []byte {
	e.refused <- why
	answer := append([]byte(nil), header...)
	answer[48], answer[49], answer[50], answer[51] = 0, 1, 0, 0
	answer[61] = byte(why)
	return answer
}
func (e *echo) Close() { e.closed <- struct{}{} }

func openServer(
	t *testing.T, session transport.Session, limits transport.ServerLimits,
) (*transport.Server, string) {
	t.Helper()
	listener := listen(t)
	server, err := transport.OpenServer(transport.ServerConfig{
		Listener: listener, Open: func(net.Addr) transport.Session { return session },
		Log: quiet(), Limits: limits,
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = server.Shutdown(ctx) // A test of its own looks at the result.
	})
	return server, listener.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn
}

// request is a frame as a client sends it.
func request(body int) []byte {
	return wire.Encode(&wire.Request{
		Client: wire.ClientID{Lo: 1}, Session: 1, Number: 1, Operation: 240, Body: make([]byte, body),
	})
}

// exchange sends a frame and reads one of the same size.
func exchange(t *testing.T, conn net.Conn, frame []byte) []byte {
	t.Helper()
	_, err := conn.Write(frame)
	require.NoError(t, err)
	answer := make([]byte, len(frame))
	_, err = io.ReadFull(conn, answer)
	require.NoError(t, err)
	return answer
}

// ended waits until the other end has closed a connection.
func ended(t *testing.T, conn net.Conn) {
	t.Helper()
	_, err := io.Copy(io.Discard, conn)
	var timeout net.Error
	if err != nil {
		require.ErrorAs(t, err, &timeout)
		require.False(t, timeout.Timeout(), "the connection is still open")
	}
}
