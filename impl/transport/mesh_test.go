package transport_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/viewstamp/viewstamp/impl/transport"
	"github.com/viewstamp/viewstamp/impl/wire"
)

var cluster = wire.ClusterIDOf("mesh")

// arrival is a message and who brought it.
type arrival struct {
	from wire.ReplicaID
	m    wire.Message
}

// peer is a mesh and what arrives at it.
type peer struct {
	*transport.Mesh
	address  string
	arrivals chan arrival
}

// openPeers opens n meshes that know one another; change may alter the configuration of each.
func openPeers(t *testing.T, n int, change func(int, *transport.MeshConfig)) []*peer {
	t.Helper()
	listeners := make([]net.Listener, n)
	addresses := make([]string, n)
	for i := range n {
		listeners[i] = listen(t)
		addresses[i] = listeners[i].Addr().String()
	}
	peers := make([]*peer, n)
	for i := range n {
		config := transport.MeshConfig{
			Cluster: cluster, Replica: wire.ReplicaID(i), Addresses: addresses,
			Listener: listeners[i], Key: []byte("secret"),
		}
		if change != nil {
			change(i, &config)
		}
		peers[i] = openPeer(t, config)
	}
	return peers
}

func openPeer(t *testing.T, config transport.MeshConfig) *peer {
	t.Helper()
	p := &peer{
		address: config.Listener.Addr().String(), arrivals: make(chan arrival, 10_000),
	}
	if config.Receive == nil {
		config.Receive = func(from wire.ReplicaID, m wire.Message) { p.arrivals <- arrival{from, m} }
	}
	config.Log = quiet()
	config.Limits.Retry = transport.Backoff{First: time.Millisecond, Most: 20 * time.Millisecond}
	mesh, err := transport.OpenMesh(config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = mesh.Close() }) // A test of its own looks at the result.
	p.Mesh = mesh
	return p
}

func (p *peer) await(t *testing.T, to wire.ReplicaID) {
	t.Helper()
	require.Eventually(t, func() bool { return p.Connected(to) }, patience, time.Millisecond)
}

func (p *peer) next(t *testing.T) arrival {
	t.Helper()
	select {
	case a := <-p.arrivals:
		return a
	case <-time.After(patience):
		require.FailNow(t, "nothing arrived")
		return arrival{}
	}
}

func commit(from wire.ReplicaID, op wire.Op) *wire.Commit {
	return &wire.Commit{Cluster: cluster, Replica: from, Commit: op}
}

func TestMeshConnectsAllReplicas(t *testing.T) {
	t.Parallel()
	peers := openPeers(t, 3, nil)
	for i, p := range peers {
		for j := range peers {
			p.await(t, wire.ReplicaID(j))
			if i == j {
				continue
			}
			require.True(t, p.Send(wire.ReplicaID(j), wire.Encode(commit(wire.ReplicaID(i), 7))))
			got := peers[j].next(t)
			assert.Equal(t, arrival{wire.ReplicaID(i), commit(wire.ReplicaID(i), 7)}, got)
		}
	}
	assert.False(t, peers[0].Send(3, nil), "there is no such replica")
	assert.False(t, peers[0].Send(0, nil), "nobody sends to itself")
	require.NoError(t, peers[0].Close())
}

// Frames keep their order, whatever their sizes.
func TestMeshKeepsOrder(t *testing.T) {
	t.Parallel()
	peers := openPeers(t, 2, nil)
	peers[0].await(t, 1)
	for n := range wire.RequestNumber(500) {
		frame := wire.Encode(&wire.Request{
			Client: wire.ClientID{Lo: 1}, Session: 1, Number: n + 1, Operation: 240,
			Body: make([]byte, int(n*n)),
		})
		require.Eventually(t, func() bool { return peers[0].Send(1, frame) },
			patience, time.Millisecond)
	}
	for n := range wire.RequestNumber(500) {
		got := peers[1].next(t)
		require.Equal(t, n+1, got.m.(*wire.Request).Number)
	}
}

// A replica that comes back, at the same address, is found again.
func TestMeshReconnects(t *testing.T) {
	t.Parallel()
	var configs [2]transport.MeshConfig
	peers := openPeers(t, 2, func(i int, c *transport.MeshConfig) { configs[i] = *c })
	peers[0].await(t, 1)
	require.NoError(t, peers[1].Close())
	require.Eventually(t, func() bool { return !peers[0].Connected(1) }, patience, time.Millisecond)
	assert.False(t, peers[0].Send(1, wire.Encode(commit(0, 1))))
	assert.Equal(t, uint64(1), peers[0].Stats().Dropped[transport.DropDisconnected])
	again := configs[1]
	listener, err := net.Listen("tcp", configs[1].Addresses[1])
	require.NoError(t, err)
	again.Listener = listener
	back := openPeer(t, again)
	peers[0].await(t, 1)
	require.True(t, peers[0].Send(1, wire.Encode(commit(0, 2))))
	assert.Equal(t, arrival{0, commit(0, 2)}, back.next(t))
}

// Who does not belong here hears why and delivers nothing.
func TestMeshRefusesStrangers(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*transport.MeshConfig){
		"another key":     func(c *transport.MeshConfig) { c.Key = []byte("guess") },
		"no key":          func(c *transport.MeshConfig) { c.Key = nil },
		"another cluster": func(c *transport.MeshConfig) { c.Cluster = wire.ClusterIDOf("foreign") },
		"another count": func(c *transport.MeshConfig) {
			c.Addresses = append(c.Addresses[:2:2], "127.0.0.1:1")
		},
		"addresses swapped": func(c *transport.MeshConfig) {
			c.Replica = 0
			c.Addresses = []string{c.Addresses[1], c.Addresses[0]}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peers := openPeers(t, 2, func(i int, c *transport.MeshConfig) {
				if i == 1 {
					change(c)
				}
			})
			for _, p := range peers {
				require.Eventually(t, func() bool { return p.Stats().HandshakesFailed > 1 },
					patience, time.Millisecond)
				assert.Zero(t, p.Stats().Dialed)
				assert.Zero(t, p.Stats().Accepted)
			}
		})
	}
}

// What a handshake was can be said again, but it proves nothing: the listener's nonce is new.
func TestMeshRefusesAReplayedHandshake(t *testing.T) {
	t.Parallel()
	peers := openPeers(t, 2, nil)
	// A relay between replica 0 and replica 1 that keeps what the dialer says.
	relay := listen(t)
	taken := make(chan []byte, 1)
	go func() {
		dialer, err := relay.Accept()
		if err != nil {
			return
		}
		defer func() { _ = dialer.Close() }()
		said, err := relayHandshake(dialer, peers[1].address)
		assert.NoError(t, err)
		taken <- said
	}()
	spy := listen(t)
	openPeer(t, transport.MeshConfig{
		Cluster: cluster, Replica: 0, Key: []byte("secret"), Listener: spy,
		Addresses: []string{spy.Addr().String(), relay.Addr().String()},
	})
	said := <-taken
	require.Len(t, said, 96)
	before := peers[1].Stats()
	conn := dial(t, peers[1].address)
	_, err := conn.Write(said)
	require.NoError(t, err)
	ended(t, conn)
	require.Eventually(t, func() bool {
		return peers[1].Stats().HandshakesFailed > before.HandshakesFailed
	}, patience, time.Millisecond)
}

// relayHandshake carries a handshake between a dialer and an address, and returns what the
// dialer said.
func relayHandshake(dialer net.Conn, address string) ([]byte, error) {
	listener, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = listener.Close() }()
	hello, answer, proof := make([]byte, 64), make([]byte, 97), make([]byte, 32)
	if _, err := io.ReadFull(dialer, hello); err != nil {
		return nil, err
	}
	if _, err := listener.Write(hello); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(listener, answer); err != nil {
		return nil, err
	}
	if _, err := dialer.Write(answer); err != nil {
		return nil, err
	}
	_, err = io.ReadFull(dialer, proof)
	return append(hello, proof...), err
}

// A frame names its sender, and the connection says who may.
func TestMeshRefusesOtherSenders(t *testing.T) {
	t.Parallel()
	peers := openPeers(t, 3, nil)
	peers[0].await(t, 1)
	require.True(t, peers[0].Send(1, wire.Encode(commit(2, 7))))
	require.True(t, peers[0].Send(1, wire.Encode(commit(0, 8))))
	assert.Equal(t, arrival{0, commit(0, 8)}, peers[1].next(t))
	assert.Equal(t, uint64(1), peers[1].Stats().Refused)
}

// A damaged frame ends the connection; the next one is as good as new.
func TestMeshRefusesDamagedFrames(t *testing.T) {
	t.Parallel()
	peers := openPeers(t, 2, nil)
	peers[0].await(t, 1)
	damaged := wire.Encode(commit(0, 7))
	damaged[200] ^= 1
	require.True(t, peers[0].Send(1, damaged))
	require.Eventually(t, func() bool { return peers[0].Stats().Dialed == 2 },
		patience, time.Millisecond)
	peers[0].await(t, 1)
	require.True(t, peers[0].Send(1, wire.Encode(commit(0, 8))))
	assert.Equal(t, arrival{0, commit(0, 8)}, peers[1].next(t))
}

// A replica that does not read cannot hold up who sends to it, nor take its memory.
func TestMeshDropsWhatASlowPeerCannotTake(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	peers := openPeers(t, 3, func(i int, c *transport.MeshConfig) {
		c.Limits.QueueFrames, c.Limits.QueueBytes = 100, 8<<20
		if i == 1 {
			c.Receive = func(wire.ReplicaID, wire.Message) { <-stuck }
		}
	})
	defer close(stuck)
	peers[0].await(t, 1)
	peers[0].await(t, 2)
	frame := request(1 << 20)
	for range 64 { // 64 MiB: more than the queue and the sockets' buffers hold.
		peers[0].Send(1, frame)
	}
	assert.NotZero(t, peers[0].Stats().Dropped[transport.DropFull])
	require.True(t, peers[0].Send(2, wire.Encode(commit(0, 9))))
	assert.Equal(t, arrival{0, commit(0, 9)}, peers[2].next(t))
}

func TestMeshGoesThroughTLS(t *testing.T) {
	t.Parallel()
	certificate, pool := selfSigned(t)
	peers := openPeers(t, 2, func(_ int, c *transport.MeshConfig) {
		c.ServerTLS = &tls.Config{
			Certificates: []tls.Certificate{certificate}, ClientCAs: pool,
			ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13,
		}
		c.ClientTLS = &tls.Config{
			Certificates: []tls.Certificate{certificate}, RootCAs: pool, MinVersion: tls.VersionTLS13,
		}
	})
	peers[0].await(t, 1)
	require.True(t, peers[0].Send(1, wire.Encode(commit(0, 8))))
	assert.Equal(t, arrival{0, commit(0, 8)}, peers[1].next(t))
	// Without a certificate there is no handshake of ours.
	conn := tls.Client(dial(t, peers[1].address), &tls.Config{
		RootCAs: pool, ServerName: "127.0.0.1", MinVersion: tls.VersionTLS13,
	})
	_, err := conn.Write(make([]byte, 64))
	require.NoError(t, err)
	_, err = conn.Read(make([]byte, 1))
	require.Error(t, err)
}

// selfSigned makes a certificate for the loopback address, which is its own authority.
func selfSigned(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
