package clienttest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"

	"github.com/viewstamp/viewstamp/impl/clienttable"
	"github.com/viewstamp/viewstamp/impl/protocol"
	"github.com/viewstamp/viewstamp/impl/wire"
)

// User and Password are the ones that may log in.
const (
	User     = "viewstamp"
	Password = "secret"
)

// Cluster is a cluster in memory.
type Cluster struct {
	mu sync.Mutex
	// primary is the node of the metadata plane, partitions the node of all partitions.
	primary, partitions int
	nodes               []*node
	state               *state
	op                  wire.Op
	table               *clienttable.Table
	faults              []Fault
}

// Fault is what goes wrong with the next request of an operation or code.
type Fault struct {
	Code protocol.Code
	// Status denies the request before it is executed, if it is set.
	Status protocol.Status
	// Lose executes the request, unless it is denied, and closes the connection unanswered.
	Lose bool
}

type node struct {
	listener net.Listener
	conns    map[net.Conn]bool
	up       bool
}

// New starts a cluster of so many nodes. Node 0 has all primaries.
//
// Errors: those of listening on loopback.
func New(nodes int) (*Cluster, error) {
	c := &Cluster{
		state: newState(),
		table: clienttable.New(clienttable.Config{
			Shape: clienttable.Numbered, Capacity: 64, Ring: 5, ReplyBytes: 1 << 20,
		}),
	}
	for range nodes {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("start node: %w", err)
		}
		n := &node{listener: listener, conns: map[net.Conn]bool{}, up: true}
		c.nodes = append(c.nodes, n)
		go c.accept(len(c.nodes)-1, n)
	}
	return c, nil
}

// Addresses are host:port of the nodes.
func (c *Cluster) Addresses() []string {
	var all []string
	for _, n := range c.nodes {
		all = append(all, n.listener.Addr().String())
	}
	return all
}

// SetPrimary makes a node the primary of the metadata plane, and one of all partitions.
func (c *Cluster) SetPrimary(metadata, partitions int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.primary, c.partitions = metadata, partitions
}

// Inject adds faults; each strikes once.
func (c *Cluster) Inject(faults ...Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, faults...)
}

// Executed counts what entered the log of the metadata plane, logins included.
func (c *Cluster) Executed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(c.op)
}

// Evict makes the cluster forget all sessions.
func (c *Cluster) Evict() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range uint64(c.table.Capacity()) {
		c.op++
		c.table.Execute(c.op, clienttable.Message{
			Kind: clienttable.Register, Client: wire.ClientID{Lo: i + 1, Hi: uint64(c.op)}, Number: 1,
		})
	}
}

// Stop kills a node.
func (c *Cluster) Stop(i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.nodes[i]
	n.up = false
	_ = n.listener.Close()
	for conn := range n.conns {
		_ = conn.Close()
	}
}

// Close kills all nodes.
func (c *Cluster) Close() {
	for i := range c.nodes {
		c.Stop(i)
	}
}

func (c *Cluster) accept(i int, n *node) {
	for {
		conn, err := n.listener.Accept()
		if err != nil {
			return
		}
		c.mu.Lock()
		if !n.up {
			_ = conn.Close()
		}
		n.conns[conn] = true
		c.mu.Unlock()
		go func() {
			c.serve(i, conn)
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(n.conns, conn)
		}()
	}
}

// serve answers one connection, a request at a time.
func (c *Cluster) serve(i int, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	r := bufio.NewReader(conn)
	for {
		frame := make([]byte, wire.HeaderBytes)
		if _, err := io.ReadFull(r, frame); err != nil {
			return
		}
		size, err := wire.FrameSize(frame)
		if err != nil {
			return
		}
		frame = append(frame, make([]byte, size-wire.HeaderBytes)...)
		if _, err := io.ReadFull(r, frame[wire.HeaderBytes:]); err != nil {
			return
		}
		m, err := wire.Decode(frame)
		request, ok := m.(*wire.Request)
		if err != nil || !ok {
			return
		}
		answer := c.answer(i, request)
		if answer == nil {
			return
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// roster is the cluster as its nodes see it.
func (c *Cluster) roster() *protocol.Roster {
	r := &protocol.Roster{Name: "test"}
	for i, n := range c.nodes {
		host, port := split(n.listener.Addr())
		m := protocol.Member{
			Name: fmt.Sprint("n", i), Address: host, TCP: port, Role: protocol.RoleBackup,
			Health: protocol.Healthy,
		}
		if i == c.primary {
			m.Role = protocol.RolePrimary
		}
		if !n.up {
			m.Health = protocol.Unreachable
		}
		r.Members = append(r.Members, m)
	}
	return r
}

func split(address net.Addr) (string, uint16) {
	host, text, _ := net.SplitHostPort(address.String())
	port, _ := strconv.ParseUint(text, 10, 16)
	return host, uint16(port)
}
