package node_test

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxies stand between the replicas of a cluster: one for each direction of each pair, so that
// connections can be cut.
type proxies struct {
	t  *testing.T
	mu sync.Mutex
	to map[[2]int]*proxy
}

func newProxies(t *testing.T) *proxies {
	p := &proxies{t: t, to: make(map[[2]int]*proxy)}
	t.Cleanup(func() {
		for _, one := range p.to {
			one.close()
		}
	})
	return p
}

// reach is [layout].reach.
func (p *proxies) reach(from, to int, address string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(p.t, err)
	one := &proxy{listener: listener, target: address, open: make(map[net.Conn]struct{})}
	p.mu.Lock()
	p.to[[2]int{from, to}] = one
	p.mu.Unlock()
	one.running.Go(one.accept)
	return listener.Addr().String()
}

// cut separates a replica from all others, or joins it with them again.
func (p *proxies) cut(replica int, apart bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for pair, one := range p.to {
		if pair[0] == replica || pair[1] == replica {
			one.cut(apart)
		}
	}
}

// proxy copies bytes both ways, unless it is cut: then it closes what there is and what comes.
type proxy struct {
	listener net.Listener
	target   string
	running  sync.WaitGroup

	mu    sync.Mutex
	apart bool
	open  map[net.Conn]struct{}
}

func (p *proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.carry(conn) })
	}
}

func (p *proxy) carry(from net.Conn) {
	if !p.admit(from) {
		return
	}
	defer p.forget(from)
	to, err := net.Dial("tcp", p.target)
	if err != nil || !p.admit(to) {
		return
	}
	defer p.forget(to)
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(from, to) // It ends when one of them does.
		_ = from.Close()
	}()
	_, _ = io.Copy(to, from)
	_ = to.Close()
	<-back
}

func (p *proxy) admit(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.apart {
		_ = conn.Close() // As if there were no way.
		return false
	}
	p.open[conn] = struct{}{}
	return true
}

func (p *proxy) forget(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = conn.Close()
	delete(p.open, conn)
}

func (p *proxy) cut(apart bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.apart = apart
	for conn := range p.open {
		if apart {
			_ = conn.Close() // Its copies end.
		}
	}
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.cut(true)
	p.running.Wait()
}
