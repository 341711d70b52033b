package node_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// Whatever comes to its sockets, from hundreds at once, the process stays up, its memory stays
// bounded, and a client that means well is served meanwhile.
func TestProcessStandsHostileSockets(t *testing.T) {
	t.Parallel()
	p := newProcesses(t, 1)
	p.startAll()
	c := newTester(p.clients, rootPassword)
	require.NoError(t, c.createTopic("s", 1, "replicated"))
	before := p.memory(0)
	h := &hostile{addresses: []string{p.clients[0], p.meshes[0]}, ended: make(chan struct{})}
	for i := range 1000 {
		h.idle(t, i)
	}
	for i := range uint64(6) {
		for kind, attack := range []func(*rand.Rand, net.Conn){
			h.noise, h.halfFrame, h.hugeFrame, h.slow, h.mutated,
		} {
			h.run(rand.New(rand.NewPCG(uint64(kind), i)), attack) // One source for each.
		}
	}
	slowest := time.Duration(0)
	sent := 0
	for until := time.Now().Add(700 * time.Millisecond); time.Now().Before(until); sent++ {
		began := time.Now()
		_, err := c.send("s", 0, fmt.Sprint(sent))
		require.NoError(t, err)
		slowest = max(slowest, time.Since(began))
		pause(10 * time.Millisecond)
	}
	code, _ := p.get(0, "/livez")
	assert.Equal(t, 200, code)
	grown := p.memory(0) - before
	close(h.ended)
	h.attackers.Wait()
	for _, conn := range h.idlers {
		_ = conn.Close()
	}
	assert.Less(t, slowest, 5*time.Second)
	assert.Less(t, grown, float64(200<<20), "bytes of memory more")
	messages, err := c.pollStrictly("s", 0, 1000)
	require.NoError(t, err)
	assert.Len(t, messages, sent)
	t.Logf("slowest request %s, %.0f MiB of memory more, %d attacks", slowest, grown/(1<<20), h.count)
}

// memory is what the process has resident, in bytes.
func (p *processes) memory(i int) float64 {
	p.t.Helper()
	_, body := p.get(i, "/metrics")
	found := regexp.MustCompile(`(?m)^process_resident_memory_bytes (\S+)$`).FindStringSubmatch(body)
	require.NotNil(p.t, found)
	bytes, err := strconv.ParseFloat(found[1], 64)
	require.NoError(p.t, err)
	return bytes
}

// hostile are clients that mean no good.
type hostile struct {
	addresses []string
	ended     chan struct{}
	attackers sync.WaitGroup
	idlers    []net.Conn
	mu        sync.Mutex
	count     int
}

// idle connects and says nothing.
func (h *hostile) idle(t *testing.T, i int) {
	t.Helper()
	conn, err := net.Dial("tcp", h.addresses[min(i%50, 1)])
	require.NoError(t, err)
	h.idlers = append(h.idlers, conn)
}

// run attacks one connection after the other.
func (h *hostile) run(random *rand.Rand, attack func(*rand.Rand, net.Conn)) {
	h.attackers.Go(func() {
		for {
			select {
			case <-h.ended:
				return
			default:
			}
			conn, err := net.DialTimeout("tcp", h.addresses[random.IntN(2)], time.Second)
			if err != nil {
				continue
			}
			_ = conn.SetDeadline(time.Now().Add(time.Second))
			attack(random, conn)
			_ = conn.Close()
			h.mu.Lock()
			h.count++
			h.mu.Unlock()
			pause(10 * time.Millisecond)
		}
	})
}

func drawBytes(random *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// write sends bytes; that the other end does not take them is its right.
func write(conn net.Conn, b []byte) { _, _ = conn.Write(b) }

func (h *hostile) noise(random *rand.Rand, conn net.Conn) {
	write(conn, drawBytes(random, random.IntN(8<<10)))
}

// login is the frame of a login that fails, or does not get so far.
func (h *hostile) login(random *rand.Rand) []byte {
	return wire.AppendClientRequest(nil, &wire.Request{
		Client: wire.ClientID{Lo: random.Uint64() | 1}, Operation: wire.OperationRegister,
		Body: protocol.MustAppend(nil, &protocol.Login{
			Version: protocol.Version{
				Protocol: protocol.ProtocolVersion, Library: "none", Release: "0",
			},
			User: "nobody", Password: "nothing",
		}),
	})
}

func (h *hostile) halfFrame(random *rand.Rand, conn net.Conn) {
	frame := h.login(random)
	write(conn, frame[:random.IntN(len(frame))])
}

// hugeFrame announces much and sends little.
func (h *hostile) hugeFrame(random *rand.Rand, conn net.Conn) {
	frame := h.login(random)
	binary.LittleEndian.PutUint32(frame[48:], random.Uint32()|1<<22)
	write(conn, frame)
	_, _ = conn.Read(make([]byte, 1)) // It waits for an answer, or for the end.
}

func (h *hostile) slow(random *rand.Rand, conn net.Conn) {
	for _, b := range h.login(random) {
		if _, err := conn.Write([]byte{b}); err != nil {
			return
		}
		select {
		case <-h.ended:
			return
		default:
			pause(20 * time.Millisecond)
		}
	}
}

func (h *hostile) mutated(random *rand.Rand, conn net.Conn) {
	frame := h.login(random)
	for range 1 + random.IntN(8) {
		at := random.IntN(len(frame))
		if at < 48 || at >= 52 { // The size stays: the rest is read.
			frame[at] = byte(random.Uint32())
		}
	}
	write(conn, frame)
	_, _ = conn.Read(make([]byte, wire.HeaderBytes))
}
