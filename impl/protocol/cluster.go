package protocol

import "github.com/viewstamp/viewstamp/impl/wire"

// Role is what a node is to the metadata group.
type Role uint8

// The roles; on the wire one less.
const (
	RolePrimary Role = iota + 1
	RoleBackup
)

// Health is how a node does; on the wire one less.
type Health uint8

// What a node may be.
const (
	Healthy Health = iota + 1
	Starting
	Stopping
	Unreachable
	Maintenance
)

// Member is one node of the cluster.
type Member struct {
	Name    string
	Address string // without a port
	// The ports; 0 where nothing listens.
	TCP, QUIC, HTTP, WebSocket uint16
	Role                       Role
	Health                     Health
}

func (m *Member) layout(c *coder) {
	c.text32("node_name", &m.Name)
	c.text32("node_address", &m.Address)
	c.u16("tcp_port", &m.TCP)
	c.u16("quic_port", &m.QUIC)
	c.u16("http_port", &m.HTTP)
	c.u16("ws_port", &m.WebSocket)
	enum(c, "role", &m.Role, 1, uint8(RoleBackup))
	enum(c, "health", &m.Health, 1, uint8(Maintenance))
}

// Roster is the answer of [CodeClusterMetadata].
type Roster struct {
	Name    string
	Members []Member
}

func (r *Roster) layout(c *coder) {
	c.text32("cluster_name", &r.Name)
	counted(c, "nodes", &r.Members, func(c *coder, m *Member) { m.layout(c) })
}

// FindPrimary asks for the primary of a partition's group; [CodeFindPrimary].
type FindPrimary struct {
	Stream, Topic Identifier
	Partition     uint32
}

func (f *FindPrimary) layout(c *coder) {
	c.ident("stream", &f.Stream)
	c.ident("topic", &f.Topic)
	c.u32("partition", &f.Partition)
}

// PrimaryFound says where the primary is, as far as the answering node knows.
type PrimaryFound struct {
	// View is the one that makes it primary; a higher one is newer.
	View    wire.View
	Address string // without a port; empty if it is not known
	TCP     uint16
}

func (p *PrimaryFound) layout(c *coder) {
	c.u32("view", (*uint32)(&p.View))
	c.text32("address", &p.Address)
	c.u16("tcp_port", &p.TCP)
}
