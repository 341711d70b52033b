package transport_test

import (
	"context"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/transport"
	"github.com/viewstamp/viewstamp/impl/wire"
)

func TestServerAnswersFramesOfEachSize(t *testing.T) {
	t.Parallel()
	server, address := openServer(t, newEcho(), transport.ServerLimits{})
	conn := dial(t, address)
	for _, body := range []int{0, 1, 1000, 64<<10 - 256, 64 << 10, 1 << 20, 5 << 20} {
		frame := request(body)
		require.Equal(t, frame, exchange(t, conn, frame))
	}
	assert.Equal(t, uint64(7), server.Stats().Requests)
	assert.Zero(t, server.Stats().MemoryBytes, "all memory is given back")
}

// An end in the middle of a frame, at each kind of place, costs that connection alone.
func TestServerSurvivesTruncatedFrames(t *testing.T) {
	t.Parallel()
	session := newEcho()
	server, address := openServer(t, session, transport.ServerLimits{})
	other := dial(t, address)
	frame := request(200_000)
	for _, n := range []int{0, 1, 47, 255, 256, 257, 65_536, len(frame) - 1} {
		conn := dial(t, address)
		_, err := conn.Write(frame[:n])
		require.NoError(t, err)
		require.NoError(t, conn.Close())
		<-session.closed
		require.Equal(t, request(3), exchange(t, other, request(3)))
	}
	assert.Equal(t, uint64(7), server.Stats().Broken, "all but the one that sent nothing")
	assert.Zero(t, server.Stats().MemoryBytes)
}

func TestServerSurvivesRandomBytes(t *testing.T) {
	t.Parallel()
	session := newEcho()
	server, address := openServer(t, session, transport.ServerLimits{FrameBytes: 1 << 20})
	other := dial(t, address)
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		noise := make([]byte, 1+random.IntN(2000))
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		conn := dial(t, address)
		_, err := conn.Write(noise)
		require.NoError(t, err)
		require.NoError(t, conn.(*net.TCPConn).CloseWrite())
		ended(t, conn)
		<-session.closed
	}
	require.Equal(t, request(3), exchange(t, other, request(3)))
	assert.Zero(t, server.Stats().MemoryBytes)
}

// A size above the limit is answered and takes no memory, whatever the header declares.
func TestServerRefusesOversizeDeclarations(t *testing.T) {
	t.Parallel()
	for name, declared := range map[string]uint32{
		"one byte too many":   1<<20 + 1,
		"all that a u32 says": 1<<32 - 1,
		"less than a header":  255,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := newEcho()
			server, address := openServer(t, session, transport.ServerLimits{FrameBytes: 1 << 20})
			conn := dial(t, address)
			header := request(0)
			header[48], header[49] = byte(declared), byte(declared>>8)
			header[50], header[51] = byte(declared>>16), byte(declared>>24)
			answer := exchange(t, conn, header)
			assert.Equal(t, byte(transport.RefusedSize), answer[61])
			require.NoError(t, conn.(*net.TCPConn).CloseWrite())
			ended(t, conn)
			<-session.closed
			assert.Equal(t, uint64(1), server.Stats().Refused[transport.RefusedSize])
		})
	}
}

// Who begins a frame has to go on with it. Nobody else waits for that.
func TestServerEndsSlowSenders(t *testing.T) {
	t.Parallel()
	session := newEcho()
	server, address := openServer(t, session, transport.ServerLimits{
		Pace: transport.Pace{Frame: 50 * time.Millisecond, BytesPerSecond: 1 << 30},
	})
	slow, other := dial(t, address), dial(t, address)
	_, err := slow.Write(request(100)[:300])
	require.NoError(t, err)
	require.Equal(t, request(3), exchange(t, other, request(3)))
	ended(t, slow)
	assert.Equal(t, uint64(1), server.Stats().Broken)
	require.Equal(t, request(3), exchange(t, other, request(3)))
}

func TestServerEndsIdleConnections(t *testing.T) {
	t.Parallel()
	_, address := openServer(t, newEcho(), transport.ServerLimits{
		Pace: transport.Pace{Idle: 20 * time.Millisecond},
	})
	ended(t, dial(t, address))
}

// Declared sizes take no memory, bytes that arrive do, and where there is none left the
// request is refused and the connection goes on.
func TestServerBoundsMemory(t *testing.T) {
	t.Parallel()
	session := newEcho()
	server, address := openServer(t, session, transport.ServerLimits{
		FrameBytes: 8 << 20, MemoryBytes: 1 << 20,
	})
	idle := make([]net.Conn, 15)
	for i := range idle { // 15 frames of 8 MiB are declared, and hold 64 KiB each.
		idle[i] = dial(t, address)
		_, err := idle[i].Write(request(8<<20 - 256)[:1000])
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return server.Stats().MemoryBytes == 15*64<<10 },
		patience, time.Millisecond)
	conn := dial(t, address)
	frame := request(2 << 20)
	_, err := conn.Write(frame)
	require.NoError(t, err)
	answer := make([]byte, wire.HeaderBytes)
	_, err = conn.Read(answer)
	require.NoError(t, err)
	assert.Equal(t, byte(transport.RefusedMemory), answer[61])
	require.Equal(t, request(1000), exchange(t, conn, request(1000)), "a small one fits")
	assert.LessOrEqual(t, server.Stats().MemoryBytes, int64(1<<20))
}

func TestServerHoldsAThousandIdleConnections(t *testing.T) {
	t.Parallel()
	server, address := openServer(t, newEcho(), transport.ServerLimits{Connections: 1001})
	for range 1000 {
		dial(t, address)
	}
	conn := dial(t, address)
	require.Equal(t, request(3), exchange(t, conn, request(3)))
	assert.Equal(t, 1001, server.Stats().Connections)
	assert.Zero(t, server.Stats().MemoryBytes, "idle connections hold no frames")
	ended(t, dial(t, address))
	assert.Equal(t, uint64(1), server.Stats().TurnedAway)
	require.Equal(t, request(3), exchange(t, conn, request(3)))
}

// stubborn holds each request until it is told to answer.
type stubborn struct{ entered, release chan struct{} }

func (s *stubborn) Serve(ctx context.Context, frame []byte) ([]byte, error) {
	s.entered <- struct{}{}
	select {
	case <-s.release:
	case <-ctx.Done():
	}
	return frame, nil
}
func (s *stubborn) Refuse([]byte, transport.Refusal) []byte { return nil }
func (s *stubborn) Close()                                  {}

// Shutting down answers what is under way and ends what waits.
func TestServerShutsDownGracefully(t *testing.T) {
	t.Parallel()
	session := &stubborn{entered: make(chan struct{}), release: make(chan struct{})}
	server, address := openServer(t, session, transport.ServerLimits{})
	idle, busy := dial(t, address), dial(t, address)
	_, err := busy.Write(request(7))
	require.NoError(t, err)
	<-session.entered
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	down := make(chan error)
	go func() { down <- server.Shutdown(ctx) }()
	ended(t, idle)
	close(session.release)
	answer := make([]byte, len(request(7)))
	_, err = busy.Read(answer)
	require.NoError(t, err)
	assert.Equal(t, request(7), answer)
	ended(t, busy)
	require.NoError(t, <-down)
	_, err = net.Dial("tcp", address)
	assert.Error(t, err, "nobody listens any more")
}

// A request that is never answered does not keep the process alive beyond the limit.
func TestServerShutdownIsBounded(t *testing.T) {
	t.Parallel()
	session := &stubborn{entered: make(chan struct{}), release: make(chan struct{})}
	server, address := openServer(t, session, transport.ServerLimits{})
	busy := dial(t, address)
	_, err := busy.Write(request(7))
	require.NoError(t, err)
	<-session.entered
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	require.NoError(t, server.Shutdown(ctx))
}
